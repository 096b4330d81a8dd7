import Glibc

/// "14:02", in the host's time zone.
///
/// - Parameter other: if it is on another day, the date is added: "2026-11-25 14:02".
func localTime(_ milliseconds: Int64, from other: Int64? = nil) -> String {
    let parts = localParts(milliseconds)
    func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(parts.tm_hour):\(twoDigits(parts.tm_min))"
    guard let here = other.map(localParts), (here.tm_year, here.tm_yday) != (parts.tm_year, parts.tm_yday) else {
        return time
    }
    return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday)) \(time)"
}

private func localParts(_ milliseconds: Int64) -> tm {
    var (seconds, parts) = (time_t(milliseconds / 1000), tm())
    localtime_r(&seconds, &parts)
    return parts
}

extension Int64 {
    /// Milliseconds in their two largest units: "45 s", "12 min", "2 h 5 min", "3 d 4 h".
    var shownDuration: String {
        let seconds = Swift.max(0, self / 1000)
        func pair(_ one: (Int64, String), _ other: (Int64, String)) -> String {
            other.0 == 0 ? "\(one.0) \(one.1)" : "\(one.0) \(one.1) \(other.0) \(other.1)"
        }
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: pair((seconds / 3_600, "h"), (seconds / 60 % 60, "min"))
        default: pair((seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"))
        }
    }
}
