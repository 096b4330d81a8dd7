import Glibc

/// The signals that end the daemon are taken by the main thread in good order, never by a handler.
struct Signals {
    private var set = sigset_t()

    /// Blocks them for this thread and every one that it starts: call before the first thread.
    init() {
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A client that went away is an error of write(), not the end of the daemon.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Sleeps until one of them comes, or for so many seconds; nil: none has come.
    mutating func wait(seconds: Int) -> Int32? {
        var time = timespec(tv_sec: seconds, tv_nsec: 0)
        let number = sigtimedwait(&set, nil, &time)
        return number > 0 ? number : nil
    }

    /// When one of them comes, this cleans up, and the process ends as one that was interrupted.
    func exitAfter(_ cleaning: @escaping @Sendable () -> Void) {
        final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        let body = Body { [self] in
            var (signals, number) = (self, Int32(0))
            while number != SIGINT && number != SIGTERM { number = signals.wait() }
            cleaning()
            exit(128 + number)
        }
        var thread = pthread_t()
        _ = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(body).toOpaque())
    }

    /// Sleeps until one of them comes.
    mutating func wait() -> Int32 {
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }
}
