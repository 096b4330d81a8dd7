import Glibc

/// A time to the second, the box's local one (`2026-11-21 14:05:09`) or in UTC (`2026-11-21 14:05:09Z`).
func localTime(milliseconds: Int64, utc: Bool) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    if utc { gmtime_r(&seconds, &parts) } else { localtime_r(&seconds, &parts) }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))" + (utc ? "Z" : "")
}
