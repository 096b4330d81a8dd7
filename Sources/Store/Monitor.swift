import Glibc

/// A value behind a lock that threads can wait on. `Mutex` cannot be waited on, and the writer must sleep without
/// polling.
///
/// `@unchecked Sendable`: the state is touched only while the pthread mutex is held.
final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A deadline must not move when the host's clock is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Changes the state and wakes everybody who waits on it.
    func notify<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        defer { pthread_cond_broadcast(condition) }
        return try withLock(body)
    }

    /// Sleeps until `body` gives a value. It is asked after every ``notify(_:)``, and a last time, with `isLate` set, at
    /// the deadline (monotonic nanoseconds); nil when it has none even then.
    func wait<Result>(until deadline: UInt64?, _ body: (inout State, _ isLate: Bool) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state, false) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state, true) }
        }
    }
}

enum Clock {
    /// Nanoseconds since the host started.
    static func monotonic() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds that this thread has spent on a processor.
    static func processor() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds since 1970.
    static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A thread that runs one function and can be joined once.
struct Thread: Sendable {
    private let id: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `pthread_create`. Signals are blocked in it: they are the main thread's business.
    init(_ run: @escaping @Sendable () -> Void) {
        let body = Body {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            run()
        }
        var id = pthread_t()
        let code = pthread_create(
            &id, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(body).toOpaque())
        precondition(code == 0, "no thread for the store's writer: error \(code)")
        self.id = id
    }

    /// `pthread_join`; from the thread itself, which nobody can then wait for, `pthread_detach`.
    func join() {
        if isCurrent {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }

    var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }
}
