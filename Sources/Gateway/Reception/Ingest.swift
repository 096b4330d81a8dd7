import MeshModel
import MeshProtocol
import Store

/// Turns what the radio hands over into changes of the database, on the store's writer thread.
///
/// One value for one received packet or node info: who we are, when it came, and the packet.
struct Ingest: Sendable {
    /// Our own node number on this radio.
    let own: NodeNumber
    /// Host milliseconds of the reception.
    let now: Int64
    /// The entry of the channel database that decrypted the packet; nil when the radio did.
    let decryptedWith: Int64?
    /// Host milliseconds at which an old packet of the log was decrypted. What became known in between counts more than
    /// what it says.
    private let foundAt: Int64?

    init(own: NodeNumber, now: Int64, decryptedWith: Int64? = nil, foundAt: Int64? = nil) {
        self.own = own
        self.now = now
        self.decryptedWith = decryptedWith
        self.foundAt = foundAt
    }

    private var isBelated: Bool { foundAt != nil }
    /// Host milliseconds of the change.
    private var changed: Int64 { foundAt ?? now }

    /// Everything that a received packet changes, but for the message in it and the report on one of ours.
    func apply(_ packet: MeshPacket, _ content: PacketContent?, to writer: Writer, in source: SourceID) throws {
        let isLive = isReception(packet, content)
        try writer.change(as: isLive ? .live : packet.isReplay ? .replayed : .late) {
            try apply(packet, content, isLive: isLive, to: writer, in: source)
        }
    }

    private func apply(
        _ packet: MeshPacket, _ content: PacketContent?, isLive: Bool, to writer: Writer, in source: SourceID
    ) throws {
        // When what it says was heard; a value that is known is neither a reading nor worth a line in the log.
        var heardAt = now
        if packet.isReplay {
            let isKnown = try writer.hasPacket(id: packet.id, from: packet.from, in: source)
            guard !isKnown, let time = try timeOfReading(packet, content, writer, in: source) else { return }
            heardAt = time
        }
        try writer.logPacket(packet, direction: .rx, decryptedWith: decryptedWith, in: source, at: now)
        if let decryptedWith { try writer.countDecrypted(1, with: decryptedWith, at: now) }
        guard packet.from.mayBeNode, !packet.isSpoofed(own: own) else { return }
        let derived = isLive ? try derive(from: packet, content, writer, source) : Derived()
        // Only what was encrypted for us shows its sender's key.
        try update(packet.from, bringsKey: packet.pkiEncrypted, writer, source) { node in
            if isLive { node.heard(packet, at: now) }
            node.linkQuality = derived.linkQuality ?? node.linkQuality
            tell(content, of: packet, at: heardAt, &node)
        }
        if isLive { try writer.twinWasHeard(packet.from, in: source, at: now) }
        guard let data = packet.decoded, let content else { return }
        try apply(content, of: packet, data, at: heardAt, writer, source, with: derived.values)
    }

    /// The same for a packet that is in the log already and counted as a reception then.
    func applyBelated(_ packet: MeshPacket, to writer: Writer, in source: SourceID) throws {
        guard let data = packet.decoded, packet.from.mayBeNode else { return }
        let content = PacketContent(data)
        try writer.change(as: .decryptedLater) {
            if let message = message(in: packet, content) { try store(message, writer, source) }
            guard !packet.isSpoofed(own: own) else { return }
            try writer.updateNode(packet.from, in: source, at: changed) { node in
                node.channel = node.channel ?? Int(packet.channel)
                tell(content, of: packet, at: now, &node)
            }
            try apply(content, of: packet, data, at: now, writer, source)
        }
    }

    /// Whether the sender itself was heard now: not a value that the radio replays, not a text that a server repeats
    /// under its sender's number, and not more than six hours old by a plausible radio clock (Contract 3.3).
    func isReception(_ packet: MeshPacket, _ content: PacketContent?) -> Bool {
        if case .storeForward(.text) = content { return false }
        return !packet.isReplay && receivedEarlier(packet) == nil
    }

    /// Host milliseconds of an old reception that comes only now, out of the radio's queue.
    private func receivedEarlier(_ packet: MeshPacket) -> Int64? {
        guard let rxTime = packet.rxTime.map(Int64.init), rxTime >= PlausibleTime.earliest,
            now / 1000 - rxTime > 6 * 3600
        else { return nil }
        return rxTime * 1000
    }

