import Glibc

// Reading another program's SQLite file without leaving a trace beside it.
//
// 1. Even a read-only connection makes files beside a database in WAL mode, and an ordinary one moves the log into it.
//    So only a file that stands alone is opened where it lies, as one that nobody changes (`immutable`).
// 2. What its program has not moved out of the log (`-wal`), or not undone (`-journal`), belongs to the database. Then
//    file and log are copied, and SQLite recovers the copy, whose names are gone as soon as it is open.
// 3. A program that has it open could change it at any moment, and copying two files takes time. It is refused; the locks
//    of the file tell.

/// Another program's database, for reading.
public final class ForeignDatabase {
    /// A table, with the columns that it has in this file.
    public struct Table: Hashable, Sendable {
        public var name: String
        public var columns: [String]
    }

    /// As it was named.
    public let path: String
    /// Without SQLite's own and virtual ones.
    public let tables: [Table]
    private let connection: DatabaseConnection

    /// - Parameter folder: where a copy finds room, if one is needed.
    public init(path: String, copyingInto folder: String) throws(ForeignDatabaseError) {
        let file = try ForeignFile(path: path)
        let connection = try file.hasLog ? file.openCopy(in: folder) : file.openInPlace()
        do throws(StoreError) {
            // What the file itself says is not to be run: defaults, views and triggers can call functions.
            try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")
            tables = try Self.tables(connection)
        } catch {
            throw .damaged(path: path, report: error)
        }
        self.path = path
        self.connection = connection
    }

    private static func tables(_ connection: DatabaseConnection) throws(StoreError) -> [Table] {
        var tables: [Table] = []
        let names = try connection.once(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
            ORDER BY name
            """)
        while try names.step() { tables.append(Table(name: names.text(), columns: [])) }
        let columns = try connection.once("SELECT name FROM pragma_table_info(?)")
        for index in tables.indices {
            columns.reset().bind(tables[index].name)
            while try columns.step() { tables[index].columns.append(columns.text()) }
        }
        return tables
    }

    /// Looks at every page (`PRAGMA quick_check`).
    public func check() throws(ForeignDatabaseError) {
        do throws(StoreError) {
            let statement = try connection.once("PRAGMA quick_check(1)")
            guard try statement.step() else { return }
            let finding = statement.text()
            if finding != "ok" { throw .failed(code: 11, message: finding, during: "check it") }
        } catch {
            throw .damaged(path: path, report: error)
        }
    }

    public func count(_ table: Table) throws -> Int {
        Int(try connection.integer("SELECT count(*) FROM \(quoted(table.name))") ?? 0)
    }

    /// Reads every row. Never more than a page of them is in memory.
    ///
    /// - Parameters:
    ///   - columns: what a row gives, by name.
    ///   - order: columns to sort by, as SQLite compares values.
    public func forEachRow(
        of table: Table, columns: [String], orderedBy order: [String] = [], _ body: (ForeignRow) throws -> Void
    ) throws {
        guard !columns.isEmpty else { return }
        var sql = "SELECT \(columns.map { quoted($0) }.joined(separator: ", ")) FROM \(quoted(table.name))"
        if !order.isEmpty { sql += " ORDER BY " + order.map { quoted($0) }.joined(separator: ", ") }
        let statement = try connection.once(sql)
        let row = ForeignRow(statement)
        while try statement.step() { try body(row) }
    }

}

/// The present row of ``ForeignDatabase/forEachRow(of:columns:orderedBy:_:)``.
public struct ForeignRow {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    /// - Parameter place: of the column among those that were asked for.
    public subscript(place: Int) -> ForeignValue { statement.value(at: Int32(place)) }
}

/// A value as SQLite holds it: any column can hold any kind.
public enum ForeignValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}
