import Glibc

enum APIClock {
    /// Milliseconds since 1970.
    static func wall() -> Int64 { milliseconds(CLOCK_REALTIME) }

    /// Milliseconds that only go forward, also while the machine sleeps.
    static func monotonic() -> Int64 { milliseconds(CLOCK_BOOTTIME) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// `2026-08-22T09:21:35.120Z`, as JavaScript's `toISOString` writes milliseconds since 1970.
    static func iso8601(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        let time = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(date)T\(time).\(digits(Int32(milliseconds % 1000), 3))Z"
    }

    private static func digits(_ number: Int32, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(width - text.count, 0)) + text
    }
}
