import Glibc

/// CLOCK_REALTIME: what people call the time. It jumps when somebody sets it, and may begin in 1970.
public enum WallClock {
    /// Milliseconds since 1970.
    @inlinable public static func milliseconds() -> Int64 { CLOCK_REALTIME.milliseconds() }

    /// Whole seconds since 1970.
    @inlinable public static func seconds() -> Int64 { milliseconds() / 1000 }
}

/// CLOCK_MONOTONIC: goes forward only, and stands still while the machine sleeps. For waiting.
public enum MonotonicClock {
    /// Nanoseconds since the host started.
    @inlinable public static func nanoseconds() -> UInt64 { CLOCK_MONOTONIC.nanoseconds() }

    @inlinable public static func milliseconds() -> Int64 { CLOCK_MONOTONIC.milliseconds() }
}

/// CLOCK_BOOTTIME: goes forward only, also while the machine sleeps. For how long ago something was.
public enum BootTimeClock {
    /// Milliseconds since the host started.
    @inlinable public static func milliseconds() -> Int64 { CLOCK_BOOTTIME.milliseconds() }
}

/// CLOCK_THREAD_CPUTIME_ID.
public enum ThreadProcessorClock {
    /// Nanoseconds that this thread has spent on a processor.
    @inlinable public static func nanoseconds() -> UInt64 { CLOCK_THREAD_CPUTIME_ID.nanoseconds() }
}

extension clockid_t {
    @usableFromInline func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(self, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Also before 1970.
    @usableFromInline func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(self, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
