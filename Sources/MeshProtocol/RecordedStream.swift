import Glibc
import JSON

/// A recording of the bytes between a host and its radio: JSON lines, one a read, a write or an event.
///
///     {"t": 6.1, "dir": "rx", "hex": "94c30002"}      from the radio
///     {"t": 6.1, "dir": "tx", "hex": "94c300021801"}  to the radio
///     {"t": 9.0, "dir": "ev", "hex": "", "event": "port lost"}
///
/// Other keys are skipped, but for `at`: host milliseconds since 1970 at a line, which date the whole recording.
/// After an event a cut frame never continues.
public struct RecordedStream: Sendable {
    public struct Entry: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case received([UInt8])
            case sent([UInt8])
            case event(String)
        }

        /// Seconds since the recording began.
        public var time: Double
        public var kind: Kind

        public init(time: Double, kind: Kind) {
            self.time = time
            self.kind = kind
        }
    }

    public enum Failure: Error, Hashable, CustomStringConvertible {
        case unreadable(path: String, errno: Int32)
        /// Counted from 1.
        case malformed(line: Int)

        public var description: String {
            switch self {
            case .unreadable(let path, let code):
                "cannot read the recording \(path): \(String(cString: strerror(code)))"
            case .malformed(let line): "line \(line) of the recording is not one of a recording"
            }
        }
    }

    public var entries: [Entry]
    /// Host milliseconds since 1970 when it began; nil when it does not say.
    public var startedAt: Int64?

    public init(entries: [Entry], startedAt: Int64? = nil) {
        self.entries = entries
        self.startedAt = startedAt
    }

    public init(contentsOfFile path: String) throws(Failure) {
        guard let file = fopen(path, "re") else { throw .unreadable(path: path, errno: errno) }
        defer { fclose(file) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            text += chunk[..<count]
        }
        if ferror(file) != 0 { throw .unreadable(path: path, errno: EIO) }
        try self.init(text)
    }

    public init(_ text: [UInt8]) throws(Failure) {
        entries = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            guard let (entry, at) = Entry.read(line) else { throw .malformed(line: number) }
            entries.append(entry)
            if startedAt == nil, let at { startedAt = at - Int64(entry.time * 1000) }
        }
    }
}

extension RecordedStream.Entry {
    /// The longest recording is a hundred years; a host's clock does not go further than the year 9999.
    private static let times = (-1.0)...3_200_000_000
    private static let hostTimes: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Nil: this is no line of a recording.
    static func read(_ line: ArraySlice<UInt8>) -> (entry: Self, at: Int64?)? {
        guard let fields = FlatObject(line)?.fields, let time = fields["t"].flatMap(Double.init),
            times.contains(time)
        else { return nil }
        let at = fields["at"].flatMap { Int64($0) }.flatMap { hostTimes.contains($0) ? $0 : nil }
        switch fields["dir"] {
        case "rx": return fields["hex"].flatMap(bytes(hexadecimal:)).map { (Self(time: time, kind: .received($0)), at) }
        case "tx": return fields["hex"].flatMap(bytes(hexadecimal:)).map { (Self(time: time, kind: .sent($0)), at) }
        case "ev": return (Self(time: time, kind: .event(fields["event"] ?? "")), at)
        default: return nil
        }
    }
}

/// One JSON object of strings and numbers, which is all that a recording has. Numbers are kept as their text.
private struct FlatObject {
    var fields: [String: String] = [:]
    private var rest: ArraySlice<UInt8>

    init?(_ line: ArraySlice<UInt8>) {
        rest = line
        guard skip("{") else { return nil }
        if !skip("}") {
            repeat {
                guard let key = string(), skip(":"), let value = string() ?? word() else { return nil }
                fields[key] = value
            } while skip(",")
            guard skip("}") else { return nil }
        }
        skipBlanks()
        guard rest.isEmpty else { return nil }
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func word() -> String? {
        skipBlanks()
        let word = rest.prefix { (0x2B...0x7A).contains($0) && $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(word.count)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    private mutating func string() -> String? {
        let before = rest
        guard skip("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let unescaped = escape() else { return nil }
                bytes += unescaped
            default: bytes.append(byte)
            }
        }
        rest = before
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
        case UInt8(ascii: "t"): return [UInt8(ascii: "\t")]
        case UInt8(ascii: "r"): return [UInt8(ascii: "\r")]
        case UInt8(ascii: "u"):
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            rest = rest.dropFirst(4)
            // Half of a surrogate pair is no scalar; an event's words have none.
            guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
            return Array(String(Character(scalar)).utf8)
        case .some(let other): return [other]
        case nil: return nil
        }
    }
}
