import MeshModel

// Nearly every packet changes its sender's row: when it was heard, how loud, how many hops away. The rows that the
// writer works on stay in memory, and a row that was changed by many packets of one transaction is written once, at
// its end.

/// The nodes that the writer has read or changed lately, by their key.
struct NodeCache {
    /// Rows that are kept from one transaction to the next.
    static let capacity = 1_024

    /// An object, because a node is a kilobyte of fields, each of which would be copied with every change of a mark.
    private final class Entry {
        /// Nil: there is no such row.
        let node: Node?
        var isDirty: Bool
        /// The table has a row for it.
        var isStored: Bool

        init(node: Node?, isDirty: Bool = false, isStored: Bool) {
            (self.node, self.isDirty, self.isStored) = (node, isDirty, isStored)
        }
    }

    private var entries: [Int64: Entry] = [:]
    private(set) var dirty: [Int64] = []
    /// How many of the dirty ones have no row yet.
    private(set) var newCount = 0
    /// What the running change has overwritten, oldest first; nil for what it has read in.
    private var undo: [(key: Int64, before: Entry?)] = []
    private var dirtyBefore = 0

    /// The outer nil: not in memory.
    subscript(key: Int64) -> Node?? { entries[key].map(\.node) }

    mutating func remember(_ node: Node?, key: Int64) { entries[key] = Entry(node: node, isStored: node != nil) }

    mutating func change(_ node: Node, key: Int64) {
        let before = entries[key]
        undo.append((key, before))
        if before?.isDirty != true {
            dirty.append(key)
            if before?.isStored != true { newCount += 1 }
        }
        entries[key] = Entry(node: node, isDirty: true, isStored: before?.isStored ?? false)
    }

    func isDirty(_ key: Int64) -> Bool { entries[key]?.isDirty == true }

    /// Its row is deleted.
    mutating func forget(_ key: Int64) { entries[key] = nil }

    mutating func beginChange() {
        undo.removeAll(keepingCapacity: true)
        dirtyBefore = dirty.count
    }

    mutating func undoChange() {
        for (key, before) in undo.reversed() { entries[key] = before }
        undo.removeAll(keepingCapacity: true)
        dirty.removeSubrange(dirtyBefore...)
        newCount = new.count
    }

    /// Dirty nodes that have no row yet.
    var new: [Int64] { dirty.filter { entries[$0]?.isStored == false } }

    mutating func markClean() {
        for key in dirty {
            entries[key]?.isDirty = false
            entries[key]?.isStored = true
        }
        dirty.removeAll(keepingCapacity: true)
        newCount = 0
    }

    mutating func trim() {
        if entries.count > Self.capacity { entries.removeAll() }
    }

    mutating func removeAll() {
        entries.removeAll()
        dirty.removeAll()
        newCount = 0
    }
}

extension Writer {
    /// The node as the changes so far have left it.
    public func node(_ number: NodeNumber, in source: SourceID) throws -> Node? {
        let key = source.key(number)
        if let known = nodes[key] { return known }
        let node = try NodeRow.one(key, on: connection)
        nodes.remember(node, key: key)
        return node
    }

    /// Changes a node's row, which is made when there is none; when there are too many (``nodeLimit``), others make way.
    /// The broadcast address has no row: it is ignored.
    ///
    /// - Parameter now: host milliseconds; becomes ``Node/updatedAt`` when anything differs.
    public func updateNode(
        _ number: NodeNumber, in source: SourceID, at now: Int64, _ change: (inout Node) -> Void
    ) throws {
        guard !number.isBroadcast else { return }
        let before = try node(number, in: source)
        guard try before != nil || makesRoom(for: number, in: source) else { return }
        var node = before ?? Node(number: number, createdAt: now)
        change(&node)
        node.number = number
        guard node != before else { return }
        node.updatedAt = now
        touch(.nodes)
        if before == nil { note(.node(source, number)) }
        if node.publicKey != before?.publicKey {
            try changeKey(of: number, from: before?.publicKey, to: node.publicKey, in: source)
        }
        nodes.change(node, key: source.key(number))
    }

    func writeDirtyNodes() throws {
        for key in nodes.dirty {
            if let known = nodes[key], let node = known { try NodeRow.write(node, key: key, on: connection) }
        }
        for key in nodes.new {
            try connection.prepare(
                "INSERT INTO node_counts VALUES (?, 1) ON CONFLICT (source) DO UPDATE SET nodes = nodes + 1"
            )
            .bind(key >> 32).run()
        }
        nodes.markClean()
    }
}

extension Schema {
    /// Anybody may ask for the status, without a token: counting thousands of wide rows each time would be a gift to
    /// them.
    static let nodeCounts = """
        CREATE TABLE node_counts (source INTEGER PRIMARY KEY, nodes INTEGER NOT NULL) STRICT;
        INSERT INTO node_counts SELECT node >> 32, count(*) FROM nodes GROUP BY node >> 32;
        """
}
