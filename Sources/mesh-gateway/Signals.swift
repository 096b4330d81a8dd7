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

    /// Sleeps until one of them comes.
    mutating func wait() -> Int32 {
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }
}
