/// Bounds what the log says of answers that were ended because nobody read them. An attack has hundreds of them: those of the
/// first moment make one line at once, later ones are counted for a line a minute. No thread wakes up for that line.
struct UnreadAnswers {
    /// Nanoseconds between two lines.
    static let pause: UInt64 = 60_000_000_000

    private var count = 0
    private var last: Peer?
    private var loggedAt: UInt64?

    mutating func add(_ peer: Peer) {
        count += 1
        last = peer
    }

    /// Nil: there is nothing to log now. Else whose answer was the last, and how many there were since the line before.
    ///
    /// - Parameter now: nanoseconds that nobody sets.
    mutating func due(at now: UInt64) -> (last: Peer, count: Int)? {
        guard let last, loggedAt.map({ now - $0 >= Self.pause }) ?? true else { return nil }
        defer { (count, self.last, loggedAt) = (0, nil, now) }
        return (last, count)
    }
}
