import Glibc

/// A value behind a lock that threads can wait on.
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

    /// Changes the state and wakes who waits on it.
    func notify<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        defer { pthread_cond_broadcast(condition) }
        return try withLock(body)
    }

    /// Sleeps until `body` gives a value, which is asked after every ``notify(_:)``.
    ///
    /// - Parameter seconds: nil when it has given none by then; without, for ever.
    func wait<Result>(seconds: Int? = nil, _ body: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds ?? 0
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if seconds == nil {
                pthread_cond_wait(condition, mutex)
            } else if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                return body(&state)
            }
        }
    }
}

/// A thread that runs one function and is joined once. Signals are the main thread's business.
struct Thread: Sendable {
    private let id: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

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
        precondition(code == 0, "the system gives no more threads: error \(code)")
        self.id = id
    }

    func join() { pthread_join(id, nil) }
}
