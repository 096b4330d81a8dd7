import Gateway
import MeshModel
import MeshProtocol
import Platform

// What clients say. No client waits in vain: whatever is not done is answered.
//
// 1. Each packet has one queue status, with its id and the result 0, as firmware does even for what it then refuses.
// 2. A request has one answer. A refusal takes its place.
// 3. A packet that comes again is answered as before, and not sent.

extension ShareLoop {
    /// Packets of one client that wait for their outcome: more than any program has at a time.
    private static let mostPending = 64

    func take(_ message: ToRadio, _ raw: [UInt8], from client: ShareClient) {
        client.hasSpoken = true
        switch message {
        case .wantConfig(let nonce): client.want(nonce)
        // Whatever its number: with 1 a radio would announce itself to the mesh.
        case .heartbeat: client.tellAtOnce(queueStatus(for: client, about: 0))
        case .disconnect: client.leavesBy = now + LeavingConnections.patience
        case .packet(let packet): take(packet, raw, from: client)
        // Files and a broker's messages are the gateway's business.
        case .other, .empty: break
        }
    }

    private func take(_ read: MeshPacket, _ raw: [UInt8], from client: ShareClient) {
        guard let packet = ClientPacket(inToRadio: raw) else {
            // It says something twice, of which a radio would take the one or the other.
            client.answer(queueStatus(for: client, about: read.id))
            return refuse(nil, read.id, of: client, .badRequest)
        }
        if packet.id == 0 { client.leavesIDs = true }
        switch client.packets[packet.id] {
        case .waiting(let times):
            client.packets[packet.id] = .waiting(again: times + 1)
        case .ordered: client.answer(queueStatus(for: client, about: packet.id))
        case .answered(let error):
            client.answer(queueStatus(for: client, about: packet.id))
            if let error { reply(to: packet.id, of: client, .routing, Routing.error(error).encoded()) }
        case nil where client.pending >= Self.mostPending: conclude(packet, of: client, .refused(.rateLimitExceeded))
        case nil where packet.content?.port == .admin: administer(packet, from: client)
        case nil: submit(packet, from: client)
        }
    }

    // MARK: For the mesh

    private func submit(_ packet: ClientPacket, from client: ShareClient) {
        // What needs no radio is answered in the order of the client's packets.
        if let answer = gateway.answerInPlace(to: packet, right: client.right, of: client.radio.source) {
            return conclude(packet, of: client, answer)
        }
        client.packets[packet.id] = .waiting(again: 0)
        client.pending += 1
        let request = PendingRequest(client: client.id, packet: packet, isAdmin: false, isGetter: false)
        gateway.submit(packet, by: client.sender, right: client.right, to: client.radio.source) { [inbox] in
            inbox.add(.submitted(request, $0))
        }
    }

    // MARK: For a radio's settings

    private func administer(_ packet: ClientPacket, from client: ShareClient) {
        let radio = client.radio
        let shown = client.shown ?? radio.handshake?.radio.shown()
        if client.shown == nil { client.shown = shown }
        let order = packet.content.flatMap { AdminOrder($0.payload) }
        let isGetter = packet.to == radio.own && order?.kind == .getter
        if !isGetter { client.packets[packet.id] = .ordered }
        client.pending += 1
        client.answer(queueStatus(for: client, about: packet.id))
        let request = PendingRequest(
            client: client.id, packet: packet, isAdmin: true, isGetter: isGetter,
            orderer: isGetter ? nil : client.refused)
        gateway.administer(packet, by: client.sender, right: client.right, shown: shown, of: radio.source) { [inbox] in
            inbox.add(.administered(request, $0))
        }
    }

    // MARK: Outcomes

    func take(_ event: ShareInbox.Event) {
        switch event {
        case .submitted(let request, let outcome):
            guard let client = asker(request) else { return }
            conclude(request.packet, of: client, outcome)
        case .administered(let request, let outcome):
            guard let client = asker(request) else { return concludeUnheard(request, outcome) }
            conclude(request, of: client, outcome)
        case .narrowed(let rights): narrow(to: rights)
        }
    }

    /// Nil: it has left meanwhile, which changes nothing of what it has sent.
    private func asker(_ request: PendingRequest) -> ShareClient? {
        let client = clients.first { $0.id == request.client }
        client?.pending -= 1
        return client
    }

    private func conclude(_ packet: ClientPacket, of client: ShareClient, _ outcome: Submission) {
        var repetitions = 0
        if case .waiting(let times)? = client.packets[packet.id] { repetitions = times }
        switch outcome {
        case .queued(let id, let free):
            count(client, isRefused: false)
            client.packets[id] = .answered(nil)
            for _ in 0...repetitions { client.answer(queueStatus(for: client, about: id, free: free)) }
        case .repeated(let free):
            client.packets[packet.id] = .answered(nil)
            for _ in 0...repetitions { client.answer(queueStatus(for: client, about: packet.id, free: free)) }
        case .refused(let error):
            client.packets[packet.id] = .answered(error)
            for _ in 0...repetitions { client.answer(queueStatus(for: client, about: packet.id)) }
            refuse(packet, packet.id, of: client, error)
        case .taken:
            for _ in 0...repetitions { client.answer(queueStatus(for: client, about: packet.id)) }
            acknowledge(packet, of: client)
        case .answered(let port, let payload):
            count(client, isRefused: false)
            client.packets[packet.id] = .answered(nil)
            for _ in 0...repetitions { client.answer(queueStatus(for: client, about: packet.id)) }
            reply(to: packet.id, of: client, port, payload)
        }
    }

    /// The client has left: the log says why its order was not done.
    private func concludeUnheard(_ request: PendingRequest, _ outcome: Administration) {
        guard let orderer = request.orderer else { return }
        let (error, why): (RoutingError, String?)
        switch outcome {
        case .refused(let refusal), .submitted(.refused(let refusal)): (error, why) = (refusal, nil)
        case .declined(let refusal, let words): (error, why) = (refusal, words)
        case .answer, .done, .taken, .submitted: return
        }
        board.count(orderer.port) { $0.refusedPackets += 1 }
        // Programs that leave have ordered something of the radio itself.
        let words = why ?? RefusalWords.of(request.packet, error, orderer.right, own: request.packet.to)
        logRefusal(of: request.packet, to: orderer, error, words)
    }

    private func conclude(_ request: PendingRequest, of client: ShareClient, _ outcome: Administration) {
        let packet = request.packet
        switch outcome {
        case .answer(let payload):
            count(client, isRefused: false)
            let told = SharedFrames.answer(payload, isManaged: client.isManaged)
            reply(to: packet.id, of: client, .admin, told)
        case .done:
            count(client, isRefused: false)
            acknowledge(packet, of: client)
        case .taken: acknowledge(packet, of: client)
        case .refused(let error), .submitted(.refused(let error)):
            if !request.isGetter { client.packets[packet.id] = .answered(error) }
            let isOfRadio = request.isGetter && error != .notAuthorized && error != .rateLimitExceeded
            refuse(packet, packet.id, of: client, error, isOfRadio: isOfRadio)
        case .declined(let error, let why):
            client.packets[packet.id] = .answered(error)
            refuse(packet, packet.id, of: client, error, why: why)
        case .submitted(.queued(let id, _)):
            count(client, isRefused: false)
            client.packets[id] = .answered(nil)
        case .submitted(.repeated), .submitted(.taken), .submitted(.answered):
            client.packets[packet.id] = .answered(nil)
        }
    }
}
