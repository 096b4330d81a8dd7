import Glibc

/// The key by which push services of browsers know this gateway: a number of the curve P-256, with the most significant byte
/// first. It is made once and stays, because browsers have registered for it; ``Writer/replacePushKey(by:)`` is for a person who
/// wants another one.
///
/// The table belongs to no format: it is made when it is missing, and a version that does not know it loses nothing.
enum StoredPushKey {
    /// The order of the curve's group (FIPS 186-4, D.1.2.3). Keys lie between 0 and it.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    static let table = """
        CREATE TABLE IF NOT EXISTS push_key (
            id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL
        ) STRICT
        """

    static func makeIfMissing(on connection: DatabaseConnection) throws(StoreError) {
        guard try read(on: connection) == nil else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try connection.execute(table)
            try write(random(), on: connection)
            try connection.execute("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself.
            if !connection.isAutocommit { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    static func read(on connection: DatabaseConnection) throws(StoreError) -> [UInt8]? {
        guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'push_key'") != nil else { return nil }
        let statement = try connection.once("SELECT key FROM push_key")
        guard try statement.step() else { return nil }
        let key = statement.bytes()
        return isKey(key) ? key : nil
    }

    static func write(_ key: [UInt8], on connection: DatabaseConnection) throws(StoreError) {
        try connection.once("INSERT OR REPLACE INTO push_key VALUES (1, ?)").bind(key).run()
    }

    static func isKey(_ bytes: [UInt8]) -> Bool {
        bytes.count == order.count && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
    }

    /// One in four thousand million draws is none.
    private static func random() -> [UInt8] {
        var key = [UInt8](repeating: 0, count: order.count)
        repeat { precondition(getentropy(&key, key.count) == 0, "getentropy(3) must work") } while !isKey(key)
        return key
    }
}

extension Reader {
    /// The push key, 32 bytes; nil while the database's disk does not allow to note one.
    public func pushKey() throws -> [UInt8]? { try StoredPushKey.read(on: connection) }
}

extension Writer {
    /// From now on push services of browsers know this gateway by another key. What browsers have registered is of no use
    /// then (``removeBrowsersRegistrations()``).
    ///
    /// - Parameter scalar: 32 bytes, which are more than 0 and less than the curve's order.
    public func replacePushKey(by scalar: [UInt8]) throws {
        precondition(StoredPushKey.isKey(scalar), "a push key is a number of its curve")
        try connection.execute(StoredPushKey.table)
        try StoredPushKey.write(scalar, on: connection)
    }
}
