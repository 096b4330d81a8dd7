import JSON
import MeshModel
import MeshProtocol
import Nettle
import Store

// What a value can mean. SQLite keeps any kind of value in any column, and programs of many versions have written there:
// numbers as text, whole numbers with a point, node numbers as signed 32 bits, seconds where milliseconds belong. What is
// out of range is nil, as what is not there.

extension ForeignValue {
    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        case .text(let text): Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        case .null, .blob: nil
        }
    }

    /// Finite.
    var number: Double? {
        let value: Double? =
            switch self {
            case .integer(let value): Double(value)
            case .real(let value): value
            case .text(let text): Double(text)
            case .null, .blob: nil
            }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Radios measure in 32 bits: 4.050000190734863 has been 4.05.
    var measurement: Double? {
        guard let number else { return nil }
        let narrow = Float(number)
        return Double(narrow) == number ? narrow.decimalDouble : number
    }

    func integer(in range: ClosedRange<Int64>) -> Int64? { integer.flatMap { range.contains($0) ? $0 : nil } }

    func number(in range: ClosedRange<Double>) -> Double? { measurement.flatMap { range.contains($0) ? $0 : nil } }

    var flag: Bool? {
        if case .text(let text) = self, let word = ["true": true, "false": false][text.lowercased()] { return word }
        return integer.map { $0 != 0 }
    }

    /// 32 bits, also of a program that took them for signed.
    var word: UInt32? {
        guard let integer else { return nil }
        return UInt32(exactly: integer) ?? Int32(exactly: integer).map { UInt32(bitPattern: $0) }
    }

    /// Not 0, which stands for none.
    var packetID: PacketID? { word.flatMap { $0 == 0 ? nil : $0 } }

    /// A number, or an id such as `!a1b2c3d4`.
    var node: NodeNumber? {
        if case .text(let text) = self, let number = NodeNumber(id: text) { return number }
        return word.map { NodeNumber($0) }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// On one line; nil when nothing is left.
    var name: String? {
        guard let text else { return nil }
        let name = String(repairedName(text.utf8.prefix(4_096)).prefix(200))
        return name.isEmpty ? nil : name
    }

    /// Milliseconds since 1970, between the years 2000 and 2100, of what may be seconds.
    var milliseconds: Int64? {
        guard let integer else { return nil }
        let time = integer.magnitude < 100_000_000_000 ? integer * 1000 : integer
        return (946_684_800_000..<4_102_444_800_000).contains(time) ? time : nil
    }

    var seconds: Int64? { milliseconds.map { $0 / 1000 } }

    /// Base64, or hexadecimal in 64 digits, as some versions have written what came over MQTT.
    var key: PublicKey? {
        guard let text else { return nil }
        return (hexadecimal(text, count: 32) ?? Base64.decodedLeniently(text)).flatMap { PublicKey($0) }
    }

    /// Base64 of 0, 1, 16 or 32 bytes.
    var channelKey: [UInt8]? {
        guard let bytes = text.flatMap({ Base64.decodedLeniently($0) }) else { return nil }
        return [0, 1, 16, 32].contains(bytes.count) ? bytes : nil
    }

    /// Six bytes, such as `a1:b2:c3:d4:e5:f6`.
    var macAddress: [UInt8]? {
        let bytes = text.flatMap { hexadecimal($0.filter { $0 != ":" && $0 != "-" }, count: 6) }
        return bytes.flatMap { $0.contains { $0 != 0 } ? $0 : nil }
    }

    /// A JSON array of whole numbers, as text.
    var list: [Int64]? {
        guard let text = text?.filter({ !$0.isWhitespace && $0 != "\"" }), text.first == "[", text.last == "]" else {
            return nil
        }
        let parts = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
        if parts.count == 1, parts[0].isEmpty { return [] }
        let values = parts.map { part in ForeignValue.text(String(part)).integer }
        return parts.count > 64 || values.contains(nil) ? nil : values.compactMap(\.self)
    }
}

private func hexadecimal(_ text: String, count: Int) -> [UInt8]? {
    guard text.utf8.count == 2 * count else { return nil }
    return bytes(hexadecimal: text)
}
