import Glibc
import Platform

/// The checks, side by side: a thread each, so that one that hangs (a dead disk, a stuck service manager) delays no other.
public enum CheckRunner {
    public struct Result: Hashable, Sendable {
        public var name: String
        public var finding: Check.Finding
    }

    /// Nanoseconds that a check may take.
    public static let patience: UInt64 = 1_200_000_000

    /// Asks everything. What has no answer in time is reported as skipped; its thread is left to itself, so that a process
    /// should end after a run.
    ///
    /// - Parameters:
    ///   - checks: nil for all.
    ///   - patience: nanoseconds.
    /// - Returns: one result a check, in their order.
    public static func run(
        _ checks: [Check]? = nil, on facts: Facts, patience: UInt64 = patience
    ) -> [Result] {
        let checks = checks ?? Check.all(on: facts)
        let answers = Answers(count: checks.count)
        for (index, check) in checks.enumerated() {
            answers.fill(index) { check.find(facts) }
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
        answers.fill(0, body)
        return answers.wait(nanoseconds: nanoseconds)[0]
    }
}

private typealias Answers = Slots<Check.Finding>

/// Values that threads fill in, for one that waits for all of them.
private final class Slots<Value: Sendable>: Sendable {
    private let values: Monitor<[Value?]>

    init(count: Int) { values = Monitor(Array(repeating: nil, count: count)) }

    /// On a thread of its own; without one to be had, here and now.
    func fill(_ index: Int, _ find: @escaping @Sendable () -> Value) {
        let body: @Sendable () -> Void = { [self] in
            let value = find()
            values.notify { $0[index] = value }
        }
        if !Thread.detach(body) { body() }
    }

    /// What is there when all is there, or the time is over.
    func wait(nanoseconds: UInt64) -> [Value?] {
        values.wait(until: MonotonicClock.nanoseconds() + nanoseconds) { values, isLate in
            isLate || values.allSatisfy { $0 != nil } ? values : nil
        } ?? []
    }
}
