import MeshModel

/// What there is to say about a node's key.
public struct KeyedNode: Hashable, Sendable {
    public var number: NodeNumber
    public var key: PublicKey?
    public var isInDoubt: Bool
    public var isDuplicate: Bool
}

/// What a node that is heard does not send.
public struct QuietNode: Hashable, Sendable {
    /// Milliseconds after which it is said of a node.
    public static let patience: Int64 = 7 * 86_400_000

    public var number: NodeNumber
    public var hasNoTelemetry: Bool
    public var hasNoPosition: Bool
}

extension Node {
    /// In SQL: another key was seen, and nobody has decided to keep the known one.
    static let isInDoubt = "announced_key IS NOT NULL AND NOT is_key_manually_verified"
}

extension Reader {
    /// The nodes of a source that have a key, or whose key is in doubt, by number.
    public func keyedNodes(in source: SourceID) throws -> [KeyedNode] {
        try connection.prepare(
            composed: """
                SELECT number, public_key, \(Node.isInDoubt), is_key_duplicate FROM nodes
                WHERE node BETWEEN ? AND ? AND (public_key IS NOT NULL OR key_mismatch) ORDER BY node
                """
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows { row in
            KeyedNode(
                number: NodeNumber(row.unsigned()), key: row.bytesOrNil().flatMap { PublicKey($0) },
                isInDoubt: row.flag(), isDuplicate: row.flag())
        }
    }

    /// Nodes that seem to have another number by now, and that one: firmware 2.8 makes the number from the key. The key is
    /// of one old number only, and the new one has a row; whether the two are one device, a person knows.
    public func renumberedNodes(in source: SourceID) throws -> [(old: NodeNumber, new: NodeNumber)] {
        let keyed = try keyedNodes(in: source)
        var owners: [PublicKey: [NodeNumber]] = [:]
        for node in keyed { if let key = node.key { owners[key, default: []].append(node.number) } }
        let numbers = Set(
            try connection.prepare("SELECT number FROM nodes WHERE node BETWEEN ? AND ?")
                .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows { NodeNumber($0.unsigned()) })
        return keyed.compactMap { node in
            guard let key = node.key, case let new = key.nodeNumber, new != node.number, numbers.contains(new),
                owners[key]?.contains(where: { $0 != node.number && $0 != new }) == false
            else { return nil }
            return (node.number, new)
        }
    }

    /// Favourites that the radio is known not to have.
    public func missingFavorites(in source: SourceID) throws -> [NodeNumber] {
        try connection.prepare(
            "SELECT number FROM nodes WHERE node BETWEEN ? AND ? AND favorite_missing_since IS NOT NULL ORDER BY node"
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows { NodeNumber($0.unsigned()) }
    }

    /// Nodes that were heard since a time and were known before it, and what they have not sent since.
    ///
    /// - Parameter time: host milliseconds.
    public func quietNodes(since time: Int64, in source: SourceID, of number: NodeNumber? = nil) throws -> [QuietNode] {
        try connection.prepare(
            """
            SELECT number,
                NOT EXISTS (SELECT 1 FROM telemetry WHERE node = n.node AND at >= ?1 AND kind < 100),
                NOT EXISTS (SELECT 1 FROM positions WHERE node = n.node AND at >= ?1)
            FROM nodes n WHERE node BETWEEN ?2 AND ?3 AND last_heard >= ?1 / 1000 AND created_at < ?1 ORDER BY node
            """
        )
        .bind(time).bind(source.key(number ?? NodeNumber(0))).bind(source.key(number ?? .broadcast)).rows { row in
            QuietNode(number: NodeNumber(row.unsigned()), hasNoTelemetry: row.flag(), hasNoPosition: row.flag())
        }
    }

    /// SQLite's journal mode: `wal` for every database that a gateway has opened.
    public func journalMode() throws -> String? { try connection.once("PRAGMA journal_mode").first { $0.text() } }
}
