/// Why the database could not be opened, or a change was not stored.
public enum StoreError: Error, Hashable, Sendable {
    /// The folder of the database does not exist, and neither does the folder above it.
    case noFolder(path: String)
    /// Read-only opening of a file that is not there.
    case missing(path: String)
    case permissionDenied(path: String)
    /// It can be read, but not written.
    case readOnly(path: String)
    case notADatabase(path: String)
    /// A SQLite database, but another program's.
    case foreign(path: String)
    /// Written by a newer version of this program.
    case newer(path: String, version: Int, supported: Int)
    /// Another daemon or command has it open for writing.
    case inUse(path: String, process: Int32?)
    /// An active token already has this name.
    case nameTaken(String)
    /// This very token is already active.
    case tokenKnown
    case closed
    /// SQLite's own report: an extended result code, its message, and what was tried.
    case failed(code: Int32, message: String, during: String)
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noFolder(let path):
            "\(path): there is no such folder to put the database into"
        case .missing(let path):
            "\(path): there is no database yet; mesh-gateway serve makes one"
        case .permissionDenied(let path):
            "\(path): no permission to open the database; run as the user that owns it, or choose another file"
        case .readOnly(let path):
            "\(path): the database can be read but not written; check the file's owner and whether the disk is mounted"
                + " read-only"
        case .notADatabase(let path):
            "\(path): this file is not a database; name another with --database"
        case .foreign(let path):
            "\(path): this database belongs to another program"
        case .newer(let path, let version, let supported):
            "\(path): the database was written by a newer version of mesh-gateway (format \(version), this one knows"
                + " up to \(supported)); install that version again, or choose another file"
        case .inUse(let path, let process):
            "\(path): the database is in use by another mesh-gateway" + (process.map { " (process \($0))" } ?? "")
        case .nameTaken(let name):
            "there is already a token called \(name)"
        case .tokenKnown:
            "this token is already known"
        case .closed:
            "the database has been closed"
        case .failed(let code, let message, let during):
            "the database failed: \(message) (code \(code), while it tried to \(during))"
        }
    }
}

extension StoreError {
    /// True when the disk or the database itself is at fault, not the change that met it: the change is worth another
    /// try (SQLite's primary result codes BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL,
    /// NOTADB).
    var concernsStorage: Bool {
        guard case .failed(let code, _, _) = self else { return false }
        return [5, 6, 7, 8, 10, 11, 13, 14, 15, 26].contains(code & 0xFF)
    }

    /// SQLITE_FULL, SQLITE_IOERR and SQLITE_NOMEM.
    var isShortOfSpace: Bool {
        guard case .failed(let code, _, _) = self else { return false }
        return [13, 10, 7].contains(code & 0xFF)
    }
}
