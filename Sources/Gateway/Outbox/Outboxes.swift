import Store

/// The outboxes of all sources that a link has fed since the start.
final class Outboxes: Sendable {
    private let pace: SendingPace
    private let list = OwnerLock<[SourceID: SourceOutbox]>([:])

    init(pace: SendingPace) { self.pace = pace }

    func of(_ source: SourceID) -> SourceOutbox {
        list.withLock { list in
            if let known = list[source] { return known }
            let outbox = SourceOutbox(of: source, pace: pace)
            list[source] = outbox
            return outbox
        }
    }
}
