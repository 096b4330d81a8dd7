import CSQLite
import Glibc
import Platform
import Synchronization

/// The database file before SQLite sees it: its folder, its permissions, and the lock that keeps a second daemon out.
///
/// The lock is a file of its own. Opening and closing the database beside SQLite would drop the POSIX locks that SQLite
/// holds on it.
final class DatabaseFile: Sendable {
    /// With symbolic links resolved, so that two names of one file meet at one lock.
    let path: String
    private let lock: Mutex<Int32?>
    /// The database and its log when they were opened.
    private let opened = Mutex<[FileIdentity?]>([])

    /// Makes the folder when only the last component is missing, takes the lock, and makes an empty file of mode 0600
    /// (channel keys are in it).
    ///
    /// - Parameters:
    ///   - isMade: false: where there is no file, there is none afterwards.
    ///   - awaitsDisk: where no file can be made for the lock, a database that is there is not locked before it is opened.
    init(path given: String, isMade: Bool = true, awaitsDisk: Bool = false) throws(StoreError) {
        let (folder, name) = Self.split(given)
        if mkdir(folder, 0o750) != 0, errno != EEXIST {
            throw errno == ENOENT || errno == ENOTDIR ? .noFolder(path: folder) : Self.refusal(errno, path: folder)
        }
        guard let resolved = realPath(given) ?? realPath(folder).map({ $0 + "/" + name }) else {
            throw Self.refusal(errno, path: given)
        }
        path = resolved
        lock = Mutex(nil)
        do throws(StoreError) {
            try takeLock()
        } catch {
            guard awaitsDisk, error.isOfTheDisk, access(resolved, F_OK) == 0 else { throw error }
        }
        if isMade { try Self.create(resolved) }
    }

    private func takeLock() throws(StoreError) {
        try lock.withLock { descriptor throws(StoreError) in
            if descriptor == nil { descriptor = try Self.takeLock(for: path) }
        }
    }

    deinit { unlock() }

    /// Lets another process, or another ``Store``, have the file.
    func unlock() {
        lock.withLock { descriptor in
            guard let held = descriptor else { return }
            // Closed only, a program that another thread is starting would hold the lock until it runs.
            flock(held, LOCK_UN)
            close(held)
            descriptor = nil
        }
    }

    /// Opens the database for reading and writing, as a database of ours.
    func open() throws(StoreError) -> DatabaseConnection {
        try takeLock()
        guard access(path, R_OK) == 0 else { throw .permissionDenied(path: path) }
        guard access(path, W_OK) == 0 else { throw .readOnly(path: path) }
        do throws(StoreError) {
            return try DatabaseConnection(path: path, access: .readWrite)
        } catch {
            throw error.named(path)
        }
    }

    /// Call when database and log are open.
    func noteIdentity() { opened.withLock { $0 = identities } }

    /// False when the database or its log was deleted or replaced: what is written then goes to files without a name.
    var isInPlace: Bool { opened.withLock { $0 == identities } }

    private var identities: [FileIdentity?] { [FileIdentity(path), FileIdentity(path + "-wal")] }

    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// `flock` on `<path>.lock`, whose text is the holder's process number.
    private static func takeLock(for path: String) throws(StoreError) -> Int32 {
        let lock = path + ".lock"
        var descriptor = make(lock)
        // No link is followed: root may be at work in the folder of a user who is not to be trusted with other files.
        if descriptor < 0, errno == EEXIST { descriptor = Glibc.open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
        // A lock needs nothing to be written.
        if descriptor < 0, errno == EROFS { descriptor = Glibc.open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw refusal(errno == ENOENT ? EROFS : errno, path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            throw .inUse(path: path, process: holder(descriptor))
        }
        let text = Array("\(getpid())\n".utf8)
        // Only for the sentence that a second one gets to read: not worth a failure.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        return descriptor
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        let process = Int32(String(decoding: text[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        // On a read-only disk it is still the number of who had it before.
        return process.flatMap { kill($0, 0) == 0 || errno == EPERM ? $0 : nil }
    }

    private static func create(_ path: String) throws(StoreError) {
        let descriptor = make(path)
        if descriptor >= 0 {
            close(descriptor)
            syncFolders(of: path)
        } else if errno != EEXIST {
            throw refusal(errno, path: path)
        }
    }

    /// A new file of mode 0600. What root makes belongs to the owner of the folder: a command of root's may come before the
    /// service, which runs under a user of its own, has made its database.
    static func make(_ path: String) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0, geteuid() == 0 else { return descriptor }
        var folder = stat()
        if stat(split(path).folder, &folder) == 0 { _ = fchown(descriptor, folder.st_uid, folder.st_gid) }
        return descriptor
    }

    /// `fsync` of every folder above a new file: a name, and any folder that was made for it, is on disk when the folder
    /// around it is. File systems that cannot do this to a folder do not need it.
    private static func syncFolders(of path: String) {
        var folder = path
        while folder != "/" {
            syncFolder(of: folder)
            folder = split(folder).folder
        }
    }

    static func syncFolder(of path: String) {
        let descriptor = Glibc.open(split(path).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func refusal(_ code: Int32, path: String) -> StoreError {
        switch code {
        case EACCES, EPERM: .permissionDenied(path: path)
        case EROFS: .readOnly(path: path)
        case ENOENT, ENOTDIR: .noFolder(path: path)
        default: .failed(code: SQLITE_CANTOPEN, message: String(cString: strerror(code)), during: "open \(path)")
        }
    }
}

/// Which file a name leads to (`stat`).
struct FileIdentity: Hashable {
    private var device: dev_t
    private var node: ino_t

    /// Nil: to none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, node) = (status.st_dev, status.st_ino)
    }
}

extension StoreError {
    /// SQLite's report about a file that it could not use, as the case with the sentence for people.
    func named(_ path: String) -> StoreError {
        guard case .failed(let code, _, _) = self else { return self }
        switch code & 0xFF {
        case SQLITE_NOTADB: return .notADatabase(path: path)
        case SQLITE_READONLY: return .readOnly(path: path)
        case SQLITE_PERM, SQLITE_AUTH: return .permissionDenied(path: path)
        default: return self
        }
    }
}
