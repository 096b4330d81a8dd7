import Synchronization

/// Counts requests per client in fixed windows (contract 2.5) and remembers a bounded number of clients.
///
/// A client's window starts with its first request.
final class RateLimit: Sendable {
    enum Kind: Sendable, Equatable {
        /// All requests of one public address.
        case requests
        /// `POST …/messages`, from wherever.
        case messages

        var refusal: String {
            switch self {
            case .requests: "Too many requests from this IP, please try again later"
            case .messages: "Too many messages sent, please slow down"
            }
        }

        var windowInWords: String {
            switch self {
            case .requests: "15 minutes"
            case .messages: "1 minute"
            }
        }

        /// Seconds.
        var window: Int64 {
            switch self {
            case .requests: 900
            case .messages: 60
            }
        }
    }

    /// Where a client stands after a request that was just counted.
    struct Standing: Equatable {
        var kind: Kind
        /// Requests in one window.
        var limit: Int
        var isRefused: Bool
        var remaining: Int
        /// Seconds until the window ends, at least 1.
        var reset: Int

        /// The headers of the IETF draft, version 6.
        var headers: [(name: String, value: String)] {
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
    init(_ kind: Kind, limit: Int?) {
        self.kind = kind
        state = Mutex(State(limit: limit))
    }

    /// How many clients are remembered.
    var clients: Int { state.withLock { $0.windows.count } }

    /// Counts from now on against another limit, also in windows that have begun.
    func set(limit: Int?) { state.withLock { $0.limit = limit } }

    /// Counts one request.
    /// - Parameter now: Monotonic milliseconds.
    /// - Returns: Nil when there is no limit.
    func count(_ client: Client, now: Int64) -> Standing? {
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
