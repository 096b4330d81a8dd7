import Glibc

/// A value that one thread waits for and another one brings.
///
/// `@unchecked Sendable`: the value is touched only while the pthread mutex is held.
final class Awaited<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value?

    init() {
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

    func bring(_ value: Value) {
        pthread_mutex_lock(mutex)
        self.value = value
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Nil: it did not come in time.
    func wait(seconds: Int) -> Value? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while value == nil, pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT {}
        return value
    }
}
