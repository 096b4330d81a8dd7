import Glibc
import Threads

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
private final class Slots<Value: Sendable>: Sendable {
    private let values: Monitor<[Value?]>

    init(count: Int) { values = Monitor(Array(repeating: nil, count: count)) }

    func set(_ index: Int, _ value: Value) { values.notify { $0[index] = value } }

    /// What is there when all is there, or the time is over.
    func wait(nanoseconds: UInt64) -> [Value?] {
        values.wait(until: monotonicNanoseconds() + nanoseconds) { values, isLate in
            isLate || values.allSatisfy { $0 != nil } ? values : nil
        } ?? []
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
