import MeshModel

// Nodes that somebody had a radio forget. The gateway keeps them, and does not count them among the radio's any more until they
// are heard again.
//
// The table belongs to no format: it is made when it is needed first, and a version that does not know it loses nothing.

extension Writer {
    /// Rows of a source that are kept, the newest.
    private static let forgottenNodesKept = 1_024

    /// - Parameters:
    ///   - node: nil: all of them, and what was noted of single ones before.
    ///   - at: seconds since 1970.
    public func noteForgotten(_ node: NodeNumber?, at: Int64, in source: SourceID) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS forgotten_nodes (
                source INTEGER NOT NULL, node INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (source, node)
            ) STRICT, WITHOUT ROWID
            """)
        if node == nil {
            try connection.once("DELETE FROM forgotten_nodes WHERE source = ?").bind(source.rawValue).run()
        }
        // No node has the number 0.
        try connection.once("INSERT OR REPLACE INTO forgotten_nodes (source, node, at) VALUES (?, ?, ?)")
            .bind(source.rawValue).bind(node?.rawValue ?? 0).bind(at).run()
        try connection.once(
            """
            DELETE FROM forgotten_nodes WHERE source = ?1 AND node <> 0 AND node NOT IN
                (SELECT node FROM forgotten_nodes WHERE source = ?1 AND node <> 0 ORDER BY at DESC LIMIT ?2)
            """
        ).bind(source.rawValue).bind(Self.forgottenNodesKept).run()
    }

    /// When a radio was made to forget which node, in seconds since 1970; nil in place of the node: all of them.
    public func forgottenNodes(in source: SourceID) throws -> [(node: NodeNumber?, at: Int64)] {
        guard try hasForgottenNodes else { return [] }
        return try connection.once("SELECT node, at FROM forgotten_nodes WHERE source = ?").bind(source.rawValue)
            .rows { row in
                let number = row.unsigned()
                return (number == 0 ? nil : NodeNumber(number), row.integer())
            }
    }

    /// Times that the host's clock gave before it was right.
    ///
    /// - Parameter leap: milliseconds.
    func correctForgottenNodes(by leap: Int64, before earliest: Int64) throws {
        guard try hasForgottenNodes else { return }
        try connection.once("UPDATE forgotten_nodes SET at = at + ?1 WHERE at < ?2").bind(leap / 1000)
            .bind(earliest / 1000).run()
    }

    private var hasForgottenNodes: Bool {
        get throws { try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'forgotten_nodes'") != nil }
    }
}
