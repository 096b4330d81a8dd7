import Glibc
import JSON
import Nettle
import Platform

/// A tape archive that is read piece by piece.
public struct ArchiveReader {
    public struct Entry: Hashable, Sendable {
        public var name: String
        public var offset: Int64
        public var bytes: Int64
    }

    /// Plain files, in their order.
    public let entries: [Entry]
    private let descriptor: Int32

    /// Longer than any line that is written.
    private static let longestLine = 1 << 22

    /// Reads all headers.
    ///
    /// - Parameter descriptor: a file, open for reading.
    public init(descriptor: Int32) throws(ArchiveError) {
        self.descriptor = descriptor
        var entries: [Entry] = []
        var place: Int64 = 0
        while true {
            let block = try Self.bytes(of: descriptor, at: place, count: TarHeader.blockSize)
            guard block.count == TarHeader.blockSize else { throw .damaged("its end is missing") }
            place += Int64(TarHeader.blockSize)
            if block.allSatisfy({ $0 == 0 }) { break }
            guard let header = TarHeader.read(block), header.size >= 0 else {
                throw .damaged("it is no tar archive, or changed since")
            }
            if header.isFile { entries.append(Entry(name: header.name, offset: place, bytes: header.size)) }
            place += header.size + Int64(TarHeader.padding(behind: header.size))
        }
        self.entries = entries
    }

    public func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

    /// - Parameter limit: bytes, at most.
    public func content(of entry: Entry, limit: Int) throws(ArchiveError) -> [UInt8] {
        guard entry.bytes <= limit else { throw .damaged("\(entry.name) is too large") }
        let content = try Self.bytes(of: descriptor, at: entry.offset, count: Int(entry.bytes))
        guard content.count == Int(entry.bytes) else { throw .damaged("the end of \(entry.name) is missing") }
        return content
    }

    /// Reads a file line by line.
    ///
    /// - Parameter body: gets each line without its line feed.
    /// - Returns: the SHA-256 of the file.
    public func lines(of entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> String {
        var digest = SHA256()
        var rest: [UInt8] = []
        var place: Int64 = 0
        while place < entry.bytes {
            let count = Int(min(1 << 18, entry.bytes - place))
            let piece = try Self.bytes(of: descriptor, at: entry.offset + place, count: count)
            guard piece.count == count else { throw ArchiveError.damaged("the end of \(entry.name) is missing") }
            piece.withUnsafeBytes { digest.update($0) }
            place += Int64(count)
            rest += piece
            var start = 0
            try rest.withUnsafeBytes { bytes in
                while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                    start = end + 1
                }
            }
            rest.removeFirst(start)
            guard rest.count < Self.longestLine else { throw ArchiveError.damaged("\(entry.name) has no lines") }
        }
        guard rest.isEmpty else { throw ArchiveError.damaged("the last line of \(entry.name) is cut off") }
        return hexadecimal(digest.finish())
    }

    /// Fewer at the end of the file.
    private static func bytes(of descriptor: Int32, at place: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = bytes.withUnsafeMutableBytes { bytes in
                retrying { pread(descriptor, bytes.baseAddress! + done, count - done, off_t(place) + off_t(done)) }
            }
            guard more >= 0 else { throw .system(errno) }
            if more == 0 { break }
            done += more
        }
        return done == count ? bytes : Array(bytes[..<done])
    }
}
