import MeshModel
import MeshProtocol
import RadioLink
import Store

// A message that goes out once more: by itself when the radio dropped it, or because somebody asks for it. It is a new
// packet with a new id, as nodes ignore an id that they have seen; and taking a message back while that is possible.

/// When a refused text is taken up again by itself (SerialReference 6.2).
enum AutomaticResend {
    private static let limit = 5

    /// - Parameters:
    ///   - error: why it was refused.
    ///   - byRadio: by the own radio, and not by the recipient.
    ///   - saysKeyIsOld: by the recipient, for which it was encrypted with a key that it has no longer.
    ///   - resends: how often it was taken up again before.
    /// - Returns: milliseconds until then; nil: never.
    static func delay(
        after error: RoutingError, byRadio: Bool, saysKeyIsOld: Bool, resends: Int
    ) -> Int64? {
        switch error {
        // The radio dropped it: too soon after the one before, or its transmit queue was full.
        case .rateLimitExceeded where resends < limit && byRadio: 2_500
        // The recipient did not know our key, and has been told it by now.
        case .pkiUnknownPublicKey where resends == 0: 30_000
        case .noChannel where resends == 0 && saysKeyIsOld: 30_000
        default: nil
        }
    }
}

/// Why a message is not sent again, or not taken back.
public enum ResendRefusal: Error, Equatable {
    case notFound
    /// Somebody else's, or no text.
    case notOwn
    /// It waits for the radio, or a word about it is awaited.
    case underWay
    /// Its recipient has acknowledged it.
    case delivered
    /// The radio has it already.
    case tooLate
    case refused(SendRefusal)
}

extension AttachedRadio {
    /// Sends an own message once more, under a new packet id; with it the later parts that were given up because of it.
    ///
    /// - Returns: the message.
    func resend(
        messageID: String, waits: Bool, lifetime: Int64, in source: SourceID
    ) throws(ResendRefusal) -> Message {
        let outcome: (message: Message, entries: [OutboxQueue.Entry], session: AttachedSession)
        do {
            outcome = try store.commit { [self] writer in
                guard let message = try writer.message(id: messageID, in: source) else {
                    throw ResendRefusal.notFound
                }
                try check(message, writer, in: source)
                let outlook = try outlook(of: source, writer, mayWait: waits)
                let now = clock()
                let hold = try keyHold(on: message.outgoing.destination, writer, in: source)
                var entries: [OutboxQueue.Entry] = []
                for part in try [message] + writer.givenUpAfter(message, in: source) {
                    let packet = try part.outgoing.packets(
                        from: outlook.own, hopLimit: outlook.hopLimit, writer, in: source)[0]
                    let isFirst = entries.isEmpty
                    if isFirst, hold == nil { entries = try introduction(before: packet, writer, in: source, at: now) }
                    let item = OutboxItem(
                        packet: packet, expiresAt: now + lifetime, hold: hold, sender: part.sender, createdAt: now)
                    entries.append(
                        try attempt(part, item, leavesNow: outlook.isFree && isFirst, writer, in: source))
                    try writer.updateMessage(packetID: part.packetID, in: source, at: now) { message in
                        message.delivery = Delivery()
                        message.pkiEncrypted = packet.pkiEncrypted
                    }
                }
                let stored = try writer.message(id: message.id, in: source) ?? message
                return (stored, entries, outlook.session)
            }
        } catch let refusal as ResendRefusal {
            throw refusal
        } catch let refusal as SendRefusal {
            throw .refused(refusal)
        } catch {
            throw .refused(.storage("\(error)"))
        }
        hasIntroduced(outcome.entries, in: source)
        queue(outcome.entries, of: source, session: outcome.session)
        return outcome.message
    }

    private func check(_ message: Message, _ writer: Writer, in source: SourceID) throws {
        guard message.isOwn, message.port.isText, let delivery = message.delivery else {
            throw ResendRefusal.notOwn
        }
        if delivery.state == .confirmed { throw ResendRefusal.delivered }
        let ids = try writer.packetIDs(of: message, in: source)
        if try writer.outbox(in: source).contains(where: { ids.contains($0.packetID) }) {
            throw ResendRefusal.underWay
        }
    }

    /// Puts a new packet of a message into the outbox. On the writer thread.
    func attempt(
        _ message: Message, _ item: OutboxItem, leavesNow: Bool, _ writer: Writer, in source: SourceID
    ) throws -> OutboxQueue.Entry {
        try writer.insertAttempt(item.packetID, of: message, in: source, at: item.createdAt)
        outboxes.of(source).noteAttempt(item.packetID, of: message.packetID)
        return try insert(item, leavesNow: leavesNow, writer, in: source)
    }

    /// Takes an own message back that the radio does not have yet.
    ///
    /// - Returns: the message.
    func cancel(messageID: String, in source: SourceID) throws(ResendRefusal) -> Message {
        do {
            let (message, ids) = try store.commit { writer -> (Message, Set<PacketID>) in
                guard let message = try writer.message(id: messageID, in: source) else {
                    throw ResendRefusal.notFound
                }
                guard message.isOwn, message.delivery != nil else { throw ResendRefusal.notOwn }
                return (message, try writer.packetIDs(of: message, in: source))
            }
            // Once it is out of the queue in memory, the link cannot take it any more.
            let outbox = outboxes.of(source)
            let isAttached = radios?.feeding(source) != nil
            let entry = isAttached ? outbox.withdraw(ids) : nil
            defer { if let entry { outbox.stored(entry.packet.id, isEnd: true) } }
            let now = clock()
            do {
                return try store.commit { writer in
                    guard
                        let item = try writer.outbox(in: source).first(where: { ids.contains($0.packetID) }),
                        entry != nil || (!isAttached && item.state == .waiting)
                    else { throw ResendRefusal.tooLate }
                    // What the radio may have already is not given to it once more; that is all that can be done.
                    let cause: Delivery.Cause = entry?.mayHaveLeft == true ? .uncertain : .cancelled
                    try writer.giveUp(item.packetID, because: cause, in: source, at: now)
                    return try writer.message(id: message.id, in: source) ?? message
                }
            } catch {
                // Too late after all: a word about it came meanwhile, and it is not to go out once more.
                if let entry, !(error is ResendRefusal) {
                    outbox.putBack(entry)
                    radios?.feeding(source)?.wake()
                }
                throw error
            }
        } catch let refusal as ResendRefusal {
            throw refusal
        } catch {
            throw .refused(.storage("\(error)"))
        }
    }
}

extension Message {
    /// What is to be sent again.
    fileprivate var outgoing: OutgoingText {
        OutgoingText(
            parts: [text], destination: channel < 0 ? .node(to) : .channel(channel), replyID: replyID,
            isTapback: isTapback, port: port)
    }
}

extension Writer {
    /// The packet ids under which a message has gone out, or is to.
    func packetIDs(of message: Message, in source: SourceID) throws -> Set<PacketID> {
        Set(try attempts(of: message, in: source).map(\.packetID) + [message.packetID])
    }

    /// Later parts of the same text that were given up for this one's sake.
    fileprivate func givenUpAfter(_ message: Message, in source: SourceID) throws -> [Message] {
        guard let part = message.part else { return [] }
        return try parts(of: part.first, in: source).filter {
            ($0.part?.number ?? 0) > part.number && $0.delivery?.cause == .earlierPart
        }
    }
}
