import Glibc

/// A thread that runs one function and can be joined once.
public struct Thread: Sendable {
    private let id: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `pthread_create`. Signals are blocked in it: they are the main thread's business.
    public init(_ run: @escaping @Sendable () -> Void) {
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

    /// `pthread_join`; from the thread itself, which nobody can then wait for, `pthread_detach`.
    public func join() {
        if isCurrent {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }

    public var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }
}
