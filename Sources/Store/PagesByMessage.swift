import MeshModel

// Pages by the id of a message: before it, after it, around it. A page is found by the place of that message in the order
// of an index, so that the last one costs as much as the first.

/// Where a page is.
public enum PagePlace: Hashable, Sendable {
    case newest
    /// What stands before this message, exclusive.
    case before(MessagePosition)
    /// What comes next behind it, exclusive.
    case after(MessagePosition)
    /// This message with what stands on both sides of it.
    case around(MessagePosition)
}

/// A page of messages, newest first, and whether there are more on its two sides.
public struct MessagePage: Sendable {
    /// The numbers of its rows.
    public var rows: [Int64] = []
    /// All of them, or the first and the last one.
    public var messages: [Message] = []
    public var hasOlder = false
    public var hasNewer = false

    public init() {}
}

extension Reader {
    /// - Parameters:
    ///   - query: its order and its own places are not looked at.
    ///   - readsEndsOnly: only the first and the last message are read: the page is long, and read in slices.
    public func page(
        _ query: MessageQuery, at place: PagePlace, readsEndsOnly: Bool = false
    ) throws -> MessagePage {
        guard query.limit > 0 else { return MessagePage() }
        var query = query
        (query.order, query.older, query.newer) = (.newestFirst, nil, nil)
        let limit = query.limit
        // One more tells whether there are more.
        query.limit = limit < Int.max ? limit + 1 : limit
        var (older, newer): ([MessagePosition], [MessagePosition]) = ([], [])
        var page = MessagePage()
        switch place {
        case .newest:
            older = try places(query)
            page.hasOlder = older.count > limit
        case .before(let start):
            older = try places(query.older(than: start))
            page.hasOlder = older.count > limit
            page.hasNewer = try !places(query.newer(than: older.first ?? start.before, limit: 1)).isEmpty
        case .after(let start):
            newer = try places(query.newer(than: start))
            page.hasNewer = newer.count > limit
            newer = Array(newer.prefix(limit))
            page.hasOlder = try !places(query.older(than: newer.first ?? start.behind, limit: 1)).isEmpty
        case .around(let middle):
            older = try places(query.older(than: middle.behind))
            newer = try places(query.newer(than: middle))
            // Half of each; where one side has less, the other has the rest.
            let behind = min(newer.count, max((limit - 1) / 2, limit - older.count))
            page.hasNewer = newer.count > behind
            page.hasOlder = older.count > limit - behind
            newer = Array(newer.prefix(behind))
        }
        let all = newer.reversed() + older.prefix(limit - newer.count)
        page.rows = all.map(\.row)
        let read = readsEndsOnly && all.count > 2 ? [all[0], all[all.count - 1]] : Array(all)
        page.messages = try messages(at: read, uuid: MessageRow.uuid(of: query.source, on: connection))
        return page
    }
}

extension MessageQuery {
    /// What stands before a place, from there backwards.
    fileprivate func older(than place: MessagePosition, limit: Int? = nil) -> MessageQuery {
        var query = self
        (query.older, query.limit) = (place, limit ?? self.limit)
        return query
    }

    /// What stands behind a place, from there on.
    fileprivate func newer(than place: MessagePosition, limit: Int? = nil) -> MessageQuery {
        var query = self
        (query.newer, query.order, query.limit) = (place, .oldestFirst, limit ?? self.limit)
        return query
    }
}
