import Glibc
import Platform
import Synchronization

/// A file that is being written: under another name, `NAME.unfinished`, until it is whole and on disk. Nobody finds half
/// of one under its own name, whatever ends the process.
///
/// What a kill has left of one is removed by the next that is written under the same name.
public final class UnfinishedFile: Sendable {
    /// The name that it will have.
    public let path: String
    /// The name that it has meanwhile.
    public let workingPath: String
    private let replaces: Bool
    /// Open for reading and writing as long as the file is unfinished, and locked (`flock`).
    private let open: Mutex<Int32?>

    public static let suffix = ".unfinished"

    /// - Parameters:
    ///   - replaces: whether a file of this name may be there.
    ///   - belongsToFolder: what root writes is given to the folder's owner: it is the service's.
    public init(for path: String, replaces: Bool, belongsToFolder: Bool = false) throws(FileError) {
        self.path = path
        self.replaces = replaces
        workingPath = path + Self.suffix
        try Self.check(path, replaces: replaces)
        open = Mutex(try Self.make(workingPath, belongsToFolder: belongsToFolder))
    }

    deinit { discard() }

    /// Valid until the end.
    public var descriptor: Int32 { open.withLock { $0 } ?? -1 }

    /// The same; in the folder of a database it belongs to the owner of that folder.
    ///
    /// - Throws: also ``FileError/isTheDatabase(path:)``.
    public convenience init(for path: String, replaces: Bool, besideDatabase database: String) throws(FileError) {
        let folder = realPath(DatabaseFile.split(path).folder)
        let real = realPath(database) ?? database
        let place = (folder ?? ".") + "/" + DatabaseFile.split(path).name
        // Whatever may be replaced: not what this is a copy of, nor what SQLite and the lock keep beside it.
        if realPath(path) == real
            || ["", "-wal", "-shm", "-journal", ".lock"].contains(where: { place == real + $0 })
        {
            throw .isTheDatabase(path: path)
        }
        let other = realPath(DatabaseFile.split(database).folder)
        try self.init(for: path, replaces: replaces, belongsToFolder: folder != nil && folder == other)
    }

    private static func check(_ path: String, replaces: Bool) throws(FileError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard replaces else { throw .exists(path: path) }
    }

    private static func make(_ path: String, belongsToFolder: Bool) throws(FileError) -> Int32 {
        // A stale one has no holder any more. No link is followed, and what is there is not written to: in a folder for
        // everybody it can be somebody else's.
        let stale = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if stale >= 0 {
            defer { close(stale) }
            guard flock(stale, LOCK_EX | LOCK_NB) == 0 else { throw .beingWritten(path: path) }
        }
        if stale >= 0 || errno != ENOENT, unlink(path) != 0 { throw .system(path: path, errno) }
        let made =
            belongsToFolder
            ? DatabaseFile.make(path) : Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw .system(path: path, errno) }
        // Another one can have taken it for a stale one before it was locked.
        var status = stat()
        guard flock(made, LOCK_EX | LOCK_NB) == 0, fstat(made, &status) == 0, status.st_nlink == 1 else {
            close(made)
            throw .beingWritten(path: path)
        }
        return made
    }

    /// Gives it its name, once it is on disk (`fsync`, `rename`).
    ///
    /// - Parameter prepare: makes room for it; afterwards nothing is in the way of the name but what may be replaced.
    public func publish(_ prepare: () throws -> Void = {}) throws {
        // Locked throughout: who discards it meanwhile, because of a signal, waits and comes too late.
        try open.withLock { descriptor in
            guard let held = descriptor else { throw FileError.system(path: path, EBADF) }
            guard fsync(held) == 0 else { throw FileError.system(path: path, errno) }
            try prepare()
            try move()
            DatabaseFile.syncFolder(of: path)
            close(held)
            descriptor = nil
        }
    }

    private func move() throws(FileError) {
        if !replaces {
            // Unlike a rename, a link does not replace what has come meanwhile.
            if link(workingPath, path) == 0 {
                unlink(workingPath)
                return
            }
            if errno == EEXIST { throw .exists(path: path) }
            // FAT and the like have no links.
            try Self.check(path, replaces: false)
        }
        guard rename(workingPath, path) == 0 else { throw .system(path: path, errno) }
    }

    /// Nothing is left of it.
    public func discard() {
        open.withLock { descriptor in
            guard let held = descriptor else { return }
            unlink(workingPath)
            close(held)
            descriptor = nil
        }
    }

    /// Nothing is left of it, and the process ends with this code: before the writer can notice and say so. Returns
    /// when it comes too late: it has its name already, or is gone.
    public func discard(exiting code: Int32) {
        open.withLock { descriptor in
            guard descriptor != nil else { return }
            unlink(workingPath)
            exit(code)
        }
    }
}
