import MeshModel
import MeshProtocol
import Store

// A person looks at a key. What is decided is on disk before anybody is told, and reaches the radio by admin packets to
// itself, which wait in the outbox like any other packet.

/// What becomes of a direct message to a node for which another key than the known one was seen.
public enum KeyChangePolicy: String, CaseIterable, Sendable {
    /// It is not accepted.
    case refuse
    /// It waits until a person has decided.
    case hold
    /// It goes out under the known key; who has another one cannot read it.
    case send
}

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
    /// It could not be written to disk; the text says why.
    case storage(String)
}

extension AttachedRadio {
    func decide(_ decision: KeyDecision, of number: NodeNumber, in source: SourceID) throws(KeyRefusal) -> Node {
        let now = clock()
        let outcome: DecidedKey
        do {
            outcome = try store.commit { [self] writer in
                try decide(decision, of: number, writer, in: source, at: now)
            }
        } catch let refusal as KeyRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        switch decision {
        case .accept:
            logger.notice(
                "key-accepted: the key that was seen last for \(number.id) is its key now",
                fields: ["node": number.id])
        case .verify:
            logger.notice(
                "key-verified: the key of \(number.id) was compared in person", fields: ["node": number.id])
        }
        hasIntroduced(outcome.contact, in: source)
        queue(outcome.contact, of: source)
        // The radio may have moved to another link meanwhile.
        guard let radio = feeds(source) ? self : radios?.feeding(source) else { return outcome.node }
        radio.state.withLock { if $0.source == source { $0.outbox.renew(outcome.released) } }
        radio.wake()
        return outcome.node
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
    /// keeps its packet id.
    private func release(_ outcome: inout DecidedKey, _ writer: Writer, in source: SourceID, at now: Int64) throws {
        let number = outcome.node.number
        for item in try writer.outbox(in: source) where item.hold == .keyInDoubt && item.packet.to == number {
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
        state.withLock { $0.source == source && $0.radioKeys[node.number] == node.publicKey }
    }
}

private struct DecidedKey: Sendable {
    var node: Node
    /// What the radio is told.
    var contact: [OutboxQueue.Entry] = []
    /// Messages that waited for the decision.
    var released: [OutboxQueue.Entry] = []
}
