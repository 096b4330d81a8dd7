import Platform
import Synchronization

/// How often a target or broker is tried at the wish of clients in the network: each once in ten seconds, because every try is
/// a notification on somebody's phone, or a connection to somebody's server. A changed one need not wait.
public final class TestPace: Sendable {
    /// Milliseconds.
    private static let spacing: Int64 = 10_000

    private struct Try {
        /// The hash of what its file said: a type of each thing's own would cost every start.
        let thing: Int
        /// Monotonic milliseconds.
        let at: Int64
    }

    private let tries = Mutex<[String: Try]>([:])

    public init() {}

    /// Takes note of a try that may begin.
    ///
    /// - Parameters:
    ///   - thing: what its file says now.
    ///   - now: monotonic milliseconds.
    /// - Returns: the seconds after which it may be tried again; nil: it may now.
    public func wait(for name: String, _ thing: some Hashable, at now: Int64 = MonotonicClock.milliseconds()) -> Int? {
        let thing = thing.hashValue
        return tries.withLock { tries in
            tries = tries.filter { now - $0.value.at < Self.spacing }
            if let last = tries[name], last.thing == thing { return Int((last.at + Self.spacing - now + 999) / 1000) }
            tries[name] = Try(thing: thing, at: now)
            return nil
        }
    }
}

extension APIError {
    /// - Parameter seconds: after which it may be tried again.
    public static func triedJustNow(_ name: String, retryAfter seconds: Int) -> APIError {
        .brief(429, "\"\(name)\" was tried a moment ago; each is tried once in ten seconds", retryAfter: seconds)
    }
}
