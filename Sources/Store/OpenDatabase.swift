/// A database that is open for writing.
struct OpenDatabase: Sendable {
    let file: DatabaseFile
    let connection: DatabaseConnection

    /// - Parameters:
    ///   - program: this version, which the file remembers with a new format.
    ///   - observer: who is told while an older file is brought to the present format.
    ///   - isTried: whether something is written, to see that it goes.
    init(
        _ file: DatabaseFile, _ program: String?, _ observer: (any UpgradeObserver)? = nil, isTried: Bool = false
    ) throws(StoreError) {
        self.file = file
        connection = try file.open()
        do throws(StoreError) {
            try Self.prepare(connection, path: file.path, program, observer)
            if isTried { try connection.execute("PRAGMA user_version = \(Migration.supported)") }
        } catch {
            throw error.named(file.path)
        }
        file.noteIdentity()
    }

    static func prepare(
        _ connection: DatabaseConnection, path: String, _ program: String? = nil,
        _ observer: (any UpgradeObserver)? = nil
    ) throws(StoreError) {
        let version = try Migration.check(connection, path: path)
        // The page size can only be chosen for an empty file. Small pages, because a packet changes a few rows in as many
        // places: 1 kB pages write about a third of what 4 kB pages do.
        if version == 0 { try connection.execute("PRAGMA page_size = 1024") }
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = 4194304;
            PRAGMA cache_size = -512;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST;
            PRAGMA foreign_keys = OFF;
            """)
        try Migration.run(connection, path: path, program: program, observer: observer)
        // A disk that is full keeps nobody from reading: then there is a key of this run alone.
        try? EventKey.makeIfMissing(on: connection)
        try? StoredPushKey.makeIfMissing(on: connection)
    }
}

/// What a store begins with.
struct Start: Sendable {
    let file: DatabaseFile
    /// Nil: the disk does not allow it, which is the problem.
    let database: OpenDatabase?
    let problem: StoreError?
    let readers: ReaderPool

    /// - Parameter awaitsDisk: a disk that cannot be written is a problem, and no error.
    init(
        _ path: String, _ program: String?, _ observer: (any UpgradeObserver)?, awaitsDisk: Bool
    ) throws(StoreError) {
        let file = try DatabaseFile(path: path, awaitsDisk: awaitsDisk)
        do throws(StoreError) {
            self = try Self(file, OpenDatabase(file, program, observer))
        } catch {
            guard awaitsDisk, error.isOfTheDisk, let readers = ReaderPool.withoutWriter(file.path) else { throw error }
            self = Self(file: file, database: nil, problem: error, readers: readers)
        }
    }

    private init(file: DatabaseFile, database: OpenDatabase?, problem: StoreError?, readers: ReaderPool) {
        self.file = file
        self.database = database
        self.problem = problem
        self.readers = readers
    }

    /// Nobody else can write any more: readers find the log as it is now. The first one is opened at once: should the file
    /// be deleted or replaced, what it held can still be read.
    private init(_ file: DatabaseFile, _ database: OpenDatabase) throws(StoreError) {
        let reader = try ReaderPool.open(file.path, .readOnly)
        self.init(
            file: file, database: database, problem: nil,
            readers: ReaderPool(path: file.path, access: .readOnly, first: reader))
    }
}
