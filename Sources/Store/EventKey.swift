import Glibc

/// The key that seals how far a client has followed what happens, in the ids that it gives back. It is in the database, so
/// that they are good after a restart.
///
/// The table belongs to no format: it is made when it is missing, and a version that does not know it loses nothing.
enum EventKey {
    /// Bytes.
    private static let size = 32

    static func makeIfMissing(on connection: DatabaseConnection) throws(StoreError) {
        guard try read(on: connection) == nil else { return }
        var key = [UInt8](repeating: 0, count: size)
        precondition(getentropy(&key, key.count) == 0, "getentropy(3) must work")
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS event_key (
                    id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL
                ) STRICT
                """)
            try connection.once("INSERT OR REPLACE INTO event_key VALUES (1, ?)").bind(key).run()
            try connection.execute("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself.
            if !connection.isAutocommit { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    static func read(on connection: DatabaseConnection) throws(StoreError) -> [UInt8]? {
        guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'event_key'") != nil else { return nil }
        let statement = try connection.once("SELECT key FROM event_key")
        guard try statement.step() else { return nil }
        let key = statement.bytes()
        return key.count == size ? key : nil
    }
}

extension Reader {
    /// 32 bytes that only this database has; nil while its disk does not allow to note them.
    public func eventKey() throws -> [UInt8]? { try EventKey.read(on: connection) }
}
