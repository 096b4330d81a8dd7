import MeshModel

// Who makes room for a node when there are too many rows.
//
// Anybody can send under numbers that he makes up, twenty thousand of them in some hours. Were their rows kept, no node that
// is really new would ever be seen again; were the oldest ones deleted, they would drive out nodes that have been there for
// years and are heard once a week. What a forger cannot have cheaply is a node that was heard again much later. So these
// make way first:
//
//     named by others only, heard for less than an hour, never heard directly, without a key
//
// and among equals the one of which nothing was heard for the longest time. Each point of worth counts more than all that
// come behind it together. Forged rows so make room for each other. The radio itself, nodes that a person has marked,
// named, noted or verified, and those to which somebody has written, stay in any case; who wrote is worth most of the rest.

extension Writer {
    /// Rows that make way at a time: looking for them means to look at all.
    static let evictionBatch = 64

    /// Deletes the nodes of a source that are worth the least, before a new one comes.
    func evictNodes(in source: SourceID) throws {
        let rows = try connection.prepare(
            """
            SELECT node FROM nodes n WHERE node BETWEEN ?1 AND ?2
                AND NOT (is_favorite OR is_ignored OR is_muted OR is_favorite_on_radio OR is_ignored_on_radio
                    OR is_key_manually_verified OR nickname IS NOT NULL OR notes IS NOT NULL)
                AND number IS NOT (SELECT node_number FROM sources WHERE id = ?3)
                AND NOT EXISTS (SELECT 1 FROM messages INDEXED BY messages_to
                    WHERE source = ?3 AND to_node = n.number)
            ORDER BY EXISTS (SELECT 1 FROM messages INDEXED BY messages_from
                    WHERE source = ?3 AND from_node = n.number),
                ifnull(last_heard * 1000 - created_at > 3600000, 0), last_heard IS NOT NULL, hops_away IS 0,
                public_key IS NOT NULL, updated_at, node
            LIMIT ?4
            """
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).bind(source.rawValue).bind(Self.evictionBatch)
        .rows { $0.integer() }
        for key in rows where !nodes.isDirty(key) {
            let number = NodeNumber(UInt32(truncatingIfNeeded: key))
            if let known = try node(number, in: source)?.publicKey {
                try changeKey(of: number, from: known, to: nil, in: source)
            }
            try deleteNode(key)
        }
    }

    /// The row must not be dirty.
    func deleteNode(_ key: Int64) throws {
        markChanged(.nodes)
        let channel =
            try connection.prepare("SELECT channel FROM nodes WHERE node = ?").bind(key)
            .first { $0.intOrNil() } ?? nil
        let number = NodeNumber(UInt32(truncatingIfNeeded: key))
        note(
            .nodeDeleted(number, channel: channel), of: .packed(number.rawValue, channel: channel),
            in: SourceID(rawValue: key >> 32))
        try connection.prepare("DELETE FROM nodes WHERE node = ?").bind(key).run()
        try connection.prepare("UPDATE node_counts SET nodes = nodes - 1 WHERE source = ?").bind(key >> 32).run()
        nodes.forget(key)
        keptKeys = nil
    }
}
