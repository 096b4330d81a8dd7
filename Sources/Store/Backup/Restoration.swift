import CSQLite
import Glibc
import Platform

// A backup becomes the database.
//
// Whatever moment ends the process or the power: under the database's name is either the database of before, whole, or
// the restored one, whole, and never the one with the log of the other, which SQLite would play into it. So, in this
// order:
//
// 1. The lock is taken: no daemon has the database, and none gets it meanwhile.
// 2. The backup is copied and checked under another name, and is on disk. A kill leaves that file, which the next one
//    removes.
// 3. What the log of the old database holds is moved into it, and the log removed: SQLite does it, and is used to being
//    killed. From here on the old database is one file. One that is too damaged for that is kept together with its log.
// 4. The old one gets a second name, with the date (a link). A kill here leaves the old database under both: the next
//    restoration removes the second name, because it is the same file.
// 5. The new one is renamed over the old one, in one step. The old one has only its second name now.

/// What became of a restoration.
public struct Restored: Hashable, Sendable {
    public var database: String
    public var copied: CopiedDatabase
    /// Where the database of before is now; nil: there was none.
    public var kept: String?
}

/// A backup on its way to become the database.
public final class Restoration: Sendable {
    /// The database's path, symbolic links resolved.
    public let path: String
    private let lock: DatabaseFile
    public let file: UnfinishedFile
    private let hasOld: Bool

    /// Takes the database's lock, and begins a new file.
    ///
    /// - Parameters:
    ///   - given: where the database is, or is to be; its folder is made when only that is missing.
    ///   - replaces: whether there may be one. It is kept under another name.
    /// - Throws: a ``StoreError`` about the database, ``FileError/exists(path:)`` when there is one.
    public init(of given: String, replaces: Bool) throws {
        lock = try DatabaseFile(path: given, isMade: false)
        path = lock.path
        var status = stat()
        // An empty one is what is left of a start that came to nothing.
        hasOld = stat(path, &status) == 0 && (status.st_size > 0 || access(path + "-wal", F_OK) == 0)
        guard replaces || !hasOld else { throw FileError.exists(path: path) }
        file = try UnfinishedFile(for: path, replaces: true, belongsToFolder: true)
        // In a folder of root's it stays the service's.
        if hasOld, geteuid() == 0 { _ = fchown(file.descriptor, status.st_uid, status.st_gid) }
    }

    /// Copies and checks a backup, or any other copy of a database of ours, and puts it in the place of the database.
    ///
    /// - Throws: a ``StoreError`` or ``FileError`` about the backup or the place; then everything is as it was.
    public func restore(
        from backup: String, progress: (CopyProgress) -> Void = { _ in }
    ) throws -> Restored {
        try Self.checkSeal(of: backup)
        let copied: CopiedDatabase
        do {
            let real = realPath(backup) ?? backup
            let source = try Store.openAsItIs(path: backup, isInUse: access(real + "-wal", F_OK) == 0)
            guard source.format > 0 else { throw StoreError.notADatabase(path: backup) }
            copied = try DatabaseCopy.make(of: source.connection, at: backup, into: file, progress: progress)
        } catch StoreError.failed(let code, let message, _) where code & 0xFF == SQLITE_CORRUPT {
            throw FileError.damaged(path: backup, reason: message)
        }
        return Restored(database: path, copied: copied, kept: try finish())
    }

    /// Puts the finished file in the place of the database.
    ///
    /// - Returns: the name of the database of before.
    public func finish() throws -> String? {
        var kept: String?
        try file.publish {
            if hasOld { kept = try KeptDatabase.keep(path) }
        }
        lock.unlock()
        return kept
    }

    private static func checkSeal(of backup: String) throws {
        guard let path = realPath(backup) else { throw FileError.system(path: backup, errno) }
        switch try Seal.state(of: path) {
        case .whole: break
        case .broken: throw FileError.damaged(path: backup, reason: "its bytes are not those that were written")
        case .absent:
            // A plain copy of a database is made of whole pages. What is not has lost or got something.
            var status = stat()
            guard stat(path, &status) == 0 else { throw FileError.system(path: backup, errno) }
            if status.st_size % 512 != 0, isSQLite(path) {
                throw FileError.damaged(path: backup, reason: "its end is missing")
            }
        }
    }

    private static func isSQLite(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let magic = Array("SQLite format 3\0".utf8)
        var found = [UInt8](repeating: 0, count: magic.count)
        return pread(descriptor, &found, found.count, 0) == found.count && found == magic
    }
}

/// The database of before, beside the one that has taken its place.
private enum KeptDatabase {
    /// Gives the database a second name. Its log is in it, or has a second name as well and no other.
    static func keep(_ path: String) throws -> String {
        foldLog(of: path)
        removeForgottenLinks(to: path)
        let kept = try name(for: path)
        // FAT and the like have no links: there the database has no name for a moment.
        guard link(path, kept) == 0 || rename(path, kept) == 0 else { throw FileError.system(path: kept, errno) }
        if access(path + "-wal", F_OK) == 0, rename(path + "-wal", kept + "-wal") != 0 {
            throw FileError.system(path: kept, errno)
        }
        unlink(path + "-shm")
        DatabaseFile.syncFolder(of: path)
        return kept
    }

    private static func foldLog(of path: String) {
        // What cannot be opened any more is kept as it is.
        guard let connection = try? DatabaseConnection(path: path, access: .readWrite) else { return }
        defer { connection.close() }
        try? connection.execute("PRAGMA journal_mode = DELETE")
    }

    /// `mesh.db.2026-11-22-103000`, in UTC, with a number when there is one already.
    private static func name(for path: String) throws(FileError) -> String {
        var now = Glibc.time(nil)
        var date = tm()
        gmtime_r(&now, &date)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(date.tm_year + 1900)-\(two(date.tm_mon + 1))-\(two(date.tm_mday))"
        let base = "\(path).\(day)-\(two(date.tm_hour))\(two(date.tm_min))\(two(date.tm_sec))"
        for number in 1...99 {
            let name = number == 1 ? base : "\(base)-\(number)"
            if access(name, F_OK) != 0 { return name }
        }
        throw .exists(path: base)
    }

    /// A restoration that was killed at the last moment has left the database a second name.
    private static func removeForgottenLinks(to path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_nlink > 1 else { return }
        let (folder, name) = DatabaseFile.split(path)
        for found in names(in: folder) ?? [] where found.hasPrefix(name + ".2") {
            var other = stat()
            if lstat("\(folder)/\(found)", &other) == 0, other.st_ino == status.st_ino, other.st_dev == status.st_dev {
                unlink("\(folder)/\(found)")
            }
        }
    }
}
