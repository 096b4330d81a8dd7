import MeshModel

// Nodes that others speak of. A list of neighbours or a route is not signed and can name any node, ten in a packet: rows
// for all of them would fill the disk, and hide the nodes that are there.

extension Writer {
    /// Rows of nodes in a source, beyond which others make way for a new one (NodeEviction).
    static let nodeLimit = 20_000
    /// Rows up to which nodes get one that others only speak of.
    static let unheardNodeLimit = 10_000

    /// Makes a row, without a word about when it was heard, for a node that others speak of.
    public func insertMentionedNode(_ number: NodeNumber, in source: SourceID, at now: Int64) throws {
        guard try node(number, in: source) == nil, try nodeCount(in: source) < Self.unheardNodeLimit else { return }
        try change(as: .mentioned) { try updateNode(number, in: source, at: now) { _ in } }
    }

    /// Whether a node without a row may get one. Others make way for it, unless all of them have to stay.
    func makesRoom(for number: NodeNumber, in source: SourceID) throws -> Bool {
        if try nodeCount(in: source) < Self.nodeLimit { return true }
        try evictNodes(in: source)
        if try nodeCount(in: source) < Self.nodeLimit { return true }
        return try connection.prepare("SELECT node_number FROM sources WHERE id = ?").bind(source.rawValue)
            .first { $0.unsignedOrNil() } == number.rawValue
    }

    private func nodeCount(in source: SourceID) throws -> Int {
        let stored = try connection.prepare("SELECT nodes FROM node_counts WHERE source = ?").bind(source.rawValue)
            .first { Int($0.integer()) }
        return (stored ?? 0) + nodes.newCount
    }

    /// Deletes the nodes of a batch that were never heard, tell nothing of themselves, were marked by nobody, and have
    /// no messages.
    func deleteUnheardNodes(before: Int64, _ left: inout Pruning) throws -> Int {
        let batch = 64
        let rows = try connection.prepare(
            """
            SELECT node, updated_at < ?2 AND last_heard IS NULL AND long_name IS NULL AND short_name IS NULL
                AND public_key IS NULL AND latitude IS NULL
                AND NOT (is_favorite OR is_ignored OR is_muted OR is_favorite_on_radio OR is_ignored_on_radio)
                AND number IS NOT (SELECT node_number FROM sources WHERE id = n.source)
                AND NOT EXISTS (SELECT 1 FROM messages INDEXED BY messages_to
                    WHERE source = n.source AND to_node = n.number)
            FROM nodes n WHERE node > ?1 ORDER BY node LIMIT ?3
            """
        )
        .bind(left.cursor ?? -1).bind(before).bind(batch).rows { (node: $0.integer(), isUnheard: $0.flag()) }
        left.cursor = rows.last?.node
        if rows.count < batch { left.endStep() }
        let gone = rows.filter(\.isUnheard).map(\.node).filter { !nodes.isDirty($0) }
        for node in gone { try deleteNode(node) }
        return gone.count
    }
}
