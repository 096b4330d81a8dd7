import Store

/// When each radio's link was live: a node's silence counts only then. Times are host milliseconds.
struct LinkTimes: Sendable {
    private struct Span {
        var from: Int64
        /// nil while it is live.
        var to: Int64?
    }

    private static let kept = 1_000
    private var spans: [SourceID: [Span]] = [:]

    func isLive(_ source: SourceID) -> Bool { spans[source]?.last.map { $0.to == nil } ?? false }

    var live: [SourceID] { spans.keys.filter(isLive) }

    mutating func begin(_ source: SourceID, at time: Int64) {
        guard !isLive(source) else { return }
        spans[source, default: []].append(Span(from: time, to: nil))
        if spans[source]!.count > Self.kept { spans[source]!.removeFirst() }
    }

    mutating func end(_ source: SourceID, at time: Int64) {
        guard isLive(source), let last = spans[source]?.last else { return }
        spans[source]![spans[source]!.count - 1].to = max(last.from, time)
    }

    mutating func endAll(at time: Int64) { for source in live { end(source, at: time) } }

    /// The host's clock was set. A period that was skipped does not count; what lies ahead now is removed.
    mutating func clockWasSet(from before: Int64, to after: Int64) {
        let wereLive = live
        endAll(at: before)
        for source in spans.keys where after < before {
            spans[source] = spans[source]!.filter { $0.from < after }.map {
                Span(from: $0.from, to: min($0.to ?? after, after))
            }
        }
        for source in wereLive { begin(source, at: after) }
    }

    /// How long the link has been live since then.
    ///
    /// - Parameter now: no later than the present.
    func liveTime(of source: SourceID, since time: Int64, at now: Int64) -> Int64 {
        (spans[source] ?? []).reduce(0) { $0 + max(0, min($1.to ?? now, now) - max($1.from, time)) }
    }
}
