import JSON
import Nettle

/// Writes the lines of a recording that ``RecordedStream`` reads.
extension RecordedStream.Entry {
    /// One line with its end.
    ///
    /// - Parameter at: host milliseconds since 1970 at this line; it dates the recording.
    public func line(at: Int64? = nil) -> [UInt8] {
        var line = Array("{\"t\": ".utf8)
        appendTime(to: &line)
        switch kind {
        case .received(let bytes): Self.append("rx", bytes, to: &line)
        case .sent(let bytes): Self.append("tx", bytes, to: &line)
        case .event(let event):
            Self.append("ev", [], to: &line)
            line += Array(", \"event\": \"".utf8)
            Self.appendEscaped(event, to: &line)
            line.append(UInt8(ascii: "\""))
        }
        if let at { line += Array(", \"at\": \(at)".utf8) }
        line += Array("}\n".utf8)
        return line
    }

    /// Seconds with six decimals.
    private func appendTime(to line: inout [UInt8]) {
        let microseconds = UInt64(max(time, 0) * 1_000_000 + 0.5)
        let decimals = Array(String(microseconds % 1_000_000).utf8)
        line += Array(String(microseconds / 1_000_000).utf8)
        line.append(UInt8(ascii: "."))
        line.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 6 - decimals.count))
        line += decimals
    }

    private static func append(_ direction: String, _ bytes: [UInt8], to line: inout [UInt8]) {
        line += Array(", \"dir\": \"\(direction)\", \"hex\": \"".utf8)
        line.reserveCapacity(line.count + 2 * bytes.count + 8)
        for byte in bytes {
            line.append(hexDigit(of: byte >> 4))
            line.append(hexDigit(of: byte & 15))
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ text: String, to line: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): line += [UInt8(ascii: "\\"), byte]
            case ..<0x20: line += Array("\\u00".utf8) + [hexDigit(of: byte >> 4), hexDigit(of: byte & 15)]
            default: line.append(byte)
            }
        }
    }
}

extension RecordedStream.Entry.Kind {
    /// In the place of bytes that may hold a secret: how many they were, and 16 digits of a salted SHA-256, by which equal
    /// ones are known. Without the salt nobody finds a short password by trying.
    ///
    /// - Parameter earlier: so many bytes before them were not kept.
    public static func withheld(_ bytes: [UInt8], after earlier: Int = 0, salt: [UInt8]) -> Self {
        if earlier > 0 { return .event("withheld \(bytes.count + earlier) bytes") }
        return .event("withheld \(bytes.count) bytes \(hexadecimal(SHA256.digest(of: salt + bytes).prefix(8)))")
    }

    public static func opened(_ name: String) -> Self { .event("port open (\(name))") }

    public static func closed(_ reason: String) -> Self { .event("port lost: \(reason)") }

    /// The first line of a recording, which dates it.
    public static let beginning = Self.event("recording begins")

    /// After this event no frame continues that was begun before, and the radio has to be opened again.
    public var isEndOfConnection: Bool {
        guard case .event(let event) = self else { return false }
        return event.hasPrefix("port lost") || event.hasPrefix("client closed")
    }
}
