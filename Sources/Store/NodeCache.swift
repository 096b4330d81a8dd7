import MeshModel

// Nearly every packet changes its sender's row: when it was heard, how loud, how many hops away. The rows that the
// writer works on stay in memory, and a row that was changed by many packets of one transaction is written once, at
// its end.

/// The nodes that the writer has read or changed lately, by their key.
struct NodeCache {
    /// Rows that are kept from one transaction to the next.
    static let capacity = 1_024

    /// An object, because a node is a kilobyte of fields, each of which would be copied with every change of a mark.
    final class Entry {
        fileprivate(set) var node: Node
        fileprivate var isDirty = false
        /// The table has a row for it.
        fileprivate var isStored = true

        fileprivate init(_ node: consuming Node) { self.node = node }

        /// From here the node is not copied.
        func read<Part>(_ part: (Node) -> Part?) -> Part? { part(node) }
    }

    /// Nil: there is no such row.
    private var entries: [Int64: Entry?] = [:]
    private(set) var dirty: [Int64] = []
    /// How many of the dirty ones have no row yet.
    private(set) var newCount = 0
    /// What the running change has overwritten, oldest first; nil for what had no row.
    private var undo: [(key: Int64, before: (node: Node, isDirty: Bool)?)] = []
    private var dirtyBefore = 0

    /// The outer nil: not in memory.
    subscript(key: Int64) -> Entry?? { entries[key] }

    mutating func remember(_ node: consuming Node?, key: Int64) -> Entry? {
        let entry = node.map { Entry($0) }
        entries[key] = .some(entry)
        return entry
    }

    mutating func add(_ node: consuming Node, key: Int64) {
        undo.append((key, nil))
        let entry = Entry(node)
        (entry.isDirty, entry.isStored) = (true, false)
        entries[key] = entry
        dirty.append(key)
        newCount += 1
    }

    /// What a change has made of a node.
    struct Difference {
        /// It had been heard before.
        let wasHeard: Bool
        /// The key before it, when it has another one now.
        let formerKey: PublicKey??
        /// What it was called, when it has another name now.
        let formerName: String?
        /// It has told its first name.
        let isIntroduced: Bool
        /// The grade of its link, and nothing else.
        let isOfGradeAlone: Bool
    }

    /// Changes a node in its place: an object of its own for each packet would wander through the heap and leave it full of
    /// holes, and a node is a kilobyte to copy.
    ///
    /// - Returns: nil: nothing has changed.
    mutating func change(_ entry: Entry, key: Int64, _ change: (inout Node) -> Void) -> Difference? {
        let before = entry.node
        change(&entry.node)
        if entry.node == before { return nil }
        let isGrade = entry.node.linkQuality != before.linkQuality
        let difference = Difference(
            wasHeard: before.lastHeard != nil,
            formerKey: entry.node.publicKey == before.publicKey ? nil : .some(before.publicKey),
            formerName: entry.node.longName == before.longName && entry.node.shortName == before.shortName
                ? nil : before.longName ?? before.shortName,
            isIntroduced: !before.isNamed && entry.node.isNamed,
            isOfGradeAlone: isGrade && entry.node.isSame(as: before))
        undo.append((key, (before, entry.isDirty)))
        if !entry.isDirty { dirty.append(key) }
        entry.isDirty = true
        return difference
    }

    func isDirty(_ key: Int64) -> Bool { entries[key]??.isDirty == true }

    /// Its row is deleted.
    mutating func forget(_ key: Int64) { entries.removeValue(forKey: key) }

    mutating func beginChange() {
        forgetUndo()
        dirtyBefore = dirty.count
    }

    mutating func undoChange() {
        for (key, before) in undo.reversed() {
            if let before, let known = entries[key], let entry = known {
                (entry.node, entry.isDirty) = before
            } else {
                entries.removeValue(forKey: key)
            }
        }
        forgetUndo()
        dirty.removeSubrange(dirtyBefore...)
        newCount = new.count
    }

    /// The room of a change of a few nodes is kept, that of thousands is not.
    private mutating func forgetUndo() { undo.removeAll(keepingCapacity: undo.capacity <= 16) }

    /// Dirty nodes that have no row yet.
    var new: [Int64] { dirty.filter { entries[$0]??.isStored == false } }

    mutating func markClean() {
        for key in dirty {
            guard let entry = entries[key], let entry else { continue }
            entry.isDirty = false
            entry.isStored = true
        }
        dirty.removeAll(keepingCapacity: true)
        newCount = 0
    }

