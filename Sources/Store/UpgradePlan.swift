import CSQLite

/// What is to be done to a file of an older format.
public struct Upgrade: Hashable, Sendable {
    public var path: String
    /// Formats.
    public var from: Int
    public var to: Int
    /// Bytes of the file.
    public var size: Int64
    /// Bytes that it needs on the same disk, at most.
    public var room: Int64
    /// Bytes that are free there; nil: that is not told.
    public var free: Int64?
}

/// Who is told while a file is brought to the present format. Asked by the thread that opens the database.
public protocol UpgradeObserver: AnyObject {
    /// There is room, and it begins.
    func begin(_ upgrade: Upgrade)
    /// - Parameter fraction: of the work, 0 to 1, as far as the numbers of rows tell it.
    func progress(_ fraction: Double)
    /// Readings that an earlier version had stored twice are gone, now for good.
    func removed(readings: Int)
    /// Asked every few milliseconds: true ends it, and leaves the file as it was.
    var isInterrupted: Bool { get }
}

/// The statements of the steps that are missing, with what each of them weighs.
struct UpgradePlan {
    struct Step {
        /// With the part of the whole work that comes before each.
        var statements: [(sql: String, fraction: Double)] = []
    }

    private let from: Int
    private(set) var steps: [Step] = []
    private let room: Int64
    private let size: Int64

    /// Bytes of a page, as `Store` chooses them for a new file. A row of the tables that are rewritten fits into one.
    private static let pageSize: Int64 = 1024
    /// Bytes of a row of an index, at most.
    private static let indexRow: Int64 = 40
    /// Bytes of the pages that any step writes: the schema, new tables and their first rows.
    private static let least: Int64 = 1_000_000

    init(from version: Int, steps: [String], on connection: DatabaseConnection) throws(StoreError) {
        from = version
        var rows = try TableRows(on: version > 0 ? connection : nil)
        var before = 0.0
        for sql in steps.dropFirst(version) {
            var step = Step()
            for statement in Self.statements(of: sql) {
                step.statements.append((statement, before))
                before += try 1 + rows.touched(by: statement)
            }
            self.steps.append(step)
        }
        for index in self.steps.indices {
            self.steps[index].statements = self.steps[index].statements.map { ($0.sql, $0.fraction / before) }
        }
        // Each page of a row once in the log, and once in the file when it has to grow.
        var rewritten = 0.0
        for tables in Schema.rewritten.dropFirst(version) {
            for table in tables { rewritten += try rows.count(of: table) }
        }
        var indexed = 0.0
        for tables in Schema.indexed.dropFirst(version) {
            for table in tables { indexed += try rows.count(of: table) }
        }
        room = Self.least + 2 * (Self.pageSize * Int64(rewritten) + Self.indexRow * Int64(indexed))
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        size = try pages * (connection.integer("PRAGMA page_size") ?? 0)
    }

    func upgrade(of path: String) -> Upgrade {
        Upgrade(
            path: path, from: from, to: from + steps.count, size: size, room: room, free: freeSpace(for: path))
    }

    func lookForRoom(beside path: String) throws(StoreError) {
        if let free = freeSpace(for: path), free < room { throw .noRoom(path: path, needed: room, free: free) }
    }

    /// `sqlite3_complete`, which knows that there are semicolons inside of triggers.
    static func statements(of script: String) -> [String] {
        var statements: [String] = []
        var pending = ""
        for part in script.split(separator: ";", omittingEmptySubsequences: false) {
            pending += part + ";"
            guard sqlite3_complete(pending) != 0 else { continue }
            statements.append(pending)
            pending = ""
        }
        return statements.filter { $0.contains { !$0.isWhitespace && $0 != ";" } }
    }
}

/// How many rows the tables of an older format have, as far as anybody asks.
private struct TableRows {
    private let connection: DatabaseConnection?
    private let tables: Set<String>
    private var counted: [String: Double] = [:]

    /// - Parameter connection: nil: there are no tables yet.
    init(on connection: DatabaseConnection?) throws(StoreError) {
        self.connection = connection
        var tables: Set<String> = []
        if let names = try connection?.once("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            while try names.step() { tables.insert(names.text()) }
        }
        self.tables = tables
    }

    mutating func count(of table: String) throws(StoreError) -> Double {
        guard let connection, tables.contains(table) else { return 0 }
        if let known = counted[table] { return known }
        let rows = try Double(connection.integer("SELECT count(*) FROM \(table)") ?? 0)
        counted[table] = rows
        return rows
    }

    /// The rows that a statement looks at. Adding a column to a strict table reads all of it.
    mutating func touched(by statement: String) throws(StoreError) -> Double {
        let words = statement.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        // These only say what is to be done later.
        if words.first == "CREATE", ["TABLE", "TRIGGER", "VIRTUAL"].contains(words.dropFirst().first) { return 0 }
        var rows = 0.0
        for table in Set(words).intersection(tables) { rows += try count(of: table) }
        return rows
    }
}
