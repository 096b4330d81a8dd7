import Glibc

/// A value behind a lock that threads can wait on. `Mutex` cannot be waited on, and the thread sanitizer does not see
/// a contended one pass from thread to thread, because the kernel does that (FUTEX_UNLOCK_PI).
///
/// `@unchecked Sendable`: the state is touched only while the pthread mutex is held, and only values that are
/// `Sendable` come out.
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

    func withLock<Result: Sendable, E: Error>(_ body: (inout State) throws(E) -> Result) throws(E) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Wakes everybody in ``wait(until:_:)``.
    func notify() { pthread_cond_broadcast(condition) }

    /// Sleeps until `body` gives a value; it is asked at once and after every ``notify()``. Nil at the deadline
    /// (monotonic nanoseconds).
    func wait<Result: Sendable>(until deadline: UInt64, _ body: (inout State) -> Result?) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state) }
        }
    }
}
