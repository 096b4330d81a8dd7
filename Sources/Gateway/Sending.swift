import MeshModel
import MeshProtocol
import RadioLink
import Store

// From a client's text to the radio: a row of the outbox first, then the queue in memory, then the link's question for
// the next packet.

extension AttachedRadio {
    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        state.withLock { state in
            guard state.isAdopted else { return .wait(until: nil) }
            return switch state.outbox.next(at: now, queueFree: queueFree) {
            case .send(let packet): .send(packet)
            case .wait(let time): .wait(until: time)
            }
        }
    }

    func send(_ text: OutgoingText, to source: SourceID) throws(SendRefusal) -> [Message] {
        guard state.withLock({ $0.takesPackets(of: source) }) else { throw .notConnected }
        let accepted: [(message: Message, packet: MeshPacket)]
        do {
            accepted = try store.commit { [self] writer in try accept(text, writer, in: source) }
        } catch let refusal as SendRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        queue(accepted.map(\.packet), of: source)
        return accepted.map(\.message)
    }

    /// These are in the outbox on disk.
    func queue(_ packets: [MeshPacket], of source: SourceID) {
        state.withLock { state in
            guard state.source == source else { return }
            for packet in packets { state.outbox.append(packet) }
        }
        wake()
    }

    /// On the writer thread, behind the adoption of a radio that has identified itself meanwhile.
    private func accept(
        _ text: OutgoingText, _ writer: Writer, in source: SourceID
    ) throws -> [(message: Message, packet: MeshPacket)] {
        let adopted = state.withLock { $0.source == source ? $0.snapshot : nil }
        guard let snapshot = adopted else { throw SendRefusal.notConnected }
        guard !snapshot.isTransmitDisabled else { throw SendRefusal.transmitDisabled }
        let text = try addressed(text, writer, in: source)
        let packets = try text.packets(from: snapshot, writer, in: source)
        let now = clock()
        return try packets.enumerated().map { index, packet in
            let message = Message(
                ownText: text.parts[index], packet: packet, partsToCome: packets.count - 1 - index, at: now)
            try writer.insertMessage(message, in: source)
            try writer.insertOutbox(OutboxItem(packet: packet, createdAt: now), in: source)
            guard let stored = try writer.message(packetID: packet.id, from: packet.from, in: source) else {
                throw SendRefusal.storage("the message is not in the database")
            }
            return (stored, packet)
        }
    }
}

extension AttachedRadio {
    /// The text for whom it reaches: a node that came back under another number is written to there.
    private func addressed(_ text: OutgoingText, _ writer: Writer, in source: SourceID) throws -> OutgoingText {
        guard case .node(let number) = text.destination else { return text }
        var text = text
        let recipient = try writer.presentNumber(of: number, in: source)
        text.destination = .node(recipient)
        if keyChange == .refuse, try writer.node(recipient, in: source)?.isKeyInDoubt == true {
            throw SendRefusal.keyInDoubt(recipient)
        }
        return text
    }
}

extension AttachedRadio.State {
    /// The radio of this source has told who it is, and is there.
    func takesPackets(of source: SourceID) -> Bool {
        self.source == source && isResponsive && (link == .live || link == .configuring)
    }
}
