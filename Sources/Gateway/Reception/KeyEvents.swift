import MeshModel
import Store
import Synchronization

/// What has come to light about a node's key. Told once, in the log.
enum KeyEvent: Hashable, CustomStringConvertible {
    case changed(NodeNumber)
    /// Another key was announced for a node whose key a person has decided to keep: nobody is asked again.
    /// Otherwise a sender of one new key after the other would ask people each time.
    case announced(NodeNumber)
    case restored(NodeNumber)
    case renumbered(from: NodeNumber, to: NodeNumber)
    case duplicate(NodeNumber, NodeNumber)

    /// What a node's row says about its key, as far as an event can come of it.
    struct State: Hashable {
        let number: NodeNumber
        let announcedKey: PublicKey?
        let isInDoubt: Bool
        let isKeyDuplicate: Bool
        let successor: NodeNumber?
        let predecessor: NodeNumber?

        init(_ node: Node) {
            number = node.number
            (announcedKey, isInDoubt) = (node.announcedKey, node.isKeyInDoubt)
            isKeyDuplicate = node.isKeyDuplicate
            (successor, predecessor) = (node.successor, node.predecessor)
        }
    }

    /// The events between two states of a node's row.
    static func between(_ before: State?, _ after: State?) -> [KeyEvent] {
        guard let after, before != after else { return [] }
        var events: [KeyEvent] = []
        if after.announcedKey != nil, after.announcedKey != before?.announcedKey {
            events.append(after.isInDoubt ? .changed(after.number) : .announced(after.number))
        }
        if before?.isInDoubt == true, after.announcedKey == nil { events.append(.restored(after.number)) }
        if after.isKeyDuplicate {
            if before?.isKeyDuplicate != true, let other = after.successor ?? after.predecessor {
                events.append(.duplicate(after.number, other))
            }
        } else if let old = after.predecessor, old != before?.predecessor {
            events.append(.renumbered(from: old, to: after.number))
        } else if let new = after.successor, new != before?.successor {
            events.append(.renumbered(from: after.number, to: new))
        }
        return events
    }

    var node: NodeNumber {
        switch self {
        case .changed(let node), .announced(let node), .restored(let node), .renumbered(_, let node),
            .duplicate(let node, _):
            node
        }
    }

    /// The word with which ``description`` begins.
    var name: String {
        switch self {
        case .changed: "key-changed"
        case .announced: "key-announced"
        case .restored: "key-restored"
        case .renumbered: "node-renumbered"
        case .duplicate: "key-duplicate"
        }
    }

    var isWarning: Bool {
        switch self {
        case .changed, .duplicate: true
        case .announced, .restored, .renumbered: false
        }
    }

    var description: String {
        switch self {
        case .changed(let node):
            "key-changed: another key than the known one was seen for \(node.id). Compare them and decide: "
                + "mesh-gateway keys verify '\(node.id)' shows both, mesh-gateway keys accept '\(node.id)' takes the "
                + "other one"
        case .announced(let node):
            "key-announced: another key was announced for \(node.id), and the known one stays, as was decided. To decide "
                + "again: mesh-gateway keys verify '\(node.id)' shows both, mesh-gateway keys accept '\(node.id)' takes "
                + "the other one"
        case .restored(let node): "key-restored: \(node.id) was heard under its known key, and nothing else counts"
        case .renumbered(let old, let new):
            "node-renumbered: \(new.id) has the key of \(old.id), which it probably was before"
        case .duplicate(let one, let other):
            "key-duplicate: \(one.id) and \(other.id) have the same key, and both are heard: each can read what is "
                + "encrypted for the other"
        }
    }
}

/// Looks at a node's row before and after a change, stores what that says about its key with the row, and keeps it until the
/// change is on disk.
final class KeyWatch: Sendable {
    private let node: NodeNumber
    private let bringsKey: Bool
    /// Host milliseconds.
    private let now: Int64
    private let found = Mutex<[KeyEvent]>([])

    /// - Parameter bringsKey: the change may see a key of the node; else only that of a node with a twin is looked at, which
    ///   may be heard as well.
    init(_ node: NodeNumber, bringsKey: Bool, at now: Int64) {
        (self.node, self.bringsKey, self.now) = (node, bringsKey, now)
    }

    var events: [KeyEvent] { found.withLock { $0 } }

    /// On the writer thread. When the disk fails, the change runs again: the last time counts.
    func observing(_ writer: Writer, in source: SourceID, _ change: () throws -> Void) throws {
        guard try bringsKey || writer.node(node, in: source, \.twin) != nil else { return try change() }
        let before = try writer.node(node, in: source, KeyEvent.State.init)
        try change()
        let after = try writer.node(node, in: source, KeyEvent.State.init)
        let events = KeyEvent.between(before, after)
        for event in events {
            try writer.insert(
                Happening(
                    .key, at: now, source: source, node: event.node, name: event.name, text: "\(event)"))
        }
        found.withLock { $0 = events }
    }
}

extension AttachedRadio {
    func tell(_ watch: KeyWatch) {
        for event in watch.events {
            logger.log(
                event.isWarning ? .warning : .notice, "\(event)", fields: ["node": event.node.id, "event": event.name])
            tell(.key(event.node, name: event.name, text: "\(event)"))
            if case .restored(let node) = event { release(.keyInDoubt, for: node, in: fed.outbox) }
        }
    }
}
