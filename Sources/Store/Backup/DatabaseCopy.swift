import CSQLite
import Glibc

// A copy of a database that is in use.
//
// 1. It must be one state: all that one transaction sees. In WAL mode a reader's transaction is a snapshot that no writer
//    waits for, and that no writer disturbs.
// 2. `VACUUM INTO` cannot run inside a transaction, so that nothing could be compared with the state that it copied. The
//    pages are copied instead (`sqlite3_backup_step`) while the transaction is open: then a writer does not make it start
//    over, rows can be counted in the same state, and it can tell how far it is. With 184 MB it takes 0.6 s where VACUUM
//    INTO takes 1.4 s, for a file that is a fifth larger.
// 3. The log cannot start again from its beginning as long as a snapshot is held. So it is held for the copying and the
//    counting, and not for the checking, which takes longer.
// 4. The copy is checked before anybody relies on it: every page and index, the rows of each table, and whose it is.

/// How far a copy is.
public enum CopyProgress: Hashable, Sendable {
    /// Bytes.
    case copying(done: Int64, of: Int64)
    case checking
}

/// What is in a copy.
public struct CopiedDatabase: Hashable, Sendable {
    public struct Table: Hashable, Sendable {
        public var name: String
        public var rows: Int64
    }

    /// Of its schema, as this program counts them.
    public var format: Int
    /// By name.
    public var tables: [Table]
    /// Texts and requests that had not gone out yet.
    public var waiting: Int64
    public var bytes: Int64 = 0

    public var rows: Int64 { tables.reduce(0) { $0 + $1.rows } }
    /// It is brought up to date when it is opened for writing.
    public var isOlder: Bool { format < Migration.supported }
}

enum DatabaseCopy {
    /// Pages between two words about the progress.
    private static let step: Int32 = 4096

    /// Copies what the source holds now, and checks the copy.
    ///
    /// - Parameter target: an empty file.
    static func make(
        of source: DatabaseConnection, at path: String, into target: UnfinishedFile,
        progress: (CopyProgress) -> Void
    ) throws -> CopiedDatabase {
        let copied = try source.reading {
            let pages = try source.integer("PRAGMA page_count") ?? 0
            let size = try pages * (source.integer("PRAGMA page_size") ?? 0)
            if let free = freeSpace(for: target.path), free < size {
                throw FileError.noSpace(path: target.path, needed: size, free: free)
            }
            do {
                try copyPages(of: source, to: target.workingPath) { done, total in
                    progress(.copying(done: size * done / max(1, total), of: size))
                }
            } catch let error as StoreError where error.isFull {
                throw FileError.noSpace(path: target.path, needed: size, free: freeSpace(for: target.path) ?? 0)
            }
            return try CopiedDatabase(countedIn: source, path: path)
        }
        source.close()
        try endLog(of: target)
        progress(.checking)
        return try checked(target, against: copied)
    }

    /// - Parameter source: what has to be in it.
    static func checked(_ target: UnfinishedFile, against source: CopiedDatabase) throws -> CopiedDatabase {
        try check(target, against: source)
        var copied = source
        copied.bytes = try target.size
        return copied
    }

    /// Neither a journal nor a wait for the disk: the owner of the file waits once, at the end.
    private static func copyPages(
        of source: DatabaseConnection, to path: String, progress: (Int64, Int64) -> Void
    ) throws(StoreError) {
        let target = try DatabaseConnection(path: path, access: .readWrite)
        defer { target.close() }
        try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1024")
        try source.copyPages(to: target, step: step, progress: progress)
    }

    /// Makes it one file, which can be opened where nothing may be written: its header said that there is a log.
    /// (SQLite's file format, 1.3: the write and the read version, 2 for a database with a log, 1 for one without.)
    private static func endLog(of target: UnfinishedFile) throws(FileError) {
        let versions: [UInt8] = [1, 1]
        guard pwrite(target.descriptor, versions, 2, 18) == 2 else { throw .system(path: target.path, errno) }
    }

    private static func check(_ target: UnfinishedFile, against source: CopiedDatabase) throws {
        let copy = try DatabaseConnection(path: target.workingPath, access: .immutable)
        defer { copy.close() }
        let damages = try copy.damages()
        guard damages.isEmpty else {
            throw FileError.damaged(path: target.path, reason: damages.joined(separator: "; "))
        }
        guard try CopiedDatabase(countedIn: copy, path: target.path) == source else {
            throw FileError.damaged(path: target.path, reason: "it has not all rows of the database")
        }
    }
}

extension DatabaseConnection {
    /// One state of the database.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        // The transaction begins with the first page that is read.
        _ = try integer("SELECT count(*) FROM sqlite_schema")
        defer { try? execute("COMMIT") }
        return try body()
    }

    /// `sqlite3_backup_init`, `_step` and `_finish`.
    fileprivate func copyPages(
        to target: DatabaseConnection, step: Int32, progress: (Int64, Int64) -> Void
    ) throws(StoreError) {
        let task = "copy the database"
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw .report(sqlite3_errcode(target.handle), on: target.handle, during: task)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, step)
            let total = Int64(sqlite3_backup_pagecount(backup))
            progress(total - Int64(sqlite3_backup_remaining(backup)), total)
        }
        let reason = errno
        sqlite3_backup_finish(backup)
        errno = reason
        guard code == SQLITE_DONE else { throw .report(code, on: target.handle, during: task) }
    }

    /// `PRAGMA integrity_check`, which compares the indexes with their tables as well: SQLite's sentences, a few of them;
    /// empty: nothing is wrong.
    fileprivate func damages() throws(StoreError) -> [String] {
        do throws(StoreError) {
            let statement = try once("PRAGMA integrity_check(3)")
            var found: [String] = []
            while try statement.step() { found.append(statement.text()) }
            return found.filter { $0 != "ok" }
        } catch .failed(let code, let message, _) where code & 0xFF == SQLITE_CORRUPT {
            return [message]
        }
    }
}

extension CopiedDatabase {
    init(countedIn connection: DatabaseConnection, path: String) throws {
        format = try Migration.check(connection, path: path)
        tables = try connection.tables().sorted().map { name in
            Table(name: name, rows: try connection.integer("SELECT count(*) FROM \(quoted(name))") ?? 0)
        }
        waiting = tables.first { $0.name == "outbox" }?.rows ?? 0
    }
}

extension UnfinishedFile {
    /// Bytes.
    fileprivate var size: Int64 {
        get throws {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileError.system(path: path, errno) }
            return Int64(status.st_size)
        }
    }
}

extension StoreError {
    /// SQLITE_FULL, or a write that the kernel refused for want of space or of a user's share of it.
    fileprivate var isFull: Bool {
        guard case .failed(let code, _, _) = self else { return false }
        return code & 0xFF == SQLITE_FULL
    }
}