    /// What a packet says of its sender's row besides having been heard. Names and keys are another change: who else has the
    /// key is looked for behind it.
    ///
    /// - Parameter heardAt: host milliseconds; of a replay, when the radio heard it.
    private func tell(_ content: PacketContent?, of packet: MeshPacket, at heardAt: Int64, _ node: inout Node) {
        switch content {
        case .position(let position) where position.hasFix:
            // The radio's own broadcast is blurred to the channel's precision; what it says of itself is exact.
            if packet.from == own, node.isLocated(moreExactlyThan: position) { return }
            let time = packet.isReplay ? position.reportTime(before: now) ?? 0 : receivedEarlier(packet) ?? now
            node.located(position, on: packet.pkiEncrypted ? nil : Int(packet.channel), at: time, now: changed)
        case .telemetry(let telemetry) where !telemetry.isRequest:
            if !isOld(packet, at: heardAt) || node.batteryLevel == nil { node.measured(telemetry) }
        case .nodeStatus(let text):
            if let known = node.statusUpdatedAt, known > heardAt, isBelated || packet.isReplay { return }
            node.status = text
            node.statusUpdatedAt = heardAt
        case .storeForward(.heartbeat): node.isStoreForwardServer = true
        default: break
        }
    }

    /// A replay is the node's newest reading, or none; but without a time nobody knows.
    private func isOld(_ packet: MeshPacket, at heardAt: Int64) -> Bool {
        isBelated || (packet.isReplay && heardAt == now) || receivedEarlier(packet) != nil
    }

    /// The rows that a packet brings.
    ///
    /// - Parameters:
    ///   - heardAt: host milliseconds; of a replay, when the radio heard it.
    ///   - derived: what a report's row says of the packet.
    private func apply(
        _ content: PacketContent, of packet: MeshPacket, _ data: MeshData, at heardAt: Int64, _ writer: Writer,
        _ source: SourceID, with derived: [Telemetry.Value] = []
    ) throws {
        let from = packet.from
        switch content {
        case .nodeInfo(let user):
            // A name has no time: the one that is known may be the newer.
            try update(from, writer, source) { node in
                if !isBelated || node.longName == nil { node.introduced(user, at: changed) }
            }
        case .position(let position):
            // Without coordinates it is a request, or a position that the channel's precision forbids to share.
            guard position.hasFix else { return }
            try writer.insertPosition(position, from: from, packet: packet, in: source, at: heardAt)
        case .telemetry(let telemetry):
            guard !telemetry.isRequest else { return }
            try writer.insertTelemetry(
                telemetry, from: from, packet: packet, in: source, at: heardAt, with: derived)
            if from == own, telemetry.kind == .localStats, !isOld(packet, at: heardAt) {
                try countNodes(writer, source)
            }
        case .traceroute(let route):
            try store(route, of: packet, data, writer, source)
        case .neighborInfo(let info):
            // A request for ours looks like an empty report.
            guard !info.neighbors.isEmpty || !data.wantResponse else { return }
            // What it calls itself is not to be trusted, the packet's sender is.
            var own = info
            own.number = from
            if isBelated, try writer.neighborsReported(by: from, in: source).map({ $0 > now }) == true { return }
            try writer.replaceNeighbors(own, in: source, at: now)
            for neighbor in info.neighbors { try insertMentionedNode(neighbor.number, writer, source) }
        case .waypoint(let waypoint):
            try store(waypoint, of: packet, writer, source)
        case .paxcounter(let count):
            try writer.insertPaxcount(count, from: from, packet: packet, in: source, at: now)
        case .nodeStatus(let text):
            try writer.insertNodeStatus(text, from: from, packet: packet, in: source, at: heardAt)
        case .text, .routing, .admin, .storeForward, .raw, .undecodable:
            break
        }
    }

    private func store(
        _ route: RouteDiscovery, of packet: MeshPacket, _ data: MeshData, _ writer: Writer, _ source: SourceID
    ) throws {
        // Without a request id it is somebody's request on its way to us; the radio answers it.
        guard data.requestID != 0 else { return }
        try writer.completeTraceroute(
            from: packet.to, to: packet.from, requestID: data.requestID, packetID: packet.id, route: route, in: source,
            at: now)
        for hop in route.route + route.routeBack { try insertMentionedNode(hop, writer, source) }
    }

    private func store(
        _ waypoint: Waypoint, of packet: MeshPacket, _ writer: Writer, _ source: SourceID
    ) throws {
        if let known = try writer.waypoint(id: waypoint.id, in: source),
            isBelated || known.lockedTo.rawValue != 0 && known.lockedTo != packet.from
        {
            return
        }
        // A past time deletes, 0 and Int32.max mean for ever (SerialReference 4.9).
        if waypoint.isExpired(at: changed) {
            try writer.deleteWaypoint(id: waypoint.id, in: source)
        } else {
            // What was for one node is a direct message, as a text is.
            let isDirect = packet.pkiEncrypted || !packet.to.isBroadcast
            let channel = isDirect ? nil : Int(packet.channel)
            try writer.upsertWaypoint(waypoint, from: packet.from, channel: channel, in: source, at: now)
        }
    }

