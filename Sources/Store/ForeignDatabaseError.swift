import Glibc

/// Why another program's database cannot be read.
public enum ForeignDatabaseError: Error {
    case missing(path: String)
    case unreadable(path: String, code: Int32)
    case folder(path: String)
    case empty(path: String)
    /// `start`: what the file begins with, as far as it is text.
    case notSQLite(path: String, start: String)
    /// Bytes that there are, and that there should be.
    case cutOff(path: String, size: Int64, expected: Int64)
    /// 0: a process that cannot be named.
    case inUse(path: String, process: Int32)
    case noCopy(path: String, folder: String, code: Int32)
    case damaged(path: String, report: StoreError)
}

extension ForeignDatabaseError: CustomStringConvertible {
    /// What has happened, without what to do about it.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): there is no such file"
        case .unreadable(let path, let code): "\(path) cannot be read: \(String(cString: strerror(code)))"
        case .folder(let path): "\(path): this is a folder"
        case .empty(let path): "\(path): this file is empty"
        case .notSQLite(let path, _): "\(path): this file is not an SQLite database"
        case .cutOff(let path, let size, let expected):
            "\(path): this file is cut off, it has \(size) of \(expected) bytes"
        case .inUse(let path, let process):
            "\(path): another program has it open" + (process > 0 ? " (process \(process))" : "")
        case .noCopy(let path, let folder, let code):
            "\(path): its program ended in the middle and left a log beside it, and both cannot be copied into "
                + "\(folder): \(String(cString: strerror(code)))"
        case .damaged(let path, let report):
            if case .failed(_, let message, _) = report {
                "\(path): this database is damaged: \(message)"
            } else {
                "\(path): this database is damaged: \(report)"
            }
        }
    }
}
