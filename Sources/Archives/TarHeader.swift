/// A header block of a tape archive that every tar(1) reads (POSIX.1-1988, "ustar"), for a plain file with a short name.
enum TarHeader {
    static let blockSize = 512
    /// Eleven octal digits.
    static let largestSize: Int64 = 0o77_777_777_777

    /// - Parameters:
    ///   - name: ASCII, at most 100 bytes.
    ///   - size: bytes, at most ``largestSize``.
    ///   - time: seconds since 1970.
    static func make(_ name: String, size: Int64, time: Int64) -> [UInt8] {
        precondition(name.utf8.count <= 100, "ustar's names have 100 bytes")
        precondition(size <= largestSize, "ustar's files have eight gigabytes")
        var header = [UInt8](repeating: 0, count: blockSize)
        func put(_ text: String, at place: Int) {
            for (index, byte) in text.utf8.enumerated() { header[place + index] = byte }
        }
        func octal(_ number: Int64, _ digits: Int) -> String {
            let text = String(max(0, number), radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0)
        put(octal(0o600, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(time, 11), at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(sum(of: header), 6), at: 148)
        header[154] = 0
        header[155] = UInt8(ascii: " ")
        return header
    }

    /// - Returns: nil when these are not the bytes of a header.
    static func read(_ header: [UInt8]) -> (name: String, size: Int64, isFile: Bool)? {
        guard header.count == blockSize, octal(header[148..<156]) == sum(of: header),
            let size = octal(header[124..<136])
        else { return nil }
        var name = String(decoding: header[..<100].prefix { $0 != 0 }, as: UTF8.self)
        // As `tar -c .` writes them.
        if name.hasPrefix("./") { name.removeFirst(2) }
        return (name, size, header[156] == UInt8(ascii: "0") || header[156] == 0)
    }

    /// Files begin at whole blocks.
    static func padding(behind size: Int64) -> Int {
        Int((Int64(blockSize) - size % Int64(blockSize)) % Int64(blockSize))
    }

    /// The sum is taken with blanks in its own place.
    private static func sum(of header: [UInt8]) -> Int64 {
        header.enumerated().reduce(0) { $0 + Int64((148..<156).contains($1.offset) ? UInt8(ascii: " ") : $1.element) }
    }

    private static func octal(_ digits: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: digits.prefix { $0 != 0 }, as: UTF8.self)
        return Int64(text.filter { $0 != " " }, radix: 8)
    }
}