    /// A node that others speak of gets a row, without a word about when it was heard.
    private func insertMentionedNode(_ number: NodeNumber, _ writer: Writer, _ source: SourceID) throws {
        if number.mayBeNode { try writer.insertMentionedNode(number, in: source, at: changed) }
    }

    /// A node of the radio's own memory.
    func apply(_ info: NodeInfo, to writer: Writer, in source: SourceID) throws {
        guard info.number.mayBeNode else { return }
        try update(info.number, writer, source) { node in
            node.remembered(by: info, isOwn: info.number == own, at: now)
            // The radio tells no last_heard for itself; it is here.
            if info.number == own { node.lastHeard = now / 1000 }
        }
        let isMissing = try writer.node(info.number, in: source) { $0.isFavorite && !info.isFavorite } ?? false
        let isTold = try !isMissing || !writer.isWaiting(.favorite, of: info.number, in: source)
        try writer.updateNode(info.number, in: source, at: now) { $0.lookForFavorite(isTold: isTold, at: now) }
        try deriveSignal(of: info, writer, source)
    }

    /// Changes a node's row; when that brought it a key, who else has the same one is looked for.
    private func update(
        _ number: NodeNumber, bringsKey: Bool = true, _ writer: Writer, _ source: SourceID,
        _ change: (inout Node) -> Void
    ) throws {
        guard bringsKey else { return try writer.updateNode(number, in: source, at: changed, change) }
        let before = try writer.node(number, in: source, \.publicKey)
        try writer.updateNode(number, in: source, at: changed, change)
        guard let key = try writer.node(number, in: source, \.publicKey), key != before else { return }
        try writer.linkTwins(of: number, in: source, at: changed)
    }

    /// The message in a packet, if it is one: texts, alerts, detection sensor, and texts that a
    /// store-and-forward server repeats under their original sender and id.
    func message(in packet: MeshPacket, _ content: PacketContent?) -> Message? {
        guard let data = packet.decoded, packet.id != 0, packet.from.mayBeNode else { return nil }
        let text: String
        var (to, id, port, isReplay) = (packet.to, packet.id, data.port, false)
        switch content {
        // What a range test counts, and a text without a character, is no word to anybody.
        case .text(let body) where data.port != .rangeTest && !data.payload.isEmpty: text = body
        case .storeForward(.text(let body, let broadcast, let original)) where !body.isEmpty:
            // Firmware 2.8.1 repeats under a new id each time; over its own serial port a server still uses the first one.
            (text, id, port, isReplay) = (body, original ?? packet.id, .textMessage, true)
            // The server sends to us what once went to everybody.
            if broadcast { to = .broadcast }
        default: return nil
        }
        let rxTime = packet.rxTime.map(Int64.init).flatMap { $0 >= PlausibleTime.earliest ? $0 * 1000 : nil }
        // What others say to each other on a channel that only we overhear is no conversation of ours.
        let isDirect = decryptedWith == nil ? !to.isBroadcast : to == own
        return Message(
            id: "", from: packet.from, to: to, text: text, channel: isDirect ? -1 : Int(packet.channel),
            port: port, packetID: id, timestamp: now, rxTime: rxTime, hopStart: packet.hopStart,
            hopLimit: packet.hopLimit, relayNode: packet.relayNode, replyID: data.replyID == 0 ? nil : data.replyID,
            isTapback: data.emoji != 0, viaMQTT: packet.viaMQTT, viaStoreForward: isReplay,
            xeddsaSigned: packet.xeddsaSigned ? true : nil, rxSNR: packet.rxSNR.decimalDouble,
            rxRSSI: packet.rxRSSI.map(Int.init), pkiEncrypted: packet.pkiEncrypted, decryptedWith: decryptedWith,
            spoofSuspected: packet.isSpoofed(own: own), createdAt: now, updatedAt: changed)
    }

    /// Stores a received message, unless it is there already; its recipient has a row too.
    func store(_ received: Message, _ writer: Writer, _ source: SourceID) throws {
        var message = received
        // What somebody answers may have reached them as a later attempt; clients know the message by its first id.
        message.replyID = try message.replyID.map { try writer.firstPacketID(of: $0, in: source) }
        if !isBelated { message.createdAt = try writer.receiptTime(message.createdAt, in: source) }
        try writer.insertMessage(message, in: source)
        try insertMentionedNode(message.to, writer, source)
    }
}

extension MeshPacket {
    /// A packet that claims our own number but came in over the air or through a broker: somebody else sent it
    /// (SerialReference 14.6), or it is the echo of one of ours, which the ids that we issued tell. What the radio
    /// itself reports when a broker echoes us is a routing packet, and none of these.
    public func isSpoofed(own: NodeNumber) -> Bool {
        from == own && (rxRSSI != nil || viaMQTT && decoded?.port != .routing)
    }
}

extension Telemetry {
    /// A request for telemetry looks like an empty report.
    fileprivate var isRequest: Bool { values.isEmpty && text == nil }
}
