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
    /// Written by a newer version of this program, which one if the file tells it.
    case newer(path: String, version: Int, supported: Int, program: String? = nil)
    /// Of an older format, which only a writer may bring up to date.
    case older(path: String, version: Int)
    /// Too little of the disk is free to bring it to the present format; in bytes.
    case noRoom(path: String, needed: Int64, free: Int64)
    /// Somebody wanted it to end while it was brought to the present format. It is as it was.
    case interrupted(path: String)
    /// The open file is not the one at its path any more.
    case displaced(path: String)
    /// Another daemon or command has it open for writing.
    case inUse(path: String, process: Int32?)
    /// An active token already has this name.
    case nameTaken(String)
    /// This very token is already active.
    case tokenKnown
    /// The token that registers is not active any more.
    case tokenRevoked
    /// The token that makes another one is not active any more.
    case makerRevoked
    /// So many active tokens were made by this one already.
    case tooManyOfMaker(Int)
    /// So many tokens are active already.
    case tooManyTokens(Int)
    case closed
    /// A reading had so much to look through that it was ended.
    case tookTooLong
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
            "\(path): this database belongs to another program; name another file with --database; the history of a"
                + " MeshMonitor is taken over with: mesh-gateway take-over \(path)"
        case .newer(let path, let version, let supported, let program):
            "\(path): the database was written by a newer version of mesh-gateway (format \(version)"
                + (program.map { " of version \($0)" } ?? "") + ", this one knows up to \(supported)); install that"
                + " version again" + (program.map { ": sudo apt install ./mesh-gateway_\($0)_*.deb" } ?? "")
                + ", or go back to a backup: mesh-gateway restore FILE, or choose another file with --database"
        case .older(let path, let version):
            "\(path): the database is of an older format (\(version), this one is \(Migration.supported)); mesh-gateway"
                + " serve brings it up to date"
        case .noRoom(let path, let needed, let free):
            "\(path): bringing the database to the present format needs \(Self.megabytes(needed)) of free disk space,"
                + " and there are \(Self.megabytes(free)); nothing was changed; make room, and start it again"
        case .interrupted(let path):
            "\(path): the database was not brought to the present format, because it was to stop; it is as it was, and"
                + " the next start begins again"
        case .displaced(let path):
            "\(path) was deleted or replaced while it was in use; put it back, or restart with what is there now:"
                + " sudo systemctl restart mesh-gateway"
        case .inUse(let path, let process):
            "\(path): the database is in use by another mesh-gateway" + (process.map { " (process \($0))" } ?? "")
        case .nameTaken(let name):
            "there is already a token called \(name)"
        case .tokenKnown:
            "this token is already known"
        case .tokenRevoked:
            "the token has been revoked, or has expired"
        case .makerRevoked:
            "the token that was to make it has been revoked, or has expired"
        case .tooManyOfMaker(let count):
            "\(count) tokens that this one has made are active; revoke one of them: mesh-gateway token revoke NAME"
        case .tooManyTokens(let count):
            "\(count) tokens are active; revoke one that nobody uses: mesh-gateway token list shows them"
        case .closed:
            "the database has been closed"
        case .tookTooLong:
            "there are too many rows to search; ask for fewer at once, or for newer ones"
        case .failed(let code, let message, let during):
            "the database failed: \(message) (code \(code), while it tried to \(during))"
        }
    }
}

extension StoreError {
    /// Rounded up: "12 MB".
    private static func megabytes(_ bytes: Int64) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

    static func stopped(before task: String) -> StoreError {
        .failed(code: 9, message: "interrupted", during: task)
    }

    /// SQLITE_INTERRUPT.
    var isInterruption: Bool {
        guard case .failed(let code, _, _) = self else { return false }
        return code & 0xFF == 9
    }

    /// True when the disk or the database itself is at fault, not the change that met it: the change is worth another
    /// try (SQLite's primary result codes BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL,
    /// NOTADB).
    public var concernsStorage: Bool {
        if case .displaced = self { return true }
        guard case .failed(let code, _, _) = self else { return false }
        return [5, 6, 7, 8, 10, 11, 13, 14, 15, 26].contains(code & 0xFF)
    }

    /// The disk is full, read-only or broken, and may be well again: SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and
    /// SQLITE_CANTOPEN. A file that its owner has made read-only is no fault of the disk.
    var isOfTheDisk: Bool {
        switch self {
        case .readOnly(let path): isOnReadOnlyDisk(path)
        case .failed(let code, _, _): [8, 10, 13, 14].contains(code & 0xFF)
        default: false
        }
    }

    /// SQLITE_FULL, SQLITE_IOERR and SQLITE_NOMEM.
    var isShortOfSpace: Bool {
        guard case .failed(let code, _, _) = self else { return false }
        return [13, 10, 7].contains(code & 0xFF)
    }
}
