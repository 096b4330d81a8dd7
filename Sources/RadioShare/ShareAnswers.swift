import MeshModel
import MeshProtocol
import Platform

// What a client is answered in the radio's place, as the radio would.

extension ShareLoop {
    private static let responsePriority: UInt32 = 70
    /// Nanoseconds.
    private static let logInterval: UInt64 = 60_000_000_000
    private static let acknowledgementPriority: UInt32 = 120

    /// - Parameter id: of the packet that is answered.
    func reply(to id: PacketID, of client: ShareClient, _ port: PortNumber, _ payload: [UInt8]) {
        // From nobody nothing can come: some clients take such a packet for one of their own.
        guard let own = client.radio.own ?? client.shown?.own else { return }
        let data = MeshData(port: port, payload: payload, requestID: id)
        let priority = port == .routing ? Self.acknowledgementPriority : Self.responsePriority
        let answer = MeshPacket(
            from: own, to: own, id: .random(in: 1 ... .max), payload: .decoded(data),
            rxTime: UInt32(clamping: WallClock.seconds()), hopLimit: 3, priority: priority)
        client.answer(FromRadio.packet(answer).encoded())
    }

    /// It is done. Who wants no answer gets none.
    func acknowledge(_ packet: ClientPacket, of client: ShareClient) {
        let isWanted = packet.wantsAck || packet.content?.wantsResponse == true
        client.packets[packet.id] = .answered(isWanted ? RoutingError.none : nil)
        if isWanted { reply(to: packet.id, of: client, .routing, Routing.error(.none).encoded()) }
    }

    /// - Parameter words: what is refused, for the log.
    func refuse(_ id: PacketID, of client: ShareClient, _ error: RoutingError, _ words: String) {
        count(client, isRefused: true)
        reply(to: id, of: client, .routing, Routing.error(error).encoded())
        let text = "shared radio: \(client.address) is refused \(words), error \(error.rawValue)"
        if let before = client.lastRefusalLogged, now - before < Self.logInterval { return logger.debug(text) }
        client.lastRefusalLogged = now
        logger.notice(text)
    }

    func count(_ client: ShareClient, isRefused: Bool) {
        if isRefused { client.refused += 1 } else { client.sent += 1 }
        board.count(client.port) { port in
            if isRefused { port.refusedPackets += 1 } else { port.sent += 1 }
        }
    }
}

extension ClientPacket {
    /// What it is, without what is in it.
    var words: String {
        guard let content else { return "a packet that is not decoded" }
        guard content.port == .admin else { return "a packet on port \(content.port.rawValue)" }
        return AdminOrder(content.payload).map { "admin order \($0.variant)" } ?? "an admin order that cannot be read"
    }
}
