import CSQLite
import Glibc
import MeshModel
import Platform
import Synchronization

/// Read-only connections, one for each caller at a time.
final class ReaderPool: Sendable {
    /// Connections that are kept for the next callers: the network's thread seldom meets more than one other that reads, of
    /// the local socket or a gateway's own. Each has the schema, its statements and pages: 300 kB, which one that a busy
    /// moment has opened would hold for years.
    private static let kept = 2

    private struct State {
        var access: DatabaseConnection.Access
        /// Rooms that read again and again, on threads of their own: one more is kept for all of them.
        var standing = 0
        var idle: [DatabaseConnection] = []
        /// Connections that are lent.
        var busy = 0
        var isClosed = false
    }

    private let path: String
    let counts = MessageCounts()
    private let seriesCounts = SeriesCounts()
    private let seriesPages = SeriesPages()
    private let mobility = Mobility()
    private let state: Mutex<State>

    init(path: String, access: DatabaseConnection.Access, first: DatabaseConnection? = nil) {
        self.path = path
        state = Mutex(State(access: access, idle: first.map { [$0] } ?? []))
    }

    /// ``read(_:)`` that comes to an end.
    ///
    /// - Parameters:
    ///   - nanoseconds: after which SQLite ends what it does (``StoreError/tookTooLong``).
    ///   - isWanted: asked meanwhile; false ends it likewise.
    func read<T>(
        within nanoseconds: UInt64, while isWanted: @escaping () -> Bool = { true }, _ body: (Reader) throws -> T
    ) throws -> T {
        let deadline = MonotonicClock.nanoseconds() + nanoseconds
        var isLate = false
        do {
            return try read { reader in
                // The clock is asked every millisecond or so.
                try reader.connection.asking(
                    every: 100_000,
                    {
                        isLate = MonotonicClock.nanoseconds() >= deadline || !isWanted()
                        return isLate
                    }, { try body(reader) })
            }
        } catch let error as StoreError where isLate && error.isInterruption {
            throw StoreError.tookTooLong
        }
    }

    /// Runs a body inside one read transaction: all its queries see the same state.
    func read<T>(_ body: (Reader) throws -> T) throws -> T {
        let connection = try borrow()
        defer { give(back: connection) }
        try connection.prepare("BEGIN").run()
        defer {
            // Ends the snapshot. A read transaction has nothing that could fail to commit.
            try? connection.prepare("COMMIT").run()
        }
        return try body(
            Reader(
                connection, counts: counts, seriesCounts: seriesCounts, seriesPages: seriesPages, mobility: mobility))
    }

    /// - Parameter change: 1 or -1.
    func changeStanding(by change: Int) { state.withLock { $0.standing += change } }

    func forgetCounts() {
        seriesCounts.forget()
        mobility.forget()
    }

    private func borrow() throws(StoreError) -> DatabaseConnection {
        let (isClosed, idle, access) = state.withLock { state in
            if !state.isClosed { state.busy += 1 }
            return (state.isClosed, state.idle.popLast(), state.access)
        }
        if isClosed { throw .closed }
        if let idle { return idle }
        do throws(StoreError) {
            return try Self.open(path, access)
        } catch {
            state.withLock { $0.busy -= 1 }
            throw error
        }
    }

    private func give(back connection: DatabaseConnection) {
        state.withLock { state in
            state.busy -= 1
            guard !state.isClosed, state.idle.count < Self.kept + min(state.standing, 1) else { return }
            // Who reads next takes the last one. The next write makes the pages of the others worthless: each begins again.
            state.idle.forEach { $0.releasePages() }
            state.idle.append(connection)
        }
    }

    /// Opens the database for writing, and then lets readers find a writer. No reader of before may be left: one that
    /// ends later would take the locks of the whole process with it (close(2) in fcntl(2), "unix-none").
    ///
    /// - Returns: nil while somebody reads.
    func replace<Opened>(with open: () throws(StoreError) -> Opened) throws(StoreError) -> Opened? {
        // Seldom, and short: here a reader waits for the disk.
        try state.withLock { state throws(StoreError) in
            guard state.busy == 0 else { return nil }
            state.idle.removeAll()
            let opened = try open()
            state.access = .readOnly
            return opened
        }
    }

    static func open(_ path: String, _ access: DatabaseConnection.Access) throws(StoreError) -> DatabaseConnection {
        let connection = try DatabaseConnection(path: path, access: access)
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY")
        return connection
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle.removeAll()
        }
    }
}

extension ReaderPool {
    /// Readers of a database of the present format on a disk that cannot be written, or has no room.
    ///
    /// - Returns: nil when it cannot be read either.
    static func withoutWriter(_ path: String) -> ReaderPool? {
        let access = accessWithoutWriter(path)
        guard let connection = try? open(path, access),
            (try? Migration.check(connection, path: path)) == Migration.supported
        else { return nil }
        return ReaderPool(path: path, access: access, first: connection)
    }

    /// How to read a database for which no `-shm` file can be made: nobody writes it, or it is not ours to disturb.
    static func accessWithoutWriter(_ path: String) -> DatabaseConnection.Access {
        var log = stat()
        return stat(path + "-wal", &log) == 0 && log.st_size > 0 ? .alone : .immutable
    }
}

extension Store {
    /// Opens a database for reading only, beside a running daemon or without one: for the command line.
    ///
    /// - Throws: a ``StoreError`` whose description is a sentence for people.
    public static func openReadOnly(path given: String) throws(StoreError) -> ReadOnlyStore {
        let opened = try openAsItIs(path: given)
        // Empty: nobody has written yet. Older: only a writer may bring it up to date.
        guard opened.format > 0 else { throw .missing(path: opened.path) }
        guard opened.format == Migration.supported else { throw .older(path: opened.path, version: opened.format) }
        return ReadOnlyStore(path: opened.path, opened.connection, opened.access)
    }
}

/// A database that is only read.
public final class ReadOnlyStore: Sendable {
    public let path: String
    private let readers: ReaderPool

    fileprivate init(path: String, _ first: DatabaseConnection, _ access: DatabaseConnection.Access) {
        self.path = path
        readers = ReaderPool(path: path, access: access, first: first)
    }

    /// Reads one consistent state of the database: what the daemon, if one runs, has committed.
    public func read<T>(_ body: (Reader) throws -> T) throws -> T { try readers.read(body) }
}
