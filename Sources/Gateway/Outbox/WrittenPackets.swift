import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

// What happens to own packets at the link: they are written, the radio's queue answers for them, and what was heard about
// them changes messages on disk first and the queue in memory then.

extension AttachedRadio {
    /// The last byte of a packet was written.
    func written(_ id: PacketID) {
        let (now, time) = (clock(), monotonic())
        let here = attachment
        let (source, own) = (here.source, here.own)
        let entry = here.outbox.handed(id, at: time, patience: patience(here.lora))
        let volatile = entry?.isVolatile == true ? entry?.packet : nil
        if let entry {
            packets.count(entry.packet.port, of: source, isSent: true)
            tellOwn(entry, from: own, at: now)
        }
        let isTold = Atomic(false)
        enqueue(.grouped) { [self] writer, source in
            if let volatile = volatile?.startingHere {
                try writer.logPacket(volatile, direction: .tx, in: source, at: now)
                if !isTold.exchange(true, ordering: .relaxed) { tell(.sent(volatile), in: source) }
            }
            guard let item = try writer.outbox(of: id, in: source).first else { return }
            // Once: the radio does not transmit again what it knows. A text was noted before it was written.
            if item.attempts == (item.packet.port.isText ? 1 : 0) {
                var packet = item.packet.withoutSecrets.startingHere
                packet.from = own ?? packet.from
                try writer.logPacket(packet, direction: .tx, in: source, at: now)
                if !isTold.exchange(true, ordering: .relaxed) { tell(.sent(packet), in: source) }
            }
            try writer.updateDelivery(of: id, in: source, at: now) { $0.raise(to: .handed) }
            guard !item.packet.port.isText else { return }
            try writer.updateOutbox(packetID: id, in: source) { item in
                item.state = .handed
                item.attempts += 1
                item.expiresAt = now + OutboxItem.repetitionWindow
            }
        }
    }

    func answered(_ status: QueueStatus) {
        let (now, lora) = (clock(), attachment.lora)
        recordDelivery(status.packetID, status.result == 0 ? .grouped : .immediate) { [self] writer, source in
            try recordDelivery(status, lora: lora, writer, in: source, at: now)
        }
    }

    /// The radio or the mesh has answered for one of our packets. In the queue that makes room for the next at once;
    /// the change tells what follows from it on disk, and then in the queue.
    ///
    /// - Parameter withheld: the answer, when those who watch the frames hear it only if nothing is sent again after it.
    func recordDelivery(
        _ id: PacketID, _ urgency: Store.Urgency, _ watch: KeyWatch? = nil, withheld: RadioFrame? = nil,
        delayed: (@Sendable () -> Void)? = nil,
        _ change: @escaping @Sendable (Writer, SourceID) throws -> Settlement
    ) {
        let outbox = fed.outbox
        let isWaiting = outbox.answered(id)
        defer { if isWaiting { wake() } }
        // When the disk fails, the change runs again: the last time counts.
        let outcome = Mutex<(source: SourceID, settlement: Settlement)?>(nil)
        store.enqueue(
            urgency,
            { [self] writer in
                guard let source = sourceFed else { return }
                // A radio that has moved to another link has brought its outbox along.
                if source != outbox.source { outboxes.of(source).accepted(id) }
                let settlement = try change(writer, source)
                outcome.withLock { $0 = (source, settlement) }
            }, delayed: delayed,
            done: { [self] result in
                outbox.stored(id, isEnd: false)
                guard isStored(result) else { return }
                if let watch { tell(watch) }
                let settled = outcome.withLock { $0 }
                tellWithheld(withheld, of: id, isSentAgain: settled?.settlement.again.isEmpty == false)
                guard let (source, settlement) = settled else { return }
                let again = settlement.again.map { bytesKept(of: id, as: $0, in: source) }
                if !settlement.ended.isEmpty { removeFromQueue(settlement.ended, of: source) }
                hasIntroduced(again, in: source)
                if !again.isEmpty { queue(again, of: source) }
            })
    }

    /// A text that goes out again says what its client wrote, under its new id.
    private func bytesKept(
        of id: PacketID, as entry: OutboxQueue.Entry, in source: SourceID
    ) -> OutboxQueue.Entry {
        guard entry.packet.port.isText else { return entry }
        let bytes = outboxes.of(source).entry(id)?.bytes
        var entry = entry
        entry.bytes = bytes?.sent(from: entry.packet.from, id: entry.packet.id)
        return entry
    }
}

extension MeshPacket {
    /// With the hop start that the radio gives its own packets.
    fileprivate var startingHere: MeshPacket {
        var packet = self
        packet.hopStart = hopLimit
        return packet
    }
}
