import CSQLite

/// A prepared statement. Values are bound, and columns read, one after the other in the order of the SQL text.
final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String
    private var parameter: Int32 = 0
    private var column: Int32 = 0

    /// `sqlite3_prepare_v3`, for statements that are kept.
    init(_ sql: String, on database: OpaquePointer) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw .report(code, on: database, during: sql)
        }
        handle = prepared
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    /// `sqlite3_reset`: a statement that is not reset holds its read lock.
    @discardableResult
    func reset() -> Statement {
        sqlite3_reset(handle)
        parameter = 0
        return self
    }

    /// `sqlite3_step`: true when there is a row. At the end, and after an error, the statement is reset.
    func step() throws(StoreError) -> Bool {
        column = 0
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE {
            let error = StoreError.report(code, on: database, during: sql)
            reset()
            throw error
        }
        reset()
        return false
    }

    /// Runs a statement that gives no rows.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Reads every row.
    func rows<Row>(_ read: (Statement) throws -> Row) throws -> [Row] {
        defer { reset() }
        var rows: [Row] = []
        while try step() { rows.append(try read(self)) }
        return rows
    }

    /// Reads the first row, if there is one.
    func first<Row>(_ read: (Statement) throws -> Row) throws -> Row? {
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    // MARK: Parameters

    /// SQLITE_TRANSIENT: SQLite copies what it is given. The macro is a cast that Swift does not import.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// `sqlite3_bind_int64`, or `sqlite3_bind_null`.
    @discardableResult
    func bind(_ value: Int64?) -> Statement {
        parameter += 1
        if let value {
            sqlite3_bind_int64(handle, parameter, value)
        } else {
            sqlite3_bind_null(handle, parameter)
        }
        return self
    }

    @discardableResult
    func bind(_ value: (some FixedWidthInteger)?) -> Statement { bind(value.map { Int64($0) }) }

    /// Binds a later parameter, out of order.
    func bind(_ value: UInt32, at place: Int32) { sqlite3_bind_int64(handle, place, Int64(value)) }

    @discardableResult
    func bind(_ value: Bool?) -> Statement { bind(value.map { $0 ? 1 : 0 as Int64 }) }

    /// `sqlite3_bind_double`. SQLite stores NaN as NULL.
    @discardableResult
    func bind(_ value: Double?) -> Statement {
        guard let value else { return bind(nil as Int64?) }
        parameter += 1
        sqlite3_bind_double(handle, parameter, value)
        return self
    }

    /// `sqlite3_bind_text64`.
    @discardableResult
    func bind(_ value: String?) -> Statement {
        guard var text = value else { return bind(nil as Int64?) }
        parameter += 1
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // An empty buffer has no address, which would mean NULL.
                let start = characters.baseAddress
                if let start {
                    sqlite3_bind_text64(
                        handle, parameter, start, UInt64(characters.count), Self.transient, UInt8(SQLITE_UTF8))
                } else {
                    sqlite3_bind_text64(handle, parameter, "", 0, Self.transient, UInt8(SQLITE_UTF8))
                }
            }
        }
        return self
    }

    /// `sqlite3_bind_blob64`, or `sqlite3_bind_zeroblob` for no bytes.
    @discardableResult
    func bind(_ value: [UInt8]?) -> Statement {
        guard let value else { return bind(nil as Int64?) }
        parameter += 1
        if value.isEmpty {
            sqlite3_bind_zeroblob(handle, parameter, 0)
        } else {
            sqlite3_bind_blob64(handle, parameter, value, UInt64(value.count), Self.transient)
        }
        return self
    }

    // MARK: Columns

    /// `sqlite3_column_int64` of the next column; NULL is 0.
    func integer() -> Int64 {
        defer { column += 1 }
        return sqlite3_column_int64(handle, column)
    }

    /// The next column; nil for NULL.
    func integerOrNil() -> Int64? {
        if isNull() { return nil }
        return integer()
    }

    /// A time of the next column, nil for NULL and for 0: radios without a clock write 0 for "not known", and so did archives
    /// and databases that were imported.
    func timeOrNil() -> Int64? { integerOrNil().flatMap { $0 > 0 ? $0 : nil } }

    func unsigned() -> UInt32 { UInt32(truncatingIfNeeded: integer()) }
    func unsignedOrNil() -> UInt32? { integerOrNil().map { UInt32(truncatingIfNeeded: $0) } }
    func signedOrNil() -> Int32? { integerOrNil().map { Int32(truncatingIfNeeded: $0) } }
    func intOrNil() -> Int? { integerOrNil().map { Int(truncatingIfNeeded: $0) } }
    func flag() -> Bool { integer() != 0 }
    func flagOrNil() -> Bool? { integerOrNil().map { $0 != 0 } }

    /// `sqlite3_column_double`.
    func doubleOrNil() -> Double? {
        if isNull() { return nil }
        defer { column += 1 }
        return sqlite3_column_double(handle, column)
    }

    /// `sqlite3_column_text` and `sqlite3_column_bytes`.
    func textOrNil() -> String? {
        guard let start = sqlite3_column_text(handle, column) else {
            column += 1
            return nil
        }
        defer { column += 1 }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func text() -> String { textOrNil() ?? "" }

    /// The bytes of the next column, as they are, for the time of the call.
    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        defer { column += 1 }
        let start = sqlite3_column_text(handle, column)
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// `sqlite3_column_blob` and `sqlite3_column_bytes`.
    func bytesOrNil() -> [UInt8]? {
        if isNull() { return nil }
        defer { column += 1 }
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func bytes() -> [UInt8] { bytesOrNil() ?? [] }

    /// Whatever it holds, by its place. Does not pass the column.
    func value(at place: Int32) -> ForeignValue {
        switch sqlite3_column_type(handle, place) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, place))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, place))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, place)
            let count = Int(sqlite3_column_bytes(handle, place))
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, place)
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, place)))))
        default: return .null
        }
    }

    /// `sqlite3_column_type` says SQLITE_NULL. Passes the column when it is.
    private func isNull() -> Bool {
        guard sqlite3_column_type(handle, column) == SQLITE_NULL else { return false }
        column += 1
        return true
    }
}
