import Glibc

/// Times as texts in JSON: as JavaScript's `toISOString` writes them, in UTC with three digits behind the second.
public enum ISO8601 {
    /// `2026-08-22T09:21:35.120Z` of milliseconds since 1970.
    public static func text(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        let time = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(date)T\(time).\(digits(Int32(milliseconds % 1000), 3))Z"
    }

    /// Milliseconds since 1970 of such a text; nil for any other form.
    public static func milliseconds(_ text: String) -> Int64? {
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
        let milliseconds = Int64(timegm(&parts)) * 1000 + Int64(fraction)
        // Other separators, signs among the digits, and days that no month has, come out as another text.
        return self.text(milliseconds) == text ? milliseconds : nil
    }

    private static func digits(_ number: Int32, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(width - text.count, 0)) + text
    }
}
