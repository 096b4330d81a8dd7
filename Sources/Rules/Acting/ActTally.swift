import Synchronization

/// How many acts rules have sent and skipped since the service started, for metrics.
public final class ActTally: Sendable {
    public struct Counts: Hashable, Sendable {
        public internal(set) var sent = 0
        public internal(set) var skipped = 0
    }

    private let state = Mutex<[String: Counts]>([:])

    public init() {}

    /// By the names of rules.
    public var counts: [String: Counts] { state.withLock { $0 } }

    func sent(_ rule: String) { state.withLock { $0[rule, default: Counts()].sent += 1 } }
    func skipped(_ rule: String) { state.withLock { $0[rule, default: Counts()].skipped += 1 } }
}
