import Glibc

public enum APIClock {
    /// Milliseconds since 1970.
    public static func wall() -> Int64 { milliseconds(CLOCK_REALTIME) }

    /// Milliseconds that only go forward, also while the machine sleeps.
    public static func monotonic() -> Int64 { milliseconds(CLOCK_BOOTTIME) }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
