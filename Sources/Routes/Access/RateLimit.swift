import Synchronization

/// Counts requests per client in fixed windows (Contract 2.5) and remembers a bounded number of clients.
///
/// A client's window starts with its first request.
public final class RateLimit: Sendable {
    public enum Kind: Sendable, Equatable {
        /// All requests of one public address.
        case requests
        /// `POST …/messages`, from wherever.
        case messages

        public var refusal: String {
            switch self {
            case .requests: "Too many requests from this IP, please try again later"
            case .messages: "Too many messages sent, please slow down"
            }
        }

        public var windowInWords: String {
            switch self {
            case .requests: "15 minutes"
            case .messages: "1 minute"
            }
        }

        /// Seconds.
        public var window: Int64 {
            switch self {
            case .requests: 900
            case .messages: 60
            }
        }
    }

    /// Where a client stands after a request that was just counted.
    public struct Standing: Equatable, Sendable {
        public var kind: Kind
        /// Requests in one window.
        public var limit: Int
        public var isRefused: Bool
        public var remaining: Int
        /// Seconds until the window ends, at least 1.
        public var reset: Int

        /// The headers of the IETF draft, version 6.
        public var headers: [(name: String, value: String)] {
            [
                ("RateLimit-Policy", "\(limit);w=\(kind.window)"), ("RateLimit-Limit", String(limit)),
                ("RateLimit-Remaining", String(remaining)), ("RateLimit-Reset", String(reset)),
            ]
        }
    }

    private struct Window {
        /// Monotonic milliseconds.
        var end: Int64
        var count: Int
    }

    private struct State {
        var limit: Int?
        var windows = ClientTable<Window>()
    }

    private let kind: Kind
    private let state: Mutex<State>

    /// - Parameter limit: Requests in one window; nil: there is no limit.
    public init(_ kind: Kind, limit: Int?) {
        self.kind = kind
        state = Mutex(State(limit: limit))
    }

    /// How many clients are remembered.
    public var clients: Int { state.withLock { $0.windows.count } }

    /// Counts from now on against another limit, also in windows that have begun.
    public func set(limit: Int?) { state.withLock { $0.limit = limit } }

    /// Counts one request.
    /// - Parameter now: Monotonic milliseconds.
    /// - Returns: Nil when there is no limit.
    public func count(_ client: Client, now: Int64) -> Standing? {
        let counted: (limit: Int, window: Window)? = state.withLock { state in
            guard let limit = state.limit else { return nil }
            var window = state.windows.entry(of: client, now: now) ?? Window(end: now + kind.window * 1000, count: 0)
            window.count = min(window.count + 1, limit + 1)
            state.windows.set(window, of: client, until: window.end, now: now)
            return (limit, window)
        }
        guard let (limit, window) = counted else { return nil }
        return Standing(
            kind: kind, limit: limit, isRefused: window.count > limit, remaining: max(limit - window.count, 0),
            reset: max(Int((window.end - now + 999) / 1000), 1))
    }
}
