import MeshModel
import MeshProtocol
import Store

enum MessageColumn: String, ForeignColumn {
    case id, sourceId, fromNodeNum, fromNodeId, toNodeNum, toNodeId, text, channel, portnum, requestId, timestamp,
        rxTime
    case hopStart, hopLimit, relayNode, replyId, emoji, viaMqtt, viaStoreForward, xeddsaSigned, rxSnr, rxRssi
    case ackFailed, routingErrorReceived, deliveryState, ackFromNode, routingErrorCode, createdAt, decryptedBy
    case spoofSuspected
}

extension TakeOver {
    /// Bytes. A packet has at most 233 of them.
    private static let longestText = 65_536

    func takeMessages() throws {
        try readTable("messages", as: .messages, orderedBy: [.createdAt, .timestamp, .id]) {
            (row: Values<MessageColumn>) in
            guard let from = row[.fromNodeNum].node ?? row[.fromNodeId].node, from.mayBeNode else { return .noNode }
            guard let source = sources.find(row[.sourceId]) else { return sources.whyNot(row[.sourceId]) }
            let port = row[.portnum].word.map { PortNumber(rawValue: $0) } ?? .textMessage
            guard port != .traceroute else { return .leftOut("is a route, which is among the traceroutes") }
            guard let text = row[.text].text, !text.isEmpty else { return .leftOut("has no text") }
            guard text.utf8.count <= Self.longestText else { return .leftOut("is longer than any message") }
            guard let time = row[.timestamp].milliseconds ?? row[.createdAt].milliseconds else { return .noTime }
            guard let channel = channel(row) else { return .leftOut("is of a channel that cannot be") }
            guard let packetID = MessageID.packetID(row) else { return .leftOut("has no packet id") }
            var message = Message(
                id: "", from: from, to: row.recipient, text: spokenText(text.utf8), channel: channel.number,
                port: port,
                packetID: packetID, timestamp: time, createdAt: row[.createdAt].milliseconds ?? time, updatedAt: time)
            message.updatedAt = message.createdAt
            message.decryptedWith = channel.entry
            message.takeReception(row)
            message.takeDelivery(row)
            return try insert(message, in: source)
        }
    }

    private func insert(_ message: Message, in source: SourceID) throws -> Fate {
        guard try writer.insertMessage(message, in: source) else { return .alreadyThere }
        Ages.add(message.createdAt, to: &ages.messages)
        return .taken
    }

    /// A slot of the radio, -1 for a direct message, or above 100 what one of the gateway's own keys has opened.
    private func channel(_ row: Values<MessageColumn>) -> (number: Int, entry: Int64?)? {
        guard let number = (row[.channel].integer ?? 0) as Int64?, number >= -1 else { return nil }
        if number > ChannelEntry.channelOffset {
            let theirs = number - ChannelEntry.channelOffset
            guard theirs <= Self.highestEntry else { return nil }
            let entry = entries[theirs] ?? theirs
            return (ChannelEntry.channel(of: entry), entry)
        }
        if !row.recipient.isBroadcast { return (-1, nil) }
        return number <= 7 ? (Int(number), nil) : nil
    }
}

/// `<source>_<from>_<packet>` of MeshMonitor 4, `<from>_<packet>` of older ones; when the same packet came twice, by the
/// radio and by a key of the gateway's, with `_radio` or `_dbchan` behind it.
private enum MessageID {
    static func packetID(_ row: Values<MessageColumn>) -> PacketID? {
        guard let id = row[.id].text else { return row[.requestId].packetID ?? row[.id].packetID }
        let parts = id.split(separator: "_").drop { _ in false }
        let last = parts.last.map { ["dbchan", "radio"].contains($0) } == true ? parts.dropLast().last : parts.last
        if let number = last.flatMap({ UInt32($0) }), number != 0 { return number }
        if let number = row[.requestId].packetID { return number }
        // Of a packet without an id it is the time. A number that is the same the next time will do.
        let hash = id.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return max(hash, 1)
    }
}

extension Values<MessageColumn> {
    /// Own ones to everybody say `broadcast`.
    fileprivate var recipient: NodeNumber { self[.toNodeNum].node ?? self[.toNodeId].node ?? .broadcast }
}

extension Message {
    fileprivate mutating func takeReception(_ row: Values<MessageColumn>) {
        rxTime = row[.rxTime].milliseconds
        hopStart = row[.hopStart].integer(in: 0...7).map { UInt32($0) }
        hopLimit = row[.hopLimit].integer(in: 0...7).map { UInt32($0) }
        relayNode = row[.relayNode].integer(in: 0...255).map { UInt32($0) }
        replyID = row[.replyId].packetID
        isTapback = row[.emoji].flag ?? false
        viaMQTT = row[.viaMqtt].flag
        viaStoreForward = row[.viaStoreForward].flag ?? false
        xeddsaSigned = row[.xeddsaSigned].flag == true ? true : nil
        rxSNR = row[.rxSnr].number(in: -64...64)
        rxRSSI = row[.rxRssi].number(in: -256...64).map { Int($0.rounded()) }
        spoofSuspected = row[.spoofSuspected].flag ?? false
    }

    /// Own messages have the id of their packet as that of a request, or a word about their delivery.
    fileprivate mutating func takeDelivery(_ row: Values<MessageColumn>) {
        let hasFailed = row[.ackFailed].flag == true || row[.routingErrorReceived].flag == true
        let state: Delivery.State? =
            switch row[.deliveryState].text?.lowercased() {
            // Nobody has said a word about it, and nobody will any more.
            case "pending": hasFailed ? .failed : .accepted
            case "delivered": .relayed
            case "confirmed": .confirmed
            case "failed": .failed
            default: hasFailed ? .failed : nil
            }
        isOwn = row[.requestId].packetID != nil || state != nil
        guard let state else { return }
        delivery = Delivery(
            state: state, error: row[.routingErrorCode].integer(in: 1...255).map { RoutingError(rawValue: UInt32($0)) },
            ackFrom: row[.ackFromNode].node)
    }
}
