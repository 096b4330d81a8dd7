import MeshModel

/// What there is to say about a node's key.
public struct KeyedNode: Hashable, Sendable {
    public var number: NodeNumber
    public var key: PublicKey?
    public var isInDoubt: Bool
    public var isDuplicate: Bool
}

extension Reader {
    /// The nodes of a source that have a key, or whose key is in doubt, by number.
    public func keyedNodes(in source: SourceID) throws -> [KeyedNode] {
        try connection.prepare(
            """
            SELECT number, public_key, key_mismatch, is_key_duplicate FROM nodes
            WHERE node BETWEEN ? AND ? AND (public_key IS NOT NULL OR key_mismatch) ORDER BY node
            """
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows { row in
            KeyedNode(
                number: NodeNumber(row.unsigned()), key: row.bytesOrNil().flatMap { PublicKey($0) },
                isInDoubt: row.flag(), isDuplicate: row.flag())
        }
    }

    /// SQLite's journal mode: `wal` for every database that a gateway has opened.
    public func journalMode() throws -> String? { try connection.once("PRAGMA journal_mode").first { $0.text() } }
}
