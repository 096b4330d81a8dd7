import Synchronization

/// Counts requests per client in fixed windows (contract 2.5) and remembers a bounded number of clients.
///
/// A client's window starts with its first request. When the table is full, the client whose window ends first is
/// forgotten: an attacker with many addresses buys other clients a fresh window, not us a full memory.
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

        /// Requests in one window.
        var limit: Int {
            switch self {
            case .requests: 1000
            case .messages: 30
            }
        }
    }

    /// Where a client stands after a request that was just counted.
    struct Standing: Equatable {
        var kind: Kind
        var isRefused: Bool
        var remaining: Int
        /// Seconds until the window ends, at least 1.
        var reset: Int

        /// The headers of the IETF draft, version 6.
        var headers: [(name: String, value: String)] {
            [
                ("RateLimit-Policy", "\(kind.limit);w=\(kind.window)"), ("RateLimit-Limit", String(kind.limit)),
                ("RateLimit-Remaining", String(remaining)), ("RateLimit-Reset", String(reset)),
            ]
        }
    }

    static let maximumClients = 1024

    private struct Window {
        /// Monotonic milliseconds.
        var end: Int64
        var count: Int
    }

    private let kind: Kind
    private let windows = Mutex<[String: Window]>([:])

    init(_ kind: Kind) { self.kind = kind }

    /// How many clients are remembered.
    var clients: Int { windows.withLock { $0.count } }

    /// Counts one request.
    /// - Parameter now: Monotonic milliseconds.
    func count(_ client: String, now: Int64) -> Standing {
        windows.withLock { windows in
            var window = windows[client] ?? Window(end: 0, count: 0)
            if window.end <= now {
                if windows.count >= Self.maximumClients, windows[client] == nil {
                    Self.makeRoom(in: &windows, now: now)
                }
                window = Window(end: now + kind.window * 1000, count: 0)
            }
            window.count = min(window.count + 1, kind.limit + 1)
            windows[client] = window
            return Standing(
                kind: kind, isRefused: window.count > kind.limit, remaining: max(kind.limit - window.count, 0),
                reset: max(Int((window.end - now + 999) / 1000), 1))
        }
    }

    private static func makeRoom(in windows: inout [String: Window], now: Int64) {
        windows = windows.filter { $0.value.end > now }
        guard windows.count >= maximumClients, let first = windows.min(by: { $0.value.end < $1.value.end })?.key
        else { return }
        windows[first] = nil
    }
}
