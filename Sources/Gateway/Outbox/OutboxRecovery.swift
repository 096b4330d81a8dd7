import MeshModel
import RadioLink
import Store

// What becomes of the outbox's rows when a radio identifies itself, and after a restart.
//
// Not yet given to the radio: it is still to be sent. Taken by the radio, as its queue status said: it is not sent again.
// In between nobody knows. Within two minutes the same packet is given once more, because the radio ignores an id that
// is among its last twenty (SerialReference 3.2); later it could be sent twice, so that a person has to decide.

extension OutboxItem {
    /// Milliseconds in which a packet may be repeated under its id.
    static let repetitionWindow: Int64 = 120_000

    /// How the item goes on; nil: not at all.
    ///
    /// - Parameters:
    ///   - now: host milliseconds.
    ///   - clock: nanoseconds since the host's start.
    ///   - patience: nanoseconds from the handing on in which a word about it can still come.
    func entry(at now: Int64, _ clock: MonotonicTime, patience: MonotonicTime) -> OutboxQueue.Entry? {
        var entry = OutboxQueue.Entry(packet: packet)
        entry.sender = sender
        entry.resends = resends
        entry.hold = hold
        entry.attempts = attempts
        switch state {
        case .waiting:
            if let expiresAt {
                guard now < expiresAt else { return nil }
                // By a clock that is behind it would wait for years.
                entry.deadline = clock + nanoseconds(min(expiresAt - now, expiresAt - createdAt))
            }
            // A clock that was set back must not keep it waiting.
            entry.notBefore = clock + nanoseconds(min(notBefore - now, 60_000))
        case .handed where packet.port.isText:
            let left = timeToRepeat(at: now, clock)
            guard left > 0, attempts < 2 else { return nil }
            entry.mayHaveLeft = true
            entry.deadline = clock + nanoseconds(left)
        case .handed:
            guard expiresAt.map({ now < $0 }) ?? true else { return nil }
            entry.deadline = expiresAt.map { clock + nanoseconds($0 - now) } ?? .max
        case .accepted:
            let left = Int64(patience / 1_000_000) - max(0, now - (handedAt ?? now))
            entry.state = .accepted
            entry.deadline = clock + nanoseconds(left)
        }
        return entry
    }

    /// Milliseconds of the window that are left. Both clocks must agree, as the one may have been set and the other
    /// starts again with the host.
    private func timeToRepeat(at now: Int64, _ clock: MonotonicTime) -> Int64 {
        guard let handedAt, now >= handedAt else { return 0 }
        var elapsed = now - handedAt
        if let handedClock, clock >= handedClock { elapsed = max(elapsed, Int64((clock - handedClock) / 1_000_000)) }
        return Self.repetitionWindow - elapsed
    }
}

extension AttachedRadio {
    /// After a start: what waits can expire before any radio is there.
    func readOutbox() {
        let outbox = fed.outbox
        store.enqueue(
            .immediate,
            { [self] writer in
                outbox.load(try recoverOutbox(of: outbox.source, own: nil, lora: nil, writer))
            })
    }

    /// Reads the outbox of a source, gives up what has waited too long, and returns the rest. On the writer thread.
    ///
    /// - Parameter own: the radio's present number, which may have changed since; nil: not known.
    func recoverOutbox(
        of source: SourceID, own: NodeNumber?, lora: LoRaSettings?, _ writer: Writer
    ) throws -> [OutboxQueue.Entry] {
        let (now, clock) = (clock(), monotonic())
        let patience = patience(lora)
        var entries: [OutboxQueue.Entry] = []
        for item in try writer.outbox(in: source) {
            guard var entry = item.entry(at: now, clock, patience: patience) else {
                try writer.giveUp(
                    item.packetID, because: item.state == .waiting ? .expired : .uncertain, in: source, at: now)
                continue
            }
            if let own {
                if entry.packet.to == entry.packet.from { entry.packet.to = own }
                entry.packet.from = own
            }
            entries.append(entry)
        }
        return entries
    }

    /// Nanoseconds.
    func patience(_ lora: LoRaSettings?) -> MonotonicTime {
        MonotonicTime((lora ?? LoRaSettings(usePreset: false)).patience * 1e9)
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? {
        let outbox = fed.outbox
        let (expired, next) = outbox.expire(at: now)
        for entry in expired {
            let cause: Delivery.Cause =
                entry.state == .accepted ? .noAnswer : entry.mayHaveLeft ? .uncertain : .expired
            let time = clock()
            store.enqueue(
                .immediate, { try $0.giveUp(entry.packet.id, because: cause, in: outbox.source, at: time) },
                done: { _ in outbox.stored(entry.packet.id, isEnd: true) })
        }
        return [next, expireEdit(at: now)].compactMap(\.self).min()
    }
}

extension Writer {
    /// Nothing more is done for a packet. A message that somebody has repeated or acknowledged stays as it is.
    func giveUp(_ id: PacketID, because cause: Delivery.Cause, in source: SourceID, at now: Int64) throws {
        try removeOutbox(packetID: id, in: source)
        try updateDelivery(of: id, in: source, at: now) { $0.giveUp(cause) }
    }
}
