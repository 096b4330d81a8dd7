import CSQLite
import Glibc
import Platform

/// Another program's database file, before SQLite sees it.
struct ForeignFile {
    let path: String
    /// Its program ended in the middle: what it has left beside the file belongs to it.
    let hasLog: Bool

    private static let wal = "-wal"
    private static let journal = "-journal"

    /// - Throws: for everything that is no whole database file, and for one that is in use.
    init(path given: String) throws(ForeignDatabaseError) {
        // A log lies beside the file, not beside a link to it.
        guard let path = realPath(given) else {
            throw errno == ENOENT ? .missing(path: given) : .unreadable(path: given, code: errno)
        }
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .missing(path: path) : .unreadable(path: path, code: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, code: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .folder(path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notSQLite(path: path, start: "") }
        guard status.st_size > 0 else { throw .empty(path: path) }
        let header = Self.start(of: descriptor, 100)
        guard header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .notSQLite(path: path, start: String(decoding: header.prefix(40), as: UTF8.self))
        }
        hasLog = Self.size(of: path + Self.wal) > 0 || Self.isHot(path + Self.journal)
        if let process = Self.holder(of: descriptor, beside: path) { throw .inUse(path: path, process: process) }
        if !hasLog { try Self.checkLength(header, Int64(status.st_size), path: path) }
    }

    private static func start(of descriptor: Int32, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, 0)
        return Array(bytes.prefix(max(0, read)))
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// A rollback journal that counts begins with these bytes; one that is done is gone, empty or overwritten with zeros
    /// (Database File Format, section 3).
    private static func isHot(_ journal: String) -> Bool {
        let descriptor = open(journal, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return start(of: descriptor, 8) == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }

    /// The header counts the pages (section 1.3.7). SQLite itself notices a missing one only when it is needed.
    private static func checkLength(_ header: [UInt8], _ size: Int64, path: String) throws(ForeignDatabaseError) {
        func number(_ place: Int, _ count: Int) -> Int64 {
            header[place..<place + count].reduce(0) { $0 << 8 | Int64($1) }
        }
        guard header.count == 100 else { throw .cutOff(path: path, size: size, expected: 512) }
        let page = number(16, 2) == 1 ? 65_536 : number(16, 2)
        // Old programs count nothing there, and leave another number behind in the change counter.
        guard number(24, 4) == number(92, 4) else { return }
        let expected = page * number(28, 4)
        if size < expected { throw .cutOff(path: path, size: size, expected: expected) }
    }

    /// Who has it open through SQLite: locks on the bytes of the file that stand for it (os.h, PENDING_BYTE), or on
    /// those of the log's index (wal.c, WAL_DMS). Asking for them (F_GETLK) changes nothing. 0: a process that cannot be
    /// named, as in another container.
    private static func holder(of descriptor: Int32, beside path: String) -> pid_t? {
        if let process = lockHolder(descriptor, from: 0x4000_0000, count: 512) { return process }
        let index = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        guard index >= 0 else { return nil }
        defer { close(index) }
        return lockHolder(index, from: 120, count: 16)
    }

    private static func lockHolder(_ descriptor: Int32, from start: Int, count: Int) -> pid_t? {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(start)
        lock.l_len = off_t(count)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return max(0, lock.l_pid)
    }

    // MARK: Opening

    func openInPlace() throws(ForeignDatabaseError) -> DatabaseConnection {
        do throws(StoreError) { return try DatabaseConnection(path: path, access: .immutable) } catch {
            throw .damaged(path: path, report: error)
        }
    }

    /// Copies file and log, lets SQLite recover the copy, and removes the copy's names: it lives as long as it is open.
    func openCopy(in folder: String) throws(ForeignDatabaseError) -> DatabaseConnection {
        var template = Array("\(folder)/.copy.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .noCopy(path: path, folder: folder, code: errno) }
        let place = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer {
            for suffix in ["", Self.wal, Self.journal, "-shm"] { unlink("\(place)/copy\(suffix)") }
            rmdir(place)
        }
        for suffix in ["", Self.wal, Self.journal] where access(path + suffix, F_OK) == 0 {
            if let code = Self.copy(path + suffix, to: "\(place)/copy\(suffix)") {
                throw .noCopy(path: path, folder: folder, code: code)
            }
        }
        do throws(StoreError) {
            let connection = try DatabaseConnection(path: "\(place)/copy", access: .readWrite)
            // In this mode the log's index is in memory, and everything stays open from the first read on.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
            return connection
        } catch {
            throw .damaged(path: path, report: error)
        }
    }

    /// - Returns: what went wrong (errno); nil: nothing.
    private static func copy(_ path: String, to copy: String) -> Int32? {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { return errno }
        defer { close(source) }
        let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { return errno }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = retrying { read(source, &buffer, buffer.count) }
            guard count > 0 else { return count == 0 ? nil : errno }
            let failure = writeAll(buffer[..<count], to: target)
            if failure != 0 { return failure }
        }
    }
}
