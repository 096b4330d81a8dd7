import CSQLite
import Glibc
import MeshModel
import Synchronization

/// Read-only connections, one for each caller at a time.
final class ReaderPool: Sendable {
    /// Connections that are kept for the next callers. The HTTP server has two threads.
    private static let kept = 4

    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    private let path: String
    private let access: Connection.Access
    private let counts = MessageCounts()
    private let seriesCounts = SeriesCounts()
    private let seriesPages = SeriesPages()
    private let state = Mutex(State())

    init(path: String, access: Connection.Access, first: consuming Connection? = nil) {
        self.path = path
        self.access = access
        if let first { give(back: first) }
    }

    /// Runs a body inside one read transaction: all its queries see the same state.
    func read<T>(_ body: (Reader) throws -> T) throws -> T {
        let connection = try take()
        defer { give(back: connection) }
        try connection.prepare("BEGIN").run()
        defer {
            // Ends the snapshot. A read transaction has nothing that could fail to commit.
            try? connection.prepare("COMMIT").run()
        }
        return try body(Reader(connection, counts: counts, seriesCounts: seriesCounts, seriesPages: seriesPages))
    }

    private func take() throws(StoreError) -> Connection {
        let idle = state.withLock { state in
            if state.isClosed { return Result<Connection?, StoreError>.failure(.closed) }
            return .success(state.idle.popLast())
        }
        if let connection = try idle.get() { return connection }
        return try Self.open(path, access)
    }

    private func give(back connection: Connection) {
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.kept { state.idle.append(connection) }
        }
    }

    static func open(_ path: String, _ access: Connection.Access) throws(StoreError) -> Connection {
        let connection = try Connection(path: path, access: access)
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY")
        return connection
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle.removeAll()
        }
    }
}

extension Store {
    /// Opens a database for reading only, beside a running daemon or without one: for the command line.
    ///
    /// - Throws: a ``StoreError`` whose description is a sentence for people.
    public static func openReadOnly(path given: String) throws(StoreError) -> ReadOnlyStore {
        guard let path = DatabaseFile.realPath(given) else {
            throw errno == ENOENT ? .missing(path: given) : DatabaseFile.refusal(errno, path: given)
        }
        guard Glibc.access(path, R_OK) == 0 else { throw DatabaseFile.refusal(errno, path: path) }
        do throws(StoreError) {
            // Without a writer's `-shm` file SQLite makes one. Where we may not, there is no writer either, or it is
            // not ours to disturb: then the file is taken as it is.
            do throws(StoreError) {
                return try ReadOnlyStore(path: path, access: .readOnly)
            } catch {
                guard case .failed(let code, _, _) = error,
                    [SQLITE_CANTOPEN, SQLITE_READONLY].contains(code & 0xFF)
                else { throw error }
                return try ReadOnlyStore(path: path, access: .immutable)
            }
        } catch {
            throw error.named(path)
        }
    }
}

/// A database that is only read.
public final class ReadOnlyStore: Sendable {
    public let path: String
    private let readers: ReaderPool

    fileprivate init(path: String, access: Connection.Access) throws(StoreError) {
        let connection = try ReaderPool.open(path, access)
        guard try Migration.check(connection, path: path) == Migration.supported else {
            // Older: only a writer may bring it up to date. Empty: nobody has written yet.
            throw .missing(path: path)
        }
        self.path = path
        readers = ReaderPool(path: path, access: access, first: connection)
    }

    /// Reads one consistent state of the database: what the daemon, if one runs, has committed.
    public func read<T>(_ body: (Reader) throws -> T) throws -> T { try readers.read(body) }
}
