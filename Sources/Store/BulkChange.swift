import Glibc

/// One change of a database that nobody else has open, as long as it takes: all of it, or nothing.
///
/// It runs on the caller's thread and in one transaction, so that neither a kill nor a power cut leaves half of it. The
/// body calls ``Writer/relieve()`` every some thousand rows.
public enum BulkChange {
    /// Kilobytes of pages in memory. Rows that come in the order of time touch the last page of many a series.
    private static let cache = 32_768

    /// - Parameters:
    ///   - path: made when there is none, as ``Store/init(path:retention:)`` does.
    ///   - program: this version, which a new file remembers.
    ///   - isKept: false: everything is undone in the end. A file that was not there is gone again, and one of an older
    ///     format is refused.
    /// - Throws: a ``StoreError``, or what the body throws.
    public static func run<Value>(
        path: String, program: String, isKept: Bool = true, _ body: (Writer) throws -> Value
    ) throws -> Value {
        let wasThere = access(path, F_OK) == 0
        let file = try DatabaseFile(path: path)
        var isDone = false
        defer {
            if !wasThere, !isDone { for suffix in ["", "-wal", "-shm", ".lock"] { unlink(file.path + suffix) } }
            file.unlock()
        }
        let connection = try file.open()
        defer { connection.close() }
        do throws(StoreError) {
            let format = try Migration.check(connection, path: file.path)
            if !isKept, wasThere, format != 0, format != Migration.supported {
                throw .older(path: file.path, version: format)
            }
            try OpenDatabase.prepare(connection, path: file.path, program)
            try connection.execute("PRAGMA cache_size = -\(cache); PRAGMA temp_store = FILE")
            try connection.execute("BEGIN IMMEDIATE")
        } catch {
            throw error.named(file.path)
        }
        do {
            let writer = Writer(connection, .unlimited)
            let value = try body(writer)
            if isKept {
                try finish(writer)
                try writer.forgetChanges()
            }
            try connection.execute(isKept ? "COMMIT" : "ROLLBACK")
            isDone = isKept
            return value
        } catch {
            // After some errors SQLite has rolled back by itself.
            if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func finish(_ writer: Writer) throws {
        try writer.flush()
        while writer.hasUnindexedMessages { try writer.indexMessages() }
        for table in SeriesTable.allCases { while try writer.countRows(of: table) {} }
    }
}
