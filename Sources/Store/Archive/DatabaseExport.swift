import Glibc

/// One state of a database, as lines of JSON (Archive.md).
public struct DatabaseExport {
    /// A file of the archive.
    public struct File {
        public let name: String
        fileprivate let statement: Statement

        /// Each line, without its line feed, for the time of the call.
        public func lines(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            defer { statement.reset() }
            while try statement.step() {
                try statement.withText { try body(UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// The format of archives that this version writes, and the newest that it reads.
    public static let format = 1

    private let connection: DatabaseConnection
    /// Symbolic links resolved.
    public let path: String

    /// Opens a database of this version's format, beside a running daemon or without one.
    ///
    /// - Throws: a ``StoreError``; ``FileError/older(path:)`` when no daemon of this version has had the database yet.
    public init(of given: String) throws {
        let opened = try Store.openAsItIs(path: given)
        guard opened.format > 0 else { throw StoreError.missing(path: opened.path) }
        guard opened.format == Migration.supported else { throw FileError.older(path: opened.path) }
        (connection, path) = (opened.connection, opened.path)
        try connection.addArchiveFunctions()
    }

    /// All files, of one state of the database. No writer waits meanwhile, but the log grows.
    ///
    /// - Parameter withSecrets: also the keys of channels, tokens, and what waits to be sent.
    public func files(withSecrets: Bool, _ body: (File) throws -> Void) throws {
        try connection.reading {
            for table in ArchivedTable.all where withSecrets || !table.isSecret {
                // A full disk has kept the daemon from making a table that belongs to no format.
                guard try connection.tables().contains(table.table) else { continue }
                let statement = try connection.once(table.select(withSecrets: withSecrets))
                try body(File(name: table.name, statement: statement))
            }
        }
    }

    /// UUID and name of each source, the oldest first.
    public func sources() throws -> [(uuid: String, name: String)] {
        try SourceRow.all(on: connection).map { ($0.source.uuid, $0.source.name) }
    }
}
