import Glibc

/// A thread that runs one function and can be joined once.
public struct Thread: Sendable {
    private let id: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `pthread_create`. Signals are blocked in it: they are the main thread's business.
    ///
    /// - Parameter name: what `ps -L` and `top -H` show; at most 15 bytes. Nil: the process's name.
    public init(named name: String? = nil, _ run: @escaping @Sendable () -> Void) {
        guard let thread = Thread.start(named: name, run) else {
            preconditionFailure("the system gives no more threads")
        }
        self = thread
    }

    private init(id: pthread_t) { self.id = id }

    /// The same where the system may give no more threads.
    ///
    /// - Parameter stackBytes: nil: what the system gives by itself, mostly 8 MiB.
    /// - Returns: nil: the function does not run; errno says why.
    public static func start(
        named name: String? = nil, stackBytes: Int? = nil, _ run: @escaping @Sendable () -> Void
    ) -> Thread? {
        create(stackBytes: stackBytes) {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            if let name { nameThisThread(name) }
            run()
        }
        .map(Thread.init(id:))
    }

    /// A thread that nobody waits for. Signals are blocked in it as in the one that asks.
    ///
    /// - Returns: false: the system gives no more, and the function does not run.
    @discardableResult
    public static func detach(named name: String? = nil, _ run: @escaping @Sendable () -> Void) -> Bool {
        guard
            let id = create({
                if let name { nameThisThread(name) }; run()
            })
        else { return false }
        pthread_detach(id)
        return true
    }

    private static func create(stackBytes: Int? = nil, _ run: @escaping @Sendable () -> Void) -> pthread_t? {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        let body = Unmanaged.passRetained(Body(run))
        var id = pthread_t()
        let code = pthread_create(
            &id, &attributes,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        if code == 0 { return id }
        body.release()
        errno = code
        return nil
    }

    /// Glibc hides pthread_setname_np from Swift.
    private static func nameThisThread(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        var name = name
        name.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
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
