import MeshModel
import MeshProtocol
import Platform

// What a client is answered in the radio's place, as the radio would.

extension ShareLoop {
    private static let responsePriority: UInt32 = 70
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

    /// A ROUTING packet with the error; and why, in words, for the client and for the log.
    ///
    /// - Parameters:
    ///   - why: for a person; nil: what follows from the error.
    ///   - isOfRadio: it is the radio's own answer to a question, which a client of the radio expects without more words.
    func refuse(
        _ packet: ClientPacket?, _ id: PacketID, of client: ShareClient, _ error: RoutingError, why: String? = nil,
        isOfRadio: Bool = false
    ) {
        count(client, isRefused: true)
        reply(to: id, of: client, .routing, Routing.error(error).encoded())
        let why = why ?? RefusalWords.of(packet, error, client.right, own: client.radio.own)
        if !isOfRadio, refused.isToBeTold(why, to: client.sender, at: now) {
            let time = UInt32(clamping: WallClock.seconds())
            let notification = ClientNotification(replyID: id, time: time, level: 30, message: why)
            client.answer(FromRadio.clientNotification(notification).encoded())
        }
        logRefusal(of: packet, to: client.refused, error, why)
    }

    /// Once a minute; the others of that minute are counted.
    func logRefusal(of packet: ClientPacket?, to client: RefusedClient, _ error: RoutingError, _ why: String) {
        let what = packet?.words ?? "a packet that cannot be read"
        let text = "shared radio: \(client.name) is refused \(what), error \(error.rawValue): \(why)"
        guard refused.isToBeLogged(of: client, at: now) else { return logger.debug(text) }
        logger.notice(text)
    }

    func count(_ client: ShareClient, isRefused: Bool) {
        if isRefused { client.refusals += 1 } else { client.sent += 1 }
        board.count(client.port) { port in
            if isRefused { port.refusedPackets += 1 } else { port.sent += 1 }
        }
    }
}

extension ClientPacket {
    /// What it is, without what is in it.
    var words: String {
        guard let content else { return "a packet that is not decoded" }
        guard content.port == .admin else {
            let number = content.port.rawValue
            return "a packet on " + (EnumNames.port(number).map { "\($0) (\(number))" } ?? "port \(number)")
        }
        return AdminOrder(content.payload).map { "admin order \($0.variant)" } ?? "an admin order that cannot be read"
    }
}
