import MeshModel

// How far internal readers of the change log have come. What they make of a change and their place are one commit.

extension Schema {
    static let cursors = """
        CREATE TABLE cursors (name TEXT PRIMARY KEY, change INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """
}

extension Writer {
    /// Where a reader continues. A new one begins at the newest change, and does nothing about what was known before.
    ///
    /// - Parameter first: where a new one begins; nil: at the newest change.
    @discardableResult
    public func openCursor(_ name: String, at first: Int64? = nil) throws -> Int64 {
        let known = try connection.prepare("SELECT change FROM cursors WHERE name = ?").bind(name)
            .first { $0.integer() }
        if let known { return known }
        let newest = try first ?? lastChange ?? connection.integer("SELECT max(number) FROM changes") ?? 0
        try connection.prepare("INSERT INTO cursors (name, change) VALUES (?, ?)").bind(name).bind(newest).run()
        return newest
    }

    /// The reader has seen everything up to this change. Does nothing if the reader was forgotten.
    public func moveCursor(_ name: String, to change: Int64) throws {
        try connection.prepare("UPDATE cursors SET change = ?2 WHERE name = ?1").bind(name).bind(change).run()
    }

    /// Nobody reads under this name any more.
    public func forgetCursor(_ name: String) throws {
        try connection.prepare("DELETE FROM cursors WHERE name = ?").bind(name).run()
    }
}

extension Reader {
    /// The last change that a reader is known to have seen; nil if there is no such reader.
    public func cursor(_ name: String) throws -> Int64? {
        try connection.prepare("SELECT change FROM cursors WHERE name = ?").bind(name).first { $0.integer() }
    }
}
