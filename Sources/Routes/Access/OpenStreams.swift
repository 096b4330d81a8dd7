import HTTPServer
import Synchronization

/// The live streams of each token: who opens one too many loses the oldest, as a page does that
/// was left open in a tab, unless it asks for one that closes none.
public final class OpenStreams: Sendable {
    public static let perToken = 4

    private struct Open {
        let token: Int64
        weak var body: LiveBody?
        var isOpen: Bool { body.map { !$0.hasEnded } ?? false }
    }

    /// The oldest first.
    private let streams = Mutex<[Open]>([])

    public init() {}

    /// - Parameters:
    ///   - token: ``Token/id``.
    ///   - mayClose: its oldest streams may be closed to make room.
    /// - Returns: false: it has as many as it may have, and none may be closed.
    public func add(_ body: LiveBody, of token: Int64, mayClose: Bool = true) -> Bool {
        let ended: [LiveBody]? = streams.withLock { streams in
            streams.removeAll { !$0.isOpen }
            let own = streams.filter { $0.token == token }
            guard mayClose || own.count < Self.perToken else { return nil }
            let ended = own.prefix(max(0, own.count + 1 - Self.perToken)).compactMap(\.body)
            streams.append(Open(token: token, body: body))
            return ended
        }
        for body in ended ?? [] { body.end() }
        return ended != nil
    }
}
