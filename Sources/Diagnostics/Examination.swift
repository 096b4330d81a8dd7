import Glibc

/// The checks, side by side: a thread each, so that one that hangs (a dead disk, a stuck service manager) delays no other.
public enum Examination {
    public struct Result: Hashable, Sendable {
        public var name: String
        public var finding: Check.Finding
    }

    /// Nanoseconds that a check may take.
    public static let patience: UInt64 = 1_200_000_000

    /// Asks everything. What has no answer in time is reported as skipped; its thread is left to itself, so that a process
    /// should end after an examination.
    ///
    /// - Parameter patience: nanoseconds.
    /// - Returns: one result a check, in their order.
    public static func run(
        _ checks: [Check] = Check.all, on facts: Facts, patience: UInt64 = patience
    ) -> [Result] {
        let answers = Answers(count: checks.count)
        for (index, check) in checks.enumerated() {
            detachThread { answers.set(index, check.find(facts)) }
        }
        return zip(checks, answers.wait(nanoseconds: patience)).map { check, finding in
            let late = Check.Finding.skipped(
                "It took longer than \(patience / 100_000_000 / 10).\(patience / 100_000_000 % 10) s and was cut off.")
            return Result(name: check.name, finding: finding ?? late)
        }
    }

    /// Runs what may hang, on a thread of its own.
    ///
    /// - Returns: nil when it has not come to an end in time; it is left to itself.
    public static func bounded<Value: Sendable>(
        nanoseconds: UInt64, _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let answers = Slots<Value>(count: 1)
        detachThread { answers.set(0, body()) }
        return answers.wait(nanoseconds: nanoseconds)[0]
    }
}

private typealias Answers = Slots<Check.Finding>

/// Values that threads fill in, for one that waits for all of them.
///
/// `@unchecked Sendable`: the values are touched only while the pthread mutex is held. `Mutex` cannot be waited on.
private final class Slots<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var values: [Value?]
    private var missing: Int

    init(count: Int) {
        values = Array(repeating: nil, count: count)
        missing = count
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

    func set(_ index: Int, _ value: Value) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        values[index] = value
        missing -= 1
        if missing == 0 { pthread_cond_broadcast(condition) }
    }

    /// What is there when all is there, or the time is over.
    func wait(nanoseconds: UInt64) -> [Value?] {
        let deadline = Clock.monotonic() + nanoseconds
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while missing > 0 {
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
        }
        return values
    }
}

enum Clock {
    /// Nanoseconds since the host started.
    static func monotonic() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// A thread that nobody waits for. Without one to be had, the body runs here and now.
func detachThread(_ body: @escaping @Sendable () -> Void) {
    final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let argument = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
            return nil
        }, argument.toOpaque())
    guard code == 0 else {
        argument.takeRetainedValue().run()
        return
    }
    pthread_detach(thread)
}
