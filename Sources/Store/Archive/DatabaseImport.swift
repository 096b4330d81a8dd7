import CSQLite

/// A line of an archive that cannot be taken.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; 0: it is not known.
    public var line: Int
    public var file: String
    public var reason: String

    public var description: String { line > 0 ? "line \(line) of \(file): \(reason)" : "\(file): \(reason)" }
}

/// A database that is made of the lines of an archive. It is a file of its own until it is whole.
public final class DatabaseImport {
    /// The files of an archive, in the order in which they have to be read.
    public static let files = ArchivedTable.all.map(\.name)

    private let file: UnfinishedFile
    private let connection: DatabaseConnection
    /// Of lines that had them: keys that this version does not know.
    public private(set) var unknownKeys: Set<String> = []
    private var hasOutbox = false

    /// - Parameters:
    ///   - file: an empty one.
    ///   - program: this version, which the database remembers.
    public init(into file: UnfinishedFile, program: String) throws {
        self.file = file
        connection = try DatabaseConnection(path: file.workingPath, access: .readWrite)
        // As a store makes it; but nothing needs a journal that is thrown away when it fails.
        try connection.execute(
            """
            PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
            PRAGMA temp_store = MEMORY
            """)
        try Migration.run(connection, path: file.path, program: program)
        // Of no format. Where the archive has no key, the first start makes one.
        try connection.execute(StoredPushKey.table)
        try connection.addArchiveFunctions()
        try connection.execute("BEGIN")
    }

    /// Takes all lines of a file.
    ///
    /// - Parameters:
    ///   - name: one of ``files``.
    ///   - lines: calls its argument with each line.
    /// - Returns: how many there were.
    public func importFile(_ name: String, lines: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws
        -> Int
    {
        guard let table = ArchivedTable.named(name) else { return 0 }
        if name == ArchivedTable.outbox.name { hasOutbox = true }
        let keys = Set(table.fields.map(\.key))
        let statement = try connection.once(table.insert)
        var count = 0
        try lines { line in
            count += 1
            let text = String(decoding: line, as: UTF8.self)
            do {
                try statement.reset().bind(text).run()
            } catch let error as StoreError where !error.concernsStorage {
                guard case .failed(_, let message, _) = error else { throw error }
                throw ImportError(line: count, file: name, reason: message)
            }
            for key in JSONKeys(of: line) where !keys.contains(key) { unknownKeys.insert("\(name): \(key)") }
        }
        return count
    }

    /// All lines were taken: the rest follows from them.
    ///
    /// - Returns: what the database holds. It is checked and closed.
    public func finish() throws -> CopiedDatabase {
        try checkNumbers()
        try connection.execute(Self.derived)
        try ChannelEntryRow.keepNumbers(on: connection)
        // Nobody goes on here from a number of the database whose place it takes.
        try Writer.forgetChanges(on: connection)
        if !hasOutbox { try connection.execute(Self.givenUp) }
        try connection.execute("COMMIT")
        let copied = try CopiedDatabase(countedIn: connection, path: file.path)
        connection.close()
        return try DatabaseCopy.checked(file, against: copied)
    }

    /// Whole numbers that a JSON number may not have exactly (RFC 8259, section 6), and whose sums could overflow, are
    /// nobody's.
    private func checkNumbers() throws {
        for table in ArchivedTable.all {
            let tests = Set(table.fields.compactMap(\.column)).sorted().map { column in
                "typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN -9007199254740991 AND 9007199254740991"
            }
            let found = try connection.integer(
                "SELECT 1 FROM \(table.table) WHERE \(tests.joined(separator: " OR ")) LIMIT 1")
            if found != nil { throw ImportError(line: 0, file: table.name, reason: "a number is out of range") }
        }
    }

    /// What the store counts by the way. The search index is made by the daemon.
    private static let derived = """
        INSERT INTO node_counts SELECT node >> 32, count(*) FROM nodes GROUP BY node >> 32;
        INSERT OR IGNORE INTO node_keys SELECT node >> 32, public_key, node & 4294967295 FROM nodes
            WHERE public_key IS NOT NULL AND public_key != zeroblob(32);
        INSERT INTO message_deletions SELECT -source, count(*) FROM messages WHERE source < 0 GROUP BY source;
        """

    /// What was waiting is in an archive with secrets alone: nobody will send it, and nobody knows whether somebody did.
    /// What a radio had accepted stays so: it was sent.
    private static let givenUp =
        "UPDATE messages SET delivery = 3, cause = 2 WHERE is_own AND delivery IN (0, 1)"
}

/// The keys of a JSON object on one line, as they are written. What is wrong with the line is SQLite's business.
struct JSONKeys: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var depth = 0

    init(of line: UnsafeRawBufferPointer) { bytes = line }

    mutating func next() -> String? {
        while place < bytes.count {
            defer { place += 1 }
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = place + 1
                place = endOfText()
                // A text that a colon follows is a key.
                var next = place + 1
                while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
                if depth == 1, next < bytes.count, bytes[next] == UInt8(ascii: ":") {
                    return String(decoding: bytes[start..<place], as: UTF8.self)
                }
            default: break
            }
        }
        return nil
    }

    /// The place of the closing quotation mark.
    private func endOfText() -> Int {
        var end = place + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return Swift.min(end, bytes.count)
    }
}
