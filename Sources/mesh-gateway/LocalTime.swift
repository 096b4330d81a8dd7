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

/// Milliseconds since 1970 of a time as the pages give it, such as `2026-11-21T14:05:09.123Z`.
func milliseconds(iso8601 text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[23] == UInt8(ascii: "Z") else { return nil }
    func number(_ place: Int, _ count: Int) -> Int32? {
        Int32(String(decoding: bytes[place..<place + count], as: UTF8.self))
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
        let minute = number(14, 2), let second = number(17, 2), let fraction = number(20, 3)
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    return Int64(timegm(&parts)) * 1000 + Int64(fraction)
}

/// `2026-11-21T14:05:09.123Z`, as the pages give times.
func iso8601(milliseconds: Int64) -> String {
    let second = localTime(milliseconds: milliseconds, utc: true)
    let fraction = String(milliseconds % 1000)
    return second.prefix(10) + "T" + second.dropFirst(11).dropLast()
        + "." + String(repeating: "0", count: 3 - fraction.count) + fraction + "Z"
}
