import Gateway
import MeshModel
import MeshProtocol

// What goes on at the radio, for all of its clients.

extension ShareLoop {
    func passFrames(of radio: SharedRadio) {
        let (frames, missed) = radio.frames()
        if missed > 0 { logger.warning("shared radio: \(missed) packets came faster than they could be passed on") }
        let clients = clients.filter { $0.radio === radio && $0.end == nil }
        for frame in frames { pass(frame, of: radio, to: clients) }
        for client in clients where client.output.count > ClientOutput.limit { client.end = .tooSlow }
    }

    private func pass(_ frame: RadioFrame, of radio: SharedRadio, to clients: [ShareClient]) {
        guard frame.raw.count <= StreamFrame.maximumLength else { return }
        switch frame.value {
        case .packet(let packet):
            // Values that the radio repeats for a client that has just connected are in the node_infos.
            guard !packet.isReplay else { return }
            // Answers to who administers hold secrets, and set what an app believes of the radio.
            let isPrivate = packet.decoded?.port == .admin
            let request = packet.decoded?.requestID ?? 0
            // An answer to a question during a handshake follows the handshake: it is no news that could be missed.
            let askers = clients.filter { !$0.isLive && $0.packets.contains(request) }
            for asker in askers where !isPrivate || asker.right == .admin { asker.answer(frame.raw) }
            tell(
                frame.raw,
                to: isPrivate ? clients.filter { $0.right == .admin && $0.packets.contains(request) } : clients)
        case .own(let packet, let sender):
            tell(frame.raw, to: clients.filter { !$0.hasSent(packet, by: sender) })
        case .notification(let notification):
            let asker = clients.filter { $0.packets.contains(notification.replyID ?? 0) }
            tell(frame.raw, to: asker.isEmpty ? clients : asker)
        case .handshake: settingsMayBeOthers(radio, clients)
        // Parts of the radio's own handshakes and of its file transfers, which concern the gateway alone.
        case .other(12), .other(14), .other(15), .other(17), .other(19), .mqttProxy: break
        case .other: tell(frame.raw, to: clients)
        }
    }

    private func tell(_ payload: [UInt8], to clients: [ShareClient]) {
        guard !clients.isEmpty else { return }
        let framed = StreamFrame.encode(payload)
        for client in clients { client.tell(framed: framed) }
    }

    /// There is a new handshake. A client whose settings differ gets a `rebooted` frame and reads them again, or is
    /// disconnected; the others get nothing.
    func settingsMayBeOthers(_ radio: SharedRadio, _ clients: [ShareClient]) {
        guard let digest = radio.handshake?.radio.digest else { return }
        for client in clients {
            guard let known = client.digest, known != digest else { continue }
            client.digest = digest
            if client.isLive { client.tellSettingsChanged() } else { client.pendingRebooted = true }
        }
    }

    /// Begins the next handshake that a client wants, when there is one to give.
    func start(_ client: ShareClient) {
        guard let nonce = client.wanted.first, let handshake = client.radio.handshakeNow else { return }
        client.wanted.removeFirst()
        client.phase = .handshake(
            HandshakeStream(nonce, client.radio.nodes(of: handshake, at: now), isManaged: client.isManaged))
        if nonce != ToRadio.nodesOnlyNonce || client.digest == nil {
            client.digest = handshake.radio.digest
            client.shown = handshake.radio.shown()
            client.pendingRebooted = false
        }
    }
}

extension ShareClient {
    /// Clients know what they have sent themselves.
    fileprivate func hasSent(_ packet: MeshPacket, by sender: Sender?) -> Bool {
        packets.contains(packet.id) || leavesIDs && sender == self.sender
    }
}
