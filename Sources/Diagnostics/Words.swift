// Numbers as the findings say them.

/// "31 %", "3.5 %" below twenty.
func percentInWords(_ percent: Double) -> String {
    guard percent.isFinite, percent >= 0, percent < 1_000_000 else { return "? %" }
    let tenths = Int((percent * 10).rounded())
    return tenths >= 200 || tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
}

func plural(_ count: Int, _ word: String) -> String { count == 1 ? "1 \(word)" : "\(count) \(word)s" }

/// A word for the shell, quoted where the shell would see more in it.
public func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "="), UInt8(ascii: ","):
            true
        default: false
        }
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
