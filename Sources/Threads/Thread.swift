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
        let id = Self.start {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            run()
        }
        guard let id else { preconditionFailure("the system gives no more threads") }
        self.id = id
    }

    /// A thread that nobody waits for. Signals are blocked in it as in the one that asks.
    ///
    /// - Returns: false: the system gives no more, and the function does not run.
    @discardableResult
    public static func detach(_ run: @escaping @Sendable () -> Void) -> Bool {
        guard let id = start(run) else { return false }
        pthread_detach(id)
        return true
    }

    private static func start(_ run: @escaping @Sendable () -> Void) -> pthread_t? {
        let body = Unmanaged.passRetained(Body(run))
        var id = pthread_t()
        let code = pthread_create(
            &id, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        if code == 0 { return id }
        body.release()
        return nil
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
