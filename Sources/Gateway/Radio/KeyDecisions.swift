import MeshModel
import MeshProtocol
import Store

// A person looks at a key. What is decided is on disk before anybody is told, and reaches the radio by admin packets to
// itself, which wait in the outbox like any other packet.

public enum KeyDecision: Sendable {
    /// The other key, which was seen last, is the right one from now on.
    case accept
    /// The known key was compared in person.
    case verify
}

/// Why a decision about a key could not be taken.
public enum KeyRefusal: Error, Equatable {
    case noSuchNode
    /// No other key than the known one was seen.
    case nothingToAccept
    case noKey
    /// Another key was seen last than the one that was decided about.
    case anotherKey(PublicKey)
    /// It could not be written to disk; the text says why.
    case storage(String)
}

/// What came of a decision.
public struct DecidedKey: Sendable {
    /// As it is now.
    public internal(set) var node: Node
    /// How many packets that waited for the decision go out now.
    public var sent: Int { released.count }
    /// How many of them had waited for too long, and are refused.
    public internal(set) var refused = 0
    /// What goes to the radio.
    var contact: [OutboxQueue.Entry] = []
    /// What waited for the decision.
    var released: [OutboxQueue.Entry] = []
}

extension KeyDecision {
    /// As events and the log name it.
    fileprivate var event: String {
        switch self {
        case .accept: "key-accepted"
        case .verify: "key-verified"
        }
    }

    fileprivate func words(of node: NodeNumber) -> String {
        switch self {
        case .accept: "key-accepted: the key that was seen last for \(node.id) is its key now"
        case .verify: "key-verified: the key of \(node.id) was compared in person"
        }
    }
}

extension AttachedRadio {
    func decide(
        _ decision: KeyDecision, of number: NodeNumber, besides announced: PublicKey?, by sender: Sender,
        in source: SourceID
    ) throws(KeyRefusal) -> DecidedKey {
        let now = clock()
        let outcome: DecidedKey
        do {
            outcome = try store.commit { [self] writer in
                if let announced { try check(announced, of: number, writer, in: source) }
                let outcome = try decide(decision, of: number, writer, in: source, at: now)
                try writer.insert(
                    Happening(
                        .key, at: now, source: source, node: number, name: decision.event,
                        text: decision.words(of: number), by: sender))
                return outcome
            }
        } catch let refusal as KeyRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        let text = "\(decision.words(of: number)) (\(sender.text))"
        logger.notice(text, fields: ["node": number.id, "event": decision.event, "sender": sender.text])
        tell(.key(number, name: decision.event, text: text), in: source)
        hasIntroduced(outcome.contact, in: source)
        queue(outcome.contact, of: source)
        outboxes.of(source).renew(outcome.released)
        radios?.feeding(source)?.wake()
        return outcome
    }

    /// Somebody has looked at this key; meanwhile another one may have been seen, or none counts any more.
    private func check(
        _ announced: PublicKey, of number: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws {
        guard let node = try writer.node(number, in: source) else { throw KeyRefusal.noSuchNode }
        guard let present = node.announcedKey else { throw KeyRefusal.nothingToAccept }
        guard present == announced else { throw KeyRefusal.anotherKey(present) }
    }

    private func decide(
        _ decision: KeyDecision, of number: NodeNumber, _ writer: Writer, in source: SourceID, at now: Int64
    ) throws -> DecidedKey {
        guard let node = try writer.node(number, in: source) else { throw KeyRefusal.noSuchNode }
        switch decision {
        case .accept:
            guard let key = node.announcedKey else { throw KeyRefusal.nothingToAccept }
            try writer.updateNode(number, in: source, at: now) { $0.pin(key) }
            try writer.linkTwins(of: number, in: source, at: now)
        case .verify:
            guard node.publicKey != nil else { throw KeyRefusal.noKey }
            try writer.updateNode(number, in: source, at: now) { node in
                node.endKeyDoubt()
                node.isKeyManuallyVerified = true
            }
        }
        guard let decided = try writer.node(number, in: source) else { throw KeyRefusal.noSuchNode }
        let isKnownThere = knowsKey(of: decided, in: source)
        var outcome = DecidedKey(node: decided)
        if decision == .verify || !isKnownThere {
            outcome.contact = try writer.introduce(decided, replacing: !isKnownThere, in: source, at: now)
                .map { OutboxQueue.Entry(packet: $0) }
        }
        try release(&outcome, writer, in: source, at: now)
        outcome.node = try writer.node(number, in: source) ?? decided
        return outcome
    }

    /// What waited for the decision goes out under the key that counts now. It has not been with the radio, so that it
    /// keeps its packet id. What has waited for too long is given up at once.
    private func release(_ outcome: inout DecidedKey, _ writer: Writer, in source: SourceID, at now: Int64) throws {
        let number = outcome.node.number
        for item in try writer.outbox(in: source) where item.hold == .keyInDoubt && item.packet.to == number {
            if let end = item.expiresAt, end <= now {
                try writer.giveUp(item.packetID, because: .expired, in: source, at: now)
                outcome.refused += 1
                continue
            }
            try writer.removeOutbox(packetID: item.packetID, in: source)
            var released = item
            released.hold = nil
            released.createdAt = now
            released.packet.publicKey = outcome.node.publicKey
            outcome.released.append(try insert(released, leavesNow: false, writer, in: source))
        }
    }

    /// Whether the radio has the node's pinned key, as far as it has told since it was plugged in.
    private func knowsKey(of node: Node, in source: SourceID) -> Bool {
        guard let session = session(of: source) else { return false }
        return switch memory.key(of: node.number, in: session) {
        case .key(let key): key == node.publicKey
        case .none: node.publicKey == nil
        case .stale: false
        }
    }
}
