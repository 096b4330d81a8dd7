import Glibc
import JSON
import Nettle
import Platform

/// A tape archive that is written piece by piece, of files whose size nobody knows before they are written.
///
/// A header stands before its file and has its size in it. So its place is left free, and filled in when the file is
/// written: what is written to must be a file, not a pipe.
public struct ArchiveWriter {
    /// What has been written of one file.
    public struct Entry: Hashable, Sendable {
        public var name: String
        public var bytes: Int64
        /// 64 hexadecimal digits.
        public var sha256: String
    }

    private static let bufferSize = 1 << 16

    private let descriptor: Int32
    private let time: Int64
    /// Where the buffer's first byte goes.
    private var place: off_t = 0
    private var buffer: [UInt8] = []
    private var digest = SHA256()
    private var current: (name: String, header: off_t, size: Int64)?

    /// - Parameters:
    ///   - descriptor: an empty file, open for writing.
    ///   - time: seconds since 1970, of every file in it.
    public init(descriptor: Int32, time: Int64) {
        (self.descriptor, self.time) = (descriptor, time)
        buffer.reserveCapacity(Self.bufferSize + 4096)
    }

    /// - Parameter name: ASCII, at most 100 bytes.
    public mutating func begin(_ name: String) throws(ArchiveError) {
        precondition(current == nil, "one file after the other")
        current = (name, place + off_t(buffer.count), 0)
        buffer += [UInt8](repeating: 0, count: TarHeader.blockSize)
    }

    public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        current!.size += Int64(bytes.count)
        digest.update(bytes)
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    public mutating func append(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try append($0) } }

    /// The end of a file.
    public mutating func end() throws(ArchiveError) -> Entry {
        let (name, header, size) = current!
        current = nil
        guard size <= TarHeader.largestSize else { throw .tooLarge(name) }
        buffer += [UInt8](repeating: 0, count: TarHeader.padding(behind: size))
        try flush()
        try write(TarHeader.make(name, size: size, time: time), at: header)
        return Entry(name: name, bytes: size, sha256: hexadecimal(digest.finish()))
    }

    /// The end of the archive: two empty blocks.
    public mutating func finish() throws(ArchiveError) {
        buffer += [UInt8](repeating: 0, count: 2 * TarHeader.blockSize)
        try flush()
    }

    private mutating func flush() throws(ArchiveError) {
        try write(buffer, at: place)
        place += off_t(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8], at place: off_t) throws(ArchiveError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                retrying { pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, place + off_t(done)) }
            }
            guard count > 0 else { throw .system(count < 0 ? errno : ENOSPC) }
            done += count
        }
    }
}
