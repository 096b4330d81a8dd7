import Glibc
import JSON
import Nettle
import Platform

/// The last line of a backup: the SHA-256 of everything before it.
///
/// SQLite finds what does not fit together in its own structures, but not a letter that has become another one. It reads
/// as many pages as its header says, so that a line behind them disturbs nobody: the backup is a database that any
/// program opens. As soon as one writes to it, the seal is gone or broken, and that is right.
enum Seal {
    private static let beginning = "mesh-gateway backup, SHA-256 "
    private static let ending = "\n"
    /// Odd, so that no sealed file is made of whole pages.
    static let length = beginning.utf8.count + 64 + ending.utf8.count

    enum State { case whole, broken, absent }

    /// Writes it behind the last byte.
    static func set(on descriptor: Int32, path: String) throws(FileError) {
        let size = try Self.size(of: descriptor, path: path)
        let line = Array((beginning + (try digest(of: descriptor, upTo: size, path: path)) + ending).utf8)
        guard pwrite(descriptor, line, line.count, off_t(size)) == line.count else {
            throw .system(path: path, errno == 0 ? ENOSPC : errno)
        }
    }

    static func state(of path: String) throws(FileError) -> State {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path: path, errno) }
        defer { close(descriptor) }
        let end = try size(of: descriptor, path: path) - Int64(length)
        guard end > 0 else { return .absent }
        var line = [UInt8](repeating: 0, count: length)
        guard pread(descriptor, &line, length, off_t(end)) == length else { throw .system(path: path, errno) }
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix(beginning), text.hasSuffix(ending) else { return .absent }
        return try text == beginning + digest(of: descriptor, upTo: end, path: path) + ending ? .whole : .broken
    }

    private static func size(of descriptor: Int32, path: String) throws(FileError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path: path, errno) }
        return Int64(status.st_size)
    }

    private static func digest(
        of descriptor: Int32, upTo end: Int64, path: String
    ) throws(FileError) -> String {
        var digest = SHA256()
        var place: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while place < end {
            let count = retrying {
                pread(descriptor, &buffer, Int(min(Int64(buffer.count), end - place)), off_t(place))
            }
            guard count > 0 else { throw .system(path: path, count < 0 ? errno : EIO) }
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            place += Int64(count)
        }
        return hexadecimal(digest.finish())
    }
}
