/// A tape archive that every tar(1) reads (POSIX.1-1988, "ustar"): plain files with short names.
public struct Archive: Sendable {
    public private(set) var names: [String] = []
    private var blocks: [UInt8] = []
    /// Seconds since 1970, of every file in it.
    private let time: Int64

    public init(time: Int64) { self.time = time }

    /// - Parameter name: ASCII, at most 100 bytes.
    public mutating func add(_ name: String, _ content: [UInt8]) {
        precondition(name.utf8.count <= 100, "ustar's names have 100 bytes")
        names.append(name)
        blocks += header(name, size: content.count)
        blocks += content
        blocks += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    public mutating func add(_ name: String, _ text: String) { add(name, Array(text.utf8)) }

    /// Two empty blocks are the end.
    public var bytes: [UInt8] { blocks + [UInt8](repeating: 0, count: 1024) }

    private func header(_ name: String, size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
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
        put(octal(Int64(size), 11), at: 124)
        put(octal(time, 11), at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        // The sum is taken with blanks in its own place.
        put("        ", at: 148)
        let sum = header.reduce(0) { $0 + Int64($1) }
        put(octal(sum, 6), at: 148)
        header[154] = 0
        return header
    }
}
