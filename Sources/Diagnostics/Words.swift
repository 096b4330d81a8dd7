// Numbers as the findings say them.

/// "45 s", "3 min", "5 h", "4 days".
func durationInWords(milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) days"
    }
}

/// "512 bytes", "83 MB", in powers of 1000.
func sizeInWords(_ bytes: UInt64) -> String {
    var value = bytes
    var unit = "bytes"
    for larger in ["kB", "MB", "GB", "TB"] where value >= 1000 {
        // Below 10 GB the tenths matter.
        if larger == "GB", value < 10_000 { return "\(value / 1000).\(value % 1000 / 100) GB" }
        (value, unit) = (value / 1000, larger)
    }
    return "\(value) \(unit)"
}

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
