import Glibc

/// Why a file could not be written, or is not what it should be.
public enum FileError: Error, Hashable, Sendable {
    /// There is one already, and nobody said that it may be replaced.
    case exists(path: String)
    /// A folder, a device or the like.
    case notAFile(path: String)
    /// The database of which a copy is wanted, or a file that belongs to it.
    case isTheDatabase(path: String)
    /// Another process is writing it right now.
    case beingWritten(path: String)
    /// Bytes that are needed, and that the disk has free.
    case noSpace(path: String, needed: Int64, free: Int64)
    /// It is not what was once written: cut off, or changed since.
    case damaged(path: String, reason: String)
    /// A database of an older format, where only this version's will do.
    case older(path: String)
    /// A call that failed, and errno.
    case system(path: String, Int32)
}

extension FileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .exists(let path): "\(path) already exists"
        case .notAFile(let path): "\(path) is no plain file"
        case .isTheDatabase(let path): "\(path) belongs to the gateway's own database"
        case .beingWritten(let path): "\(path) is being written by another process"
        case .noSpace(let path, let needed, let free):
            "there is not enough room for \(path): it takes \(needed) bytes, and \(free) are free"
        case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
        case .older(let path): "\(path) is of an older version of mesh-gateway"
        case .system(let path, let number): "\(path): \(String(cString: strerror(number)))"
        }
    }
}

/// Bytes that may still be written to the file system of a file, which need not be there (`statvfs`); nil: nobody knows.
public func freeSpace(for path: String) -> Int64? {
    var system = statvfs()
    guard statvfs(DatabaseFile.split(path).folder, &system) == 0 else { return nil }
    return Int64(
        clamping: UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue)
}
