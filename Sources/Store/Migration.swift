/// Brings a database to the present format, and refuses one that is not ours.
enum Migration {
    /// `application_id` of our files: "MGW1".
    static let applicationID = 0x4D47_5731

    /// The format that this version writes.
    static let supported = Schema.migrations.count

    /// Checks whose database this is, without changing it.
    ///
    /// - Returns: its format, 0 for an empty file.
    static func check(_ connection: Connection, path: String) throws(StoreError) -> Int {
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        let application = Int(try connection.integer("PRAGMA application_id") ?? 0)
        if application != applicationID {
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard application == 0, version == 0, tables == 0 else { throw .foreign(path: path) }
        }
        guard version <= supported else { throw .newer(path: path, version: version, supported: supported) }
        return version
    }

    /// Runs the steps that are missing. Each is one transaction with its number: one that was interrupted has left
    /// nothing behind and starts over.
    static func run(
        _ connection: Connection, path: String, steps: [String] = Schema.migrations
    ) throws(StoreError) {
        let version = try check(connection, path: path)
        for (index, step) in steps.enumerated().dropFirst(version) {
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try connection.execute(step)
                try connection.execute("PRAGMA application_id = \(applicationID)")
                try connection.execute("PRAGMA user_version = \(index + 1)")
                try connection.execute("COMMIT")
            } catch {
                // After some errors SQLite has rolled back by itself.
                if !connection.isAutocommit { try connection.execute("ROLLBACK") }
                throw error
            }
        }
    }
}
