import Glibc
import Synchronization

/// The lock of an owner: a part of the gateway with a few fields that nobody else touches.
///
/// Whoever holds one asks no other owner, and calls nothing outside: what is needed of elsewhere, such as the time, is read
/// before and passed in. So there is no order of locks to keep. A debug build stops when a thread that holds one takes
/// another; a release build has a `Mutex` and nothing else.
struct OwnerLock<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>

    init(_ state: consuming sending State) { mutex = Mutex(state) }

    borrowing func withLock<Result, E: Error>(
        _ body: (inout sending State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if DEBUG
            HeldOwner.take()
            defer { HeldOwner.release() }
        #endif
        return try mutex.withLock(body)
    }
}

#if DEBUG
    /// Whether this thread holds the lock of an owner.
    private enum HeldOwner {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            precondition(pthread_key_create(&key, nil) == 0, "no key for this thread's owner")
            return key
        }()

        static func take() {
            precondition(pthread_getspecific(key) == nil, "an owner is asked while another one's lock is held")
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        }

        static func release() { pthread_setspecific(key, nil) }
    }
#endif
