import Glibc
import Platform

/// The signals that end the daemon are taken by the main thread in good order, never by a handler.
struct Signals {
    private var set = sigset_t()

    /// Blocks them for this thread and every one that it starts: call before the first thread.
    init() {
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP, Self.wake] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A client that went away is an error of write(), not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Of this process for itself.
    static let wake = SIGUSR1

    /// The thread that waits for a signal has something to do. May be called from any thread.
    static func wakeMainThread() { kill(getpid(), wake) }

    /// Sleeps until one of them comes, or for so many seconds; nil: none has come.
    mutating func wait(seconds: Int) -> Int32? { wait(nanoseconds: UInt64(max(0, seconds)) * 1_000_000_000) }

    private mutating func wait(nanoseconds: UInt64) -> Int32? {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let number = sigtimedwait(&set, nil, &time)
        return number > 0 ? number : nil
    }

    /// Sleeps until one of them comes, or until the deadline, if there is one (CLOCK_MONOTONIC).
    mutating func wait(until deadline: UInt64?) -> Int32? {
        guard let deadline else { return wait() }
        let now = MonotonicClock.nanoseconds()
        return wait(nanoseconds: deadline > now ? deadline - now : 0)
    }

    /// When one of them comes, this cleans up and ends the process.
    ///
    /// - Parameter cleaning: is given the code of one that was interrupted, to exit with. When it returns it came too late,
    ///   and what was begun ends as if nobody had said anything.
    func exitAfter(_ cleaning: @escaping @Sendable (Int32) -> Void) {
        Thread.detach { [self] in
            var (signals, number) = (self, Int32(0))
            while number != SIGINT && number != SIGTERM { number = signals.wait() }
            cleaning(128 + number)
        }
    }

    /// Sleeps until one of them comes.
    mutating func wait() -> Int32 {
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }
}
