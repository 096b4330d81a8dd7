import MeshModel
import Store

/// The messages that were created or changed since somebody was here, source by source, oldest first.
struct EventBacklog {
    /// An hour: no host's clock is set back by more while nobody looks, and what comes twice is known by its id.
    private static let slack: Int64 = 3_600_000
    private static let page = 16

    /// Host milliseconds, inclusive.
    private let since: Int64
    private var sources: [SourceID]
    private var after = ChangedMessagesPlace()
    /// The change with which it goes on when all of it is told, and the time of the id that stands for it.
    let change: Int64
    let time: Int64

    init(since: Int64, _ sources: [SourceID], goOnFrom change: Int64) {
        self.since = max(0, since - Self.slack)
        self.sources = sources
        self.change = change
        time = since
    }

    var isOver: Bool { sources.isEmpty }

    /// The next page; nil: there are no more.
    mutating func next(_ reader: Reader) throws -> (source: SourceID, messages: [Message])? {
        guard let source = sources.first else { return nil }
        let (messages, next) = try reader.messages(changedSince: since, after: after, limit: Self.page, in: source)
        if let next {
            after = next
        } else {
            after = ChangedMessagesPlace()
            sources.removeFirst()
        }
        return (source, messages)
    }
}
