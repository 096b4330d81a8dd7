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

    /// Everything that a received packet changes, but for the messages in it: those are for ``message(in:)``.
    func apply(_ packet: MeshPacket, to writer: Writer, in source: SourceID) throws {
        let isKnownReplay = try packet.isReplay && writer.hasPacket(id: packet.id, from: packet.from, in: source)
        guard !isKnownReplay else { return }
        try writer.logPacket(packet, direction: .rx, in: source, at: now)
        guard !isSpoofed(packet) else { return }
        try noteSender(of: packet, writer, source)
        guard let data = packet.decoded else { return }
        try apply(PacketContent(data), of: packet, data, writer, source)
    }

    /// A packet that claims our own number but came in over the air: somebody else sent it (serial reference 14.6).
    func isSpoofed(_ packet: MeshPacket) -> Bool {
        packet.from == own && packet.rxRSSI != nil
    }

    private func noteSender(of packet: MeshPacket, _ writer: Writer, _ source: SourceID) throws {
        try writer.updateNode(packet.from, in: source, at: now) { node in
            if !packet.isReplay, !isOld(packet) { node.heard(packet, at: now) }
        }
    }

    /// More than six hours old by a plausible radio clock: history, not a reception of now (contract 3.3).
    private func isOld(_ packet: MeshPacket) -> Bool {
        guard let rxTime = packet.rxTime, Int64(rxTime) >= PlausibleTime.earliest else { return false }
        return now / 1000 - Int64(rxTime) > 6 * 3600
    }

    private func apply(
        _ content: PacketContent, of packet: MeshPacket, _ data: MeshData, _ writer: Writer, _ source: SourceID
    ) throws {
        let from = packet.from
        switch content {
        case .nodeInfo(let user):
            try writer.updateNode(from, in: source, at: now) { $0.introduced(user) }
        case .position(let position):
            try store(position, of: packet, writer, source)
        case .telemetry(let telemetry):
            // A request for telemetry looks like an empty report.
            guard !telemetry.values.isEmpty || telemetry.text != nil else { return }
            try writer.insertTelemetry(telemetry, from: from, packet: packet, in: source, at: now)
            let isOutdated = try packet.isReplay && writer.node(from, in: source)?.batteryLevel != nil
            if !isOutdated { try writer.updateNode(from, in: source, at: now) { $0.measured(telemetry) } }
        case .traceroute(let route):
            try store(route, of: packet, data, writer, source)
        case .neighborInfo(let info):
            try writer.replaceNeighbors(info, in: source, at: now)
            for neighbor in info.neighbors { try writer.updateNode(neighbor.number, in: source, at: now) { _ in } }
        case .waypoint(let waypoint):
            try store(waypoint, from: from, writer, source)
        case .paxcounter(let count):
            try writer.insertPaxcount(count, from: from, packet: packet, in: source, at: now)
        case .nodeStatus(let text):
            try writer.insertNodeStatus(text, from: from, packet: packet, in: source, at: now)
            try writer.updateNode(from, in: source, at: now) {
                $0.status = text
                $0.statusUpdatedAt = now
            }
        case .storeForward(.heartbeat):
            try writer.updateNode(from, in: source, at: now) { $0.isStoreForwardServer = true }
        case .text, .routing, .admin, .storeForward, .raw, .undecodable:
            break
        }
    }

    private func store(_ position: Position, of packet: MeshPacket, _ writer: Writer, _ source: SourceID) throws {
        // Without coordinates it is a request, or a position that the channel's precision forbids to share.
        guard position.hasFix else { return }
        try writer.insertPosition(position, from: packet.from, packet: packet, in: source, at: now)
        let time = packet.isReplay ? position.reportTime(before: now) ?? 0 : now
        try writer.updateNode(packet.from, in: source, at: now) {
            $0.located(position, on: packet.pkiEncrypted ? nil : Int(packet.channel), at: time)
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
        for hop in route.route + route.routeBack where !hop.isBroadcast && hop.rawValue > 3 {
            try writer.updateNode(hop, in: source, at: now) { _ in }
        }
    }

    private func store(_ waypoint: Waypoint, from: NodeNumber, _ writer: Writer, _ source: SourceID) throws {
        if let known = try writer.waypoint(id: waypoint.id, in: source), known.lockedTo.rawValue != 0,
            known.lockedTo != from
        {
            return
        }
        // A past time deletes, 0 and Int32.max mean for ever (serial reference 4.9).
        if waypoint.expire != 0, Int64(waypoint.expire) * 1000 <= now {
            try writer.deleteWaypoint(id: waypoint.id, in: source)
        } else {
            try writer.upsertWaypoint(waypoint, from: from, in: source, at: now)
        }
    }

    /// A node of the radio's own memory.
    func apply(_ info: NodeInfo, to writer: Writer, in source: SourceID) throws {
        try writer.updateNode(info.number, in: source, at: now) { node in
            node.remembered(by: info, at: now)
            // The radio tells no last_heard for itself; it is here.
            if info.number == own { node.lastHeard = now / 1000 }
        }
    }

    /// The message in a packet, if it is one: texts, alerts, detection sensor, range test, and texts that a
    /// store-and-forward server repeats under their original sender and id.
    func message(in packet: MeshPacket) -> Message? {
        guard let data = packet.decoded, packet.id != 0 else { return nil }
        let text: String
        var port = data.port
        var isReplay = false
        switch PacketContent(data) {
        case .text(let body): text = body
        case .storeForward(.text(let body, _)):
            (text, port, isReplay) = (body, .textMessage, true)
        default: return nil
        }
        let rxTime = packet.rxTime.map(Int64.init).flatMap { $0 >= PlausibleTime.earliest ? $0 * 1000 : nil }
        return Message(
            id: "", from: packet.from, to: packet.to, text: text,
            channel: packet.to.isBroadcast ? Int(packet.channel) : -1, port: port, packetID: packet.id,
            timestamp: now, rxTime: rxTime, hopStart: packet.hopStart, hopLimit: packet.hopLimit,
            relayNode: packet.relayNode, replyID: data.replyID == 0 ? nil : data.replyID,
            isTapback: data.emoji != 0, viaMQTT: packet.viaMQTT, viaStoreForward: isReplay,
            xeddsaSigned: packet.xeddsaSigned ? true : nil, rxSNR: packet.rxSNR.decimalDouble,
            rxRSSI: packet.rxRSSI.map(Int.init), pkiEncrypted: packet.pkiEncrypted,
            spoofSuspected: isSpoofed(packet), createdAt: now, updatedAt: now)
    }
}
