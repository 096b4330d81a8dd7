import MeshModel
import MeshProtocol
import RadioLink
import Store

// Favourite and ignored nodes are kept twice: in the database and in the radio, which protects the former from eviction
// and drops what the latter say. The database has what was decided last, here or at the radio (NodeRules); the radio
// is told by an admin packet to itself, which waits in the outbox like any other packet.

/// What a node can be made.
public enum NodeMark: String, CaseIterable, Sendable {
    case favorite
    case ignored

    func message(_ isSet: Bool, for node: NodeNumber) -> AdminMessage {
        switch (self, isSet) {
        case (.favorite, true): .setFavorite(node)
        case (.favorite, false): .removeFavorite(node)
        case (.ignored, true): .setIgnored(node)
        case (.ignored, false): .removeIgnored(node)
        }
    }
}

extension Gateway {
    /// What a favourite changes on the air, for the person who marks one: a sentence, or nil when it changes nothing there.
    /// A radio in the role CLIENT_BASE (12) treats favourites as its own nodes; no other mark has such a consequence.
    public func favoriteNotice(in source: SourceID) -> String? {
        guard snapshot(of: source)?.ownNode?.user?.role == 12 else { return nil }
        return "This radio is a CLIENT_BASE: it repeats what comes from or goes to its favourites at once, as a router "
            + "does. Mark only your own nodes."
    }
}

extension AttachedRadio {
    func set(
        _ mark: NodeMark, _ isSet: Bool, of node: NodeNumber, in source: SourceID, onRadio: Bool
    ) throws -> Bool {
        let now = clock()
        let outcome = try store.commit { writer -> (isKnown: Bool, packet: MeshPacket?, replaced: Set<PacketID>) in
            guard try writer.node(node, in: source) != nil else { return (false, nil, []) }
            try writer.updateNode(node, in: source, at: now) { row in
                switch mark {
                case .favorite: (row.isFavorite, row.favoriteMissingSince) = (isSet, nil)
                case .ignored: row.isIgnored = isSet
                }
            }
            guard onRadio, let own = try writer.source(source)?.nodeNumber else {
                return (true, nil, [])
            }
            let replaced = try writer.withdraw(mark, of: node, in: source)
            var used: Set<PacketID> = []
            // To `want_ack` alone the radio acknowledges what it ignores, too (SerialReference 4.13).
            let packet = MeshPacket(
                from: own, to: own, id: try unusedID(from: own, writer, in: source, besides: &used),
                payload: .decoded(
                    MeshData(
                        port: .admin, payload: mark.message(isSet, for: node).encoded(), wantResponse: true)))
            let item = OutboxItem(packet: packet, kind: mark.rawValue, createdAt: now)
            try writer.insertOutbox(item, in: source)
            return (true, packet, replaced)
        }
        removeFromQueue(outcome.replaced, of: source)
        if let packet = outcome.packet {
            let told = monotonic()
            if mark == .favorite, isSet { administration.toldFavorite(at: told) }
            queue([OutboxQueue.Entry(packet: packet)], of: source)
        }
        return outcome.isKnown
    }

    /// Nanoseconds after which a warning is about something else.
    private static let favoriteRefusalTime: MonotonicTime = 30_000_000_000

    /// The radio warns. So it refuses a favourite for which its list has no room, after it has acknowledged the order; in
    /// which words differs, so that the list itself is asked for.
    func warned() {
        let now = monotonic()
        guard let told = administration.takeFavorite() else { return }
        if now - told < Self.favoriteRefusalTime { readAgain() }
    }
}

extension AttachedRadio {
    /// The radio mutes a node, or does so no longer.
    func mute(_ isMuted: Bool, _ node: NodeNumber, in source: SourceID) throws {
        let now = clock()
        try store.commit { writer in
            guard try writer.node(node, in: source) != nil else { return }
            try writer.updateNode(node, in: source, at: now) { $0.isMuted = isMuted }
        }
    }
}

extension Writer {
    /// The radio is still to be told that a node is marked.
    func isWaiting(_ mark: NodeMark, of node: NodeNumber, in source: SourceID) throws -> Bool {
        let word = mark.message(true, for: node).encoded()
        return try outbox(in: source).contains { $0.kind == mark.rawValue && $0.packet.decoded?.payload == word }
    }

    /// Only the last word about a node has to reach a radio that is away.
    fileprivate func withdraw(_ mark: NodeMark, of node: NodeNumber, in source: SourceID) throws -> Set<PacketID> {
        let words = [true, false].map { mark.message($0, for: node).encoded() }
        let replaced = try outbox(in: source).filter { item in
            item.kind == mark.rawValue && item.state == .waiting
                && item.packet.decoded.map { words.contains($0.payload) } == true
        }
        for item in replaced { try removeOutbox(packetID: item.packetID, in: source) }
        return Set(replaced.map(\.packetID))
    }
}
