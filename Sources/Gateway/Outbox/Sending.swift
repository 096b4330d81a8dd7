import MeshModel
import MeshProtocol
import RadioLink
import Store

// From a client's text to the radio: a row of the outbox first, then the queue in memory, then the link's question for
// the next packet.

extension AttachedRadio {
    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        let (outbox, session) = giving
        switch outbox.next(at: now, queueFree: queueFree, in: session) {
        case .send(let packet): return .send(packet)
        case .pass(let packet): return .pass(packet)
        case .wait(let time): return .wait(until: time)
        case .waitForRoom: return .waitForRoom
        case .note(let id, let attempts):
            note(id, attempts: attempts, in: outbox)
            // Others need not wait for that.
            return nextPacket(at: now, queueFree: queueFree)
        }
    }

    /// Notes on disk that a text goes out, before it does (OutboxQueue, 4).
    private func note(_ id: PacketID, attempts: Int, in outbox: SourceOutbox) {
        let (source, now, clock) = (outbox.source, clock(), monotonic())
        store.enqueue(
            .immediate,
            { writer in
                try writer.updateOutbox(packetID: id, in: source) { $0.noteHanding(attempts, at: now, clock) }
            },
            done: { [self] result in
                // It fails when the store is closed, not because of a disk: what waits for it is left to the next session.
                guard case .success = result else { return }
                outbox.noted(id, at: monotonic())
                wake()
            })
    }

    /// Sends a text once only. The writer makes one change after the other, so the second request finds the first one's answer.
    func send(
        _ text: OutgoingText, by sender: Sender, to source: SourceID, once: SendOnce
    ) throws(SendRefusal) -> AcceptedSend {
        let (send, accepted) = try stored { [self] writer -> (AcceptedSend, AcceptedTexts?) in
            let now = clock()
            if let known = try writer.acceptedSend(once.key, by: once.token, at: now) { return (known, nil) }
            let accepted = try accept(text, by: sender, writer, in: source)
            let send = once.answer(accepted.messages)
            try writer.insert(send, under: once.key, by: once.token, at: now)
            return (send, accepted)
        }
        if let accepted { release(accepted, to: source) }
        return send
    }

    /// - Returns: what was stored.
    func stored<T: Sendable>(
        _ change: @escaping @Sendable (Writer) throws -> T
    ) throws(SendRefusal) -> T {
        do {
            return try store.commit(change)
        } catch let refusal as SendRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
    }

    /// They are on disk.
    func release(_ accepted: AcceptedTexts, to source: SourceID) {
        hasIntroduced(accepted.entries, in: source)
        queue(accepted.entries, of: source, session: accepted.session)
    }

    /// These are in the outbox on disk.
    ///
    /// - Parameter session: in which they were noted as going out; when it has ended, they have not.
    func queue(_ entries: [OutboxQueue.Entry], of source: SourceID, session: AttachedSession? = nil) {
        guard let radio = radios?.feeding(source) else { return }
        let outbox = outboxes.of(source)
        let unwritten = outbox.append(entries, notedIn: session)
        if !unwritten.isEmpty {
            store.enqueue(
                .immediate,
                { writer in
                    // What a radio that has come meanwhile is being given has a note of its own by now.
                    try writer.noteUnwritten(outbox.putRight(unwritten).map { ($0, 0) }, in: source)
                })
        }
        radio.wake()
    }

    /// These were noted as given to the radio, and were not.
    func noteUnwritten(_ unwritten: [(id: PacketID, attempts: Int)], of source: SourceID) {
        guard !unwritten.isEmpty else { return }
        store.enqueue(.immediate, { try $0.noteUnwritten(unwritten, in: source) })
    }

    /// What waited for this goes out now.
    func release(_ hold: OutboxItem.Hold, for node: NodeNumber, in outbox: SourceOutbox) {
        let released = outbox.release(hold, for: node)
        guard !released.isEmpty else { return }
        store.enqueue(
            .grouped,
            { writer in
                for id in released { try writer.updateOutbox(packetID: id, in: outbox.source) { $0.hold = nil } }
                // The rows may have been read since, when they still had it.
                _ = outbox.release(hold, for: node)
            })
        wake()
    }

    /// On the writer thread, behind the adoption of a radio that has identified itself meanwhile.
    func accept(
        _ text: OutgoingText, by sender: Sender, _ writer: Writer, in source: SourceID
    ) throws -> AcceptedTexts {
        let outlook = try outlook(of: source, writer, mayWait: text.waits, port: text.port)
        let text = try addressed(text, writer, in: source)
        let packets = try text.packets(from: outlook.own, hopLimit: outlook.hopLimit, writer, in: source)
        let hold = try keyHold(on: text.destination, writer, in: source) ?? (text.untilHeard ? .unheard : nil)
        return try accept(
            Array(zip(text.parts, packets)), by: sender, hold: hold, lifetime: text.lifetime, outlook, writer,
            in: source)
    }

    /// The parts of one text become rows. On the writer thread.
    ///
    /// - Parameter lifetime: milliseconds.
    func accept(
        _ parts: [(text: String, packet: MeshPacket)], by sender: Sender, hold: OutboxItem.Hold?, lifetime: Int64,
        _ outlook: Outlook, _ writer: Writer, in source: SourceID
    ) throws -> AcceptedTexts {
        let now = clock()
        var accepted = AcceptedTexts(session: outlook.session)
        if hold == nil, let first = parts.first?.packet {
            accepted.entries = try introduction(before: first, writer, in: source, at: now)
        }
        for (index, (text, packet)) in parts.enumerated() {
            var message = Message(
                ownText: text, packet: packet, partsToCome: parts.count - 1 - index, at: now)
            if parts.count > 1 {
                message.part = Message.Part(first: parts[0].packet.id, number: index + 1, count: parts.count)
            }
            message.sender = sender
            message.createdAt = try writer.receiptTime(now, in: source)
            try writer.insertMessage(message, in: source)
            let entry = try insert(
                OutboxItem(packet: packet, expiresAt: now + lifetime, hold: hold, sender: sender, createdAt: now),
                leavesNow: index == 0 && outlook.isFree, writer, in: source)
            accepted.entries.append(entry)
        }
        accepted.messages = try parts.compactMap {
            try writer.message(packetID: $0.packet.id, from: $0.packet.from, in: source)
        }
        return accepted
    }

    /// The text with the node that it is sent to: a node that came back under another number is written to there.
    private func addressed(_ text: OutgoingText, _ writer: Writer, in source: SourceID) throws -> OutgoingText {
        guard case .node(let number) = text.destination else { return text }
        var text = text
        text.destination = .node(try writer.presentNumber(of: number, in: source))
        return text
    }

    /// What a text to a node waits for whose key is in doubt; throws when it is not accepted at all.
    func keyHold(
        on destination: OutgoingText.Destination, _ writer: Writer, in source: SourceID
    ) throws -> OutboxItem.Hold? {
        guard case .node(let number) = destination, try writer.node(number, in: source)?.isKeyInDoubt == true else {
            return nil
        }
        switch keyChange.withLock({ $0 }) {
        case .refuse: throw SendRefusal.keyInDoubt(number)
        case .hold: return .keyInDoubt
        case .send: return nil
        }
    }

    /// Puts an own text into the outbox; when it can leave at once, with the note that it does.
    func insert(
        _ item: OutboxItem, leavesNow: Bool, _ writer: Writer, in source: SourceID
    ) throws -> OutboxQueue.Entry {
        var item = item
        let clock = monotonic()
        let isNoted = leavesNow && item.hold == nil
        if isNoted { item.noteHanding(1, at: item.createdAt, clock) }
        try writer.insertOutbox(item, in: source)
        var entry = OutboxQueue.Entry(packet: item.packet)
        entry.sender = item.sender
        entry.resends = item.resends
        entry.hold = item.hold
        entry.state = isNoted ? .noted(at: clock) : .waiting
        entry.attempts = item.attempts
        entry.notBefore = clock + nanoseconds(item.notBefore - item.createdAt)
        entry.deadline = item.expiresAt.map { clock + nanoseconds($0 - item.createdAt) } ?? .max
        return entry
    }

    /// Who sends, and whether now.
    struct Outlook {
        var own: NodeNumber
        var hopLimit: UInt32
        /// The next text leaves at once.
        var isFree: Bool
        var session: AttachedSession
    }

    /// - Parameters:
    ///   - mayWait: the radio need not be there, once it has been; but some link must wait for it.
    ///   - reserved: places that this text itself has reserved: others on their way to the disk come first.
    func outlook(
        of source: SourceID, _ writer: Writer, mayWait: Bool, port: PortNumber = .textMessage, reserved: Int = 0
    ) throws -> Outlook {
        let clock = monotonic()
        let here = attachment
        if let snapshot = here.present(source) {
            guard !snapshot.isTransmitDisabled else { throw SendRefusal.transmitDisabled }
            let isFree =
                here.link == .live && here.outbox.isFree(for: port, besides: reserved, at: clock, in: here.session)
            return Outlook(
                own: snapshot.number, hopLimit: snapshot.lora?.effectiveHopLimit ?? 3, isFree: isFree,
                session: here.session)
        }
        guard mayWait, radios?.feeding(source) != nil,
            let known = try writer.source(source), let own = known.nodeNumber
        else { throw SendRefusal.notConnected }
        return Outlook(own: own, hopLimit: known.lora?.effectiveHopLimit ?? 3, isFree: false, session: here.session)
    }
}

struct AcceptedTexts: Sendable {
    var messages: [Message] = []
    var entries: [OutboxQueue.Entry] = []
    var session: AttachedSession

    /// The text is to go out as its client wrote it.
    mutating func keep(_ bytes: ClientPacket) {
        for place in entries.indices where entries[place].packet.id == bytes.id { entries[place].bytes = bytes }
    }
}

extension Writer {
    fileprivate func noteUnwritten(_ unwritten: [(id: PacketID, attempts: Int)], in source: SourceID) throws {
        for (id, attempts) in unwritten {
            try updateOutbox(packetID: id, in: source) { item in
                item.state = attempts == 0 ? .waiting : .handed
                item.attempts = attempts
            }
        }
    }
}

extension OutboxItem {
    fileprivate mutating func noteHanding(_ attempts: Int, at now: Int64, _ clock: MonotonicTime) {
        state = .handed
        self.attempts = attempts
        handedAt = now
        handedClock = clock
    }
}

/// Of milliseconds, which may be negative: then none.
func nanoseconds(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(max(0, min(milliseconds, 1 << 43))) * 1_000_000
}
