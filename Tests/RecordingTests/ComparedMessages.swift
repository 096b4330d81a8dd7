import MeshModel
import Recordings
import Store

extension PlayedRecording {
    /// Every received text is stored once, in order, with what is known about its way.
    func compareReceivedTexts() throws -> Findings {
        var findings = Findings(name)
        let found = try messages().filter { !$0.isOwn }
        struct Key: Hashable { var from: NodeNumber, id: PacketID }
        var known: Set<Key> = []
        let expected = oracle.packets.compactMap(ExpectedText.init).filter {
            known.insert(Key(from: $0.packet.from, id: $0.packet.id)).inserted
        }
        findings.compare("received texts", "count", expected: expected.count, found: found.count)
        for (expected, found) in zip(expected, found) {
            compare(expected, found, "text \(expected.packet.from)/\(expected.packet.id)", &findings)
        }
        return findings
    }

    func messages() throws -> [Message] {
        try store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst, limit: 100_000)) }
    }

    private func compare(_ expected: ExpectedText, _ found: Message, _ item: String, _ findings: inout Findings) {
        let packet = expected.packet
        findings.compare(item, "from", expected: packet.from, found: found.from)
        findings.compare(item, "to", expected: packet.to, found: found.to)
        findings.compare(item, "packetID", expected: packet.id, found: found.packetID)
        findings.compare(item, "text", expected: expected.text, found: found.text)
        findings.compare(
            item, "channel", expected: packet.to.isBroadcast ? Int(packet.channel) : -1, found: found.channel)
        findings.compare(item, "port", expected: expected.port, found: found.port.rawValue)
        findings.compare(
            item, "replyID", expected: packet.replyID == 0 ? nil : mapped(packet.replyID), found: found.replyID)
        findings.compare(item, "isTapback", expected: packet.emoji != 0, found: found.isTapback)
        findings.compare(
            item, "rxTime", expected: packet.rxTime.flatMap { $0 == 0 ? nil : Int64($0) * 1000 }, found: found.rxTime)
        findings.compare(item, "hopStart", expected: packet.hopStart, found: found.hopStart)
        findings.compare(item, "hopLimit", expected: packet.hopLimit, found: found.hopLimit)
        findings.compare(item, "relayNode", expected: packet.relayNode, found: found.relayNode)
        findings.compare(item, "rxSNR", decimal: packet.rxSNR, found: found.rxSNR)
        findings.compare(item, "rxRSSI", expected: packet.rxRSSI, found: found.rxRSSI)
        findings.compare(item, "viaMQTT", expected: packet.viaMQTT, found: found.viaMQTT)
        findings.compare(item, "pkiEncrypted", expected: packet.pkiEncrypted, found: found.pkiEncrypted)
        findings.compare(item, "viaStoreForward", expected: packet.port == 65, found: found.viaStoreForward)
        findings.compare(item, "xeddsaSigned", expected: packet.xeddsaSigned, found: found.xeddsaSigned ?? false)
        findings.compare(
            item, "spoofSuspected", expected: packet.isSpoofed(own: oracle.ownNumber), found: found.spoofSuspected)
    }

    /// Every text that was posted reached the radio as the recorded host's did, and has come to the recorded end.
    func compareSentTexts() throws -> Findings {
        var findings = Findings(name)
        findings.compare("sent texts", "order", expected: posts.map(\.id), found: sent.map(\.id))
        let stored = try messages().filter(\.isOwn)
        findings.compare("sent texts", "count", expected: posts.count, found: stored.count)
        for (index, post) in posts.enumerated() {
            let item = "sent text \(post.recorded.id) as \(post.id)"
            guard let found = stored.first(where: { $0.packetID == post.id }),
                let packet = sent.first(where: { $0.id == post.id })
            else {
                findings.add(item, "message", "one", "none")
                continue
            }
            compare(post.recorded, packet, found, item, &findings)
            let isPrivate = post.isKeyKnown && post.recorded.to != oracle.ownNumber && !hadKeyError(before: index)
            findings.compare(item, "pkiEncrypted", expected: isPrivate, found: packet.pkiEncrypted)
            // The recorded host used an id twice. The gateway does not, and what the radio says counts for the later.
            let isReused = posts[(index + 1)...].contains { $0.recorded.id == post.recorded.id }
            let final = oracle.sentTexts.first { $0.id == post.recorded.id }?.final ?? .pending
            // The recorded host left it at that; the gateway takes these up again, and nobody answers for that here.
            let isTakenUp = [35, 38].contains { final == .failed($0) }
            if isTakenUp, !isReused, try !isTakenUpAgain(found) {
                findings.add(item, "attempts", "another one", "none")
            }
            compare(isReused || isTakenUp ? .pending : final, found, item, &findings)
        }
        return findings
    }

    private func isTakenUpAgain(_ message: Message) throws -> Bool {
        try store.read { try !$0.attempts(of: message, in: source).isEmpty }
    }

    /// Whether an earlier text to the same node has failed by its key, or by ours there.
    private func hadKeyError(before index: Int) -> Bool {
        posts[..<index].contains { post in
            let final = oracle.sentTexts.first { $0.id == post.recorded.id }?.final
            return post.recorded.to == posts[index].recorded.to && [34, 35, 39].contains { final == .failed($0) }
        }
    }

    private func compare(
        _ recorded: MeshPacket, _ packet: MeshPacket, _ found: Message, _ item: String, _ findings: inout Findings
    ) {
        let text = recorded.postedText!
        findings.compare(item, "from", expected: oracle.ownNumber, found: packet.from)
        findings.compare(item, "to", expected: recorded.to, found: packet.to)
        findings.compare(item, "payload", expected: Array(text.utf8), found: packet.decoded?.payload)
        findings.compare(item, "wantAck", expected: true, found: packet.wantAck)
        findings.compare(item, "emoji", expected: recorded.decoded!.emoji, found: packet.decoded?.emoji)
        let replyID = mapped(recorded.decoded!.replyID)
        findings.compare(item, "reply on the air", expected: replyID, found: packet.decoded?.replyID)
        if recorded.to.isBroadcast {
            findings.compare(item, "channel on the air", expected: recorded.channel, found: packet.channel)
        }
        findings.compare(item, "text", expected: text, found: found.text)
        findings.compare(
            item, "channel", expected: recorded.to.isBroadcast ? Int(recorded.channel) : -1, found: found.channel)
        findings.compare(item, "replyID", expected: replyID == 0 ? nil : replyID, found: found.replyID)
        findings.compare(item, "isTapback", expected: recorded.decoded!.emoji != 0, found: found.isTapback)
    }

    private func compare(_ expected: OracleSent.Final, _ found: Message, _ item: String, _ findings: inout Findings) {
        let delivery = found.delivery
        findings.compare(item, "state", expected: expected.publicName, found: delivery?.publicName ?? "none")
        switch expected {
        case .failed(let error): findings.compare(item, "error", expected: error, found: delivery?.error?.rawValue ?? 0)
        case .confirmed: findings.compare(item, "ackFrom", expected: found.to, found: delivery?.ackFrom ?? .broadcast)
        case .delivered, .pending: findings.compare(item, "error", expected: nil, found: delivery?.error)
        }
    }
}

extension OracleSent.Final {
    /// The state as clients see it.
    var publicName: String {
        switch self {
        case .confirmed: "confirmed"
        case .delivered: "delivered"
        case .failed: "failed"
        case .pending: "pending"
        }
    }
}

/// What is to be stored as a message: texts, alerts, detection sensor, and a store-and-forward server's repeated texts as
/// what they were. Not range tests, and nothing empty: nobody wrote those.
private struct ExpectedText {
    var packet: OraclePacket
    var port: UInt32
    var text: String

    init?(_ packet: OraclePacket) {
        self.packet = packet
        switch packet.port {
        case 1, 10, 11:
            guard packet.payload?.isEmpty == false else { return nil }
            port = packet.port
            text = Self.repaired(packet.payload!)
        case 65:
            guard let content = packet.content, let bytes = content.bytes("text"),
                content.string("rr")?.hasPrefix("ROUTER_TEXT_") == true
            else { return nil }
            port = 1
            text = Self.repaired(bytes)
        default: return nil
        }
    }

    /// Bad bytes and control characters as U+FFFD, but for newline and tab; CR LF is a newline, and a bell no character.
    private static func repaired(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "\u{7}" {
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
            scalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }
}
