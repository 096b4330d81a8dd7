import CSQLite
import Glibc
import JSON

/// One SQLite connection with the statements that it has prepared.
///
/// `@unchecked Sendable`: the handle is opened with SQLITE_OPEN_NOMUTEX, so only one thread at a time may use it. The
/// writer's belongs to the writer thread; a reader's is lent by the pool to one caller at a time.
final class DatabaseConnection: @unchecked Sendable {
    enum Access {
        case readWrite
        case readOnly
        /// Nobody may be writing, and no `-shm` file is made: for a database without a log, where nothing can be made.
        case immutable
        /// The same, with what is in the log: its index is in memory (locking_mode EXCLUSIVE, before the first access) and
        /// nothing is locked (VFS "unix-none").
        case alone
    }

    /// Of the whole process. The caches' sizes are OpenDatabase's and ReaderPool's.
    private static let isConfigured: Void = { _ = mg_sqlite_configure() }()

    let handle: OpaquePointer
    private var literals = StatementTable()
    private var composed: [String: Statement] = [:]
    /// Pages in the write-ahead log after the last commit of this connection.
    private(set) var logPages = 0

    /// `sqlite3_open_v2`.
    init(path: String, access: Access) throws(StoreError) {
        Self.isConfigured
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var name = path
        if access == .immutable || access == .alone {
            flags |= SQLITE_OPEN_URI
            name = "file:" + Self.escaped(path) + (access == .alone ? "?vfs=unix-none" : "?immutable=1")
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let task = "open the database"
            let error = opened.map { StoreError.report(code, on: $0, during: task) }
            sqlite3_close_v2(opened)
            throw error ?? StoreError.failed(code: code, message: "out of memory", during: task)
        }
        handle = opened
        // Only a foreign program (a backup, the sqlite3 shell) can hold a lock that we have to wait for.
        sqlite3_busy_timeout(handle, 5_000)
        if access == .alone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    deinit { close() }

    private var isClosed = false

    private final class Question {
        let isEnded: () -> Bool
        init(_ isEnded: @escaping () -> Bool) { self.isEnded = isEnded }
    }

    /// `sqlite3_finalize` of every statement and `sqlite3_close_v2`. Nothing else may be called afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        literals.removeAll()
        composed.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Leaves everything as it is, until the process ends: closing would delete the log by its name, which may be another
    /// database's by now.
    func abandon() {
        isClosed = true
        _ = Unmanaged.passRetained(self)
    }

    /// Follows the size of the write-ahead log (`sqlite3_wal_hook`), which also ends SQLite's own checkpoints: they
    /// would run inside a commit that somebody waits for.
    func followLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                Unmanaged<DatabaseConnection>.fromOpaque(context!).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// `sqlite3_wal_checkpoint_v2` in passive mode: moves what no reader needs into the database file.
    func checkpoint() throws(StoreError) {
        // A connection that has not read yet knows of no log.
        try execute("PRAGMA user_version")
        try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil), "move the log")
    }

    /// `sqlite3_db_release_memory`: gives up the pages that nobody uses at the moment.
    func releasePages() { sqlite3_db_release_memory(handle) }

    /// `sqlite3_exec` without a result.
    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// A statement that is ready to be bound, prepared once for each literal in the source.
    func prepare(_ sql: StaticString) throws(StoreError) -> Statement {
        if let known = literals[sql] { return known.reset() }
        let statement = try Statement(sql.description, on: handle)
        literals.insert(statement, for: sql)
        return statement
    }

    /// The same for one of the few statements that are put together from fixed pieces.
    func prepare(composed sql: String) throws(StoreError) -> Statement {
        if let known = composed[sql] { return known.reset() }
        let statement = try Statement(sql, on: handle)
        composed[sql] = statement
        return statement
    }

    /// A statement that is not kept.
    func once(_ sql: String) throws(StoreError) -> Statement { try Statement(sql, on: handle) }

    /// The first column of the first row.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try once(sql)
        return try statement.step() ? statement.integer() : nil
    }

    /// `sqlite3_get_autocommit`: false inside a transaction.
    var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// `sqlite3_last_insert_rowid`.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// `sqlite3_changes`: rows that the last INSERT, UPDATE or DELETE touched.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// `sqlite3_total_changes64`.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// `sqlite3_interrupt`, which another thread may call as long as this connection is open.
    var interruption: @Sendable () -> Void {
        struct Handle: @unchecked Sendable { let value: OpaquePointer }
        let handle = Handle(value: handle)
        return { sqlite3_interrupt(handle.value) }
    }

    /// `sqlite3_progress_handler`: while the body runs, somebody is asked again and again whether it is to end
    /// (SQLITE_INTERRUPT).
    ///
    /// - Parameter instructions: of SQLite's machine, between two questions.
    func asking<Result, Failure: Error>(
        every instructions: Int32, _ isEnded: @escaping () -> Bool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let question = Question(isEnded)
        defer { withExtendedLifetime(question) { sqlite3_progress_handler(handle, 0, nil, nil) } }
        sqlite3_progress_handler(
            handle, instructions,
            { Unmanaged<Question>.fromOpaque($0!).takeUnretainedValue().isEnded() ? 1 : 0 },
            Unmanaged.passUnretained(question).toOpaque())
        return try body()
    }

    private func check(_ code: Int32, _ task: String) throws(StoreError) {
        guard code == SQLITE_OK else {
            throw .report(code, on: handle, during: task)
        }
    }

    /// A path as part of a `file:` URI: what has a meaning there is written in hexadecimal.
    private static func escaped(_ path: String) -> String {
        PercentEncoding.encode(path) { "%?#".utf8.contains($0) }
    }
}

extension StoreError {
    /// What SQLite says about its last call on a connection (`sqlite3_errmsg`), and why the kernel refused what that call
    /// needed: "disk I/O error" alone does not help the person who looks after the disk.
    ///
    /// The reason is `errno`, which cleaning up after a failed call leaves alone; `sqlite3_system_errno` has it as well,
    /// but not when it was a COMMIT that failed.
    static func report(_ code: Int32, on database: OpaquePointer, during task: String) -> StoreError {
        let reason = errno
        var message = String(cString: sqlite3_errmsg(database))
        // A file that is too short (SQLITE_IOERR_SHORT_READ) was refused by nobody.
        let isRefused = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) && code >> 8 != 2
        if isRefused, reason != 0 { message += ": " + String(cString: strerror(reason)) }
        return .failed(code: code, message: message, during: task)
    }
}