    /// Drops any quarter of the entries when there are too many. Dropping all of them would leave nothing to find for a mesh
    /// with a few nodes more than fit.
    mutating func trim() {
        forgetUndo()
        guard entries.count > Self.capacity else { return }
        let gone = Array(entries.keys.prefix(entries.count - Self.capacity * 3 / 4))
        for key in gone { entries.removeValue(forKey: key) }
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
        try entry(source.key(number))?.node
    }

    /// A part of it: the whole node is a kilobyte to copy. Nil when there is no node, too.
    public func node<Part>(_ number: NodeNumber, in source: SourceID, _ part: (Node) -> Part?) throws -> Part? {
        guard let entry = try entry(source.key(number)) else { return nil }
        return entry.read(part)
    }

    private func entry(_ key: Int64) throws -> NodeCache.Entry? {
        if let known = nodes[key] { return known }
        return nodes.remember(try NodeRow.one(key, on: connection), key: key)
    }

    /// Changes a node's row, which is made when there is none; when there are too many (``nodeLimit``), others make way.
    /// The broadcast address has no row: it is ignored.
    ///
    /// - Parameter now: host milliseconds; becomes ``Node/updatedAt`` when anything differs.
    public func updateNode(
        _ number: NodeNumber, in source: SourceID, at now: Int64, _ change: (inout Node) -> Void
    ) throws {
        guard !number.isBroadcast else { return }
        let key = source.key(number)
        guard let entry = try entry(key) else { return try addNode(number, in: source, at: now, change) }
        let difference = nodes.change(entry, key: key) { node in
            change(&node)
            node.number = number
        }
        guard let difference, !difference.isOfGradeAlone else { return }
        entry.node.updatedAt = now
        noteNode(number, isHeard: entry.node.lastHeard != nil, wasHeard: difference.wasHeard, in: source)
        if difference.isIntroduced, origin == .live, entry.node.lastHeard != nil {
            note(.nodeIntroduced(number), of: Int64(number.rawValue), in: source)
        }
        if let formerName = difference.formerName { try noteName(entry.node, before: formerName, in: source, at: now) }
        if let formerKey = difference.formerKey {
            try changeKey(of: number, from: formerKey, to: entry.node.publicKey, in: source)
        }
    }

    /// The grade of a node's link, as the changes so far have left it.
    func knownLinkQuality(of key: Int64) throws -> Int? { try entry(key)?.node.linkQuality }

    private func addNode(
        _ number: NodeNumber, in source: SourceID, at now: Int64, _ change: (inout Node) -> Void
    ) throws {
        guard try makesRoom(for: number, in: source) else { return }
        let key = source.key(number)
        var node = Node(number: number, createdAt: now)
        // A node that was deleted is still the one with its key.
        node.publicKey = try keptKey(of: key)
        let known = node.publicKey
        change(&node)
        node.number = number
        node.updatedAt = now
        noteNode(number, isHeard: node.lastHeard != nil, wasHeard: false, in: source)
        if node.publicKey != known { try changeKey(of: number, from: known, to: node.publicKey, in: source) }
        nodes.add(node, key: key)
    }

    private func noteNode(_ number: NodeNumber, isHeard: Bool, wasHeard: Bool, in source: SourceID) {
        markChanged(.nodes)
        note(.node(number), of: Int64(number.rawValue), in: source)
        if origin == .live, isHeard, !wasHeard { note(.nodeHeard(number), of: Int64(number.rawValue), in: source) }
    }

    /// No row keeps what a node was called before.
    private func noteName(_ node: Node, before: String, in source: SourceID, at now: Int64) throws {
        guard origin == .live else { return }
        let new = [node.longName, node.shortName].compactMap(\.self).joined(separator: ", ")
        try insert(
            Happening(
                .renamed, at: now, source: source, node: node.number, name: "name-changed",
                text: "\(before) is called \(new) now"))
    }

    /// Changes the grade of a node's link, which is no change of the node for readers of the change log.
    func setLinkQuality(_ quality: Int, of key: Int64) throws {
        guard let entry = try entry(key) else { return }
        _ = nodes.change(entry, key: key) { $0.linkQuality = quality }
    }

    func writeDirtyNodes() throws {
        for key in nodes.dirty {
            if let entry = nodes[key], let entry { try NodeRow.write(entry.node, key: key, on: connection) }
        }
        for key in nodes.newCount == 0 ? [] : nodes.new {
            try connection.prepare(
                "INSERT INTO node_counts VALUES (?, 1) ON CONFLICT (source) DO UPDATE SET nodes = nodes + 1"
            )
            .bind(key >> 32).run()
        }
        nodes.markClean()
    }
}

extension Node {
    fileprivate var isNamed: Bool { longName != nil || shortName != nil }

    /// But for the grade of its link.
    fileprivate func isSame(as other: Node) -> Bool {
        var other = other
        other.linkQuality = linkQuality
        return self == other
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
