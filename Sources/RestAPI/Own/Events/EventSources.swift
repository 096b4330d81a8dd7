import Gateway
import Routes
import Store

/// What a reading of the database is made with.
struct EventSources {
    let caller: Caller
    let reader: Reader
    let all: [FoundSource]
    let rows: EventRows
    private let hasBrokers: Bool
    /// The kinds that the reader wants and may see; changes of others are not read.
    let kinds: Set<EventKind>

    init(_ caller: Caller, _ reader: Reader, _ feed: EventFeed) throws {
        self.caller = caller
        self.reader = reader
        all = try reader.sources().filter { feed.selection.wants($0.id) }
        kinds = feed.selection.kinds.filter { $0.permission.map { caller.scopes.allows($0) } ?? true }
        hasBrokers = feed.selection.hasBrokers
        rows = EventRows(api: feed.api, caller: caller, selection: feed.selection, reader: reader)
    }

    var changes: Set<StoredChange.Kind> { kinds.reduce(into: []) { $0.formUnion($1.changes) } }

    /// A radio's.
    subscript(_ id: SourceID) -> FoundSource? { all.first { $0.id == id } }

    /// Where a message is: at a radio, or in a conversation over a broker that may be read; nil: the reader is not told of
    /// it.
    func ofMessages(_ id: SourceID) throws -> FoundSource? {
        if let found = self[id] { return found }
        // Looked up one by one: most streams never meet one.
        guard hasBrokers, let source = try reader.source(id), source.brokerConversation != nil,
            caller.lacks(.read, over: try reader.channels(ofConversation: id)) == nil
        else { return nil }
        return (id, source)
    }

    /// All of these.
    func ofMessages() throws -> [SourceID] {
        try all.map(\.id) + (hasBrokers ? reader.brokerConversations().map(\.source) : [])
    }
}
