/// A number of bytes in words: "512 bytes", "1.5 kB", "83 MB", in powers of 1000.
public func sizeInWords(_ bytes: UInt64) -> String {
    if bytes == 1 { return "1 byte" }
    if bytes < 1000 { return "\(bytes) bytes" }
    var unit: UInt64 = 1000
    var names = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
    // 999.5 kB and more would be rounded to 1000 kB.
    while names.count > 1, bytes / unit >= 1000 || bytes >= unit / 2 * 1999 {
        unit *= 1000
        names.removeFirst()
    }
    let tenths = (bytes / (unit / 10)) + (bytes % (unit / 10) >= unit / 20 ? 1 : 0)
    if tenths < 100 { return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + " \(names.first!)" }
    return "\(bytes / unit + (bytes % unit >= unit / 2 ? 1 : 0)) \(names.first!)"
}

/// A duration in words, its two largest parts: "45 s", "3 min", "2 h 5 min", "4 d 7 h". Seconds only below a minute.
public func durationInWords(seconds: UInt64) -> String {
    func words(_ large: UInt64, _ largeUnit: String, _ small: UInt64, _ smallUnit: String) -> String {
        "\(large) \(largeUnit)" + (small == 0 ? "" : " \(small) \(smallUnit)")
    }
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return words(seconds / 3600, "h", seconds % 3600 / 60, "min")
    default: return words(seconds / 86_400, "d", seconds % 86_400 / 3600, "h")
    }
}

/// Likewise; what is negative counts as nothing.
public func durationInWords(milliseconds: Int64) -> String {
    durationInWords(seconds: UInt64(max(0, milliseconds)) / 1000)
}

/// How often something was done, at least once: "once", "twice", "3 times".
public func timesInWords(_ count: Int64) -> String { count == 1 ? "once" : count == 2 ? "twice" : "\(count) times" }
