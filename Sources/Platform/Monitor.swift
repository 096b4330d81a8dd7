import Glibc

/// A value behind a lock that threads can wait on. `Mutex` cannot be waited on, nobody here sleeps by polling, and the
/// thread sanitizer does not see a contended `Mutex` pass from thread to thread, because the kernel does that
/// (FUTEX_UNLOCK_PI).
///
/// `@unchecked Sendable`: the state is touched only while the pthread mutex is held.
public final class Monitor<State>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var state: State

    public init(_ state: sending State) {
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

    @inlinable
    public func withLock<Result, E: Error>(_ body: (inout State) throws(E) -> Result) throws(E) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Changes the state and wakes everybody who waits on it.
    @inlinable
    public func notify<Result, E: Error>(_ body: (inout State) throws(E) -> Result) throws(E) -> Result {
        defer { pthread_cond_broadcast(condition) }
        return try withLock(body)
    }

    /// Sleeps until `body` gives a value. It is asked at once, after every ``notify(_:)``, and a last time, with `isLate`
    /// set, at the deadline; nil when it has none even then.
    ///
    /// - Parameter deadline: monotonic nanoseconds; nil: it may take for ever.
    @inlinable
    public func wait<Result>(until deadline: UInt64?, _ body: (inout State, _ isLate: Bool) -> Result?) -> Result? {
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

    /// The same for so long from now on.
    @inlinable
    public func wait<Result>(seconds: Int, _ body: (inout State) -> Result?) -> Result? {
        wait(until: MonotonicClock.nanoseconds() + UInt64(seconds) * 1_000_000_000) { state, _ in body(&state) }
    }
}
