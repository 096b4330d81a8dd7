import Gateway
import Routes
import Store

/// What a reading of the database is made with.
struct EventSources {
    let caller: Caller
    let reader: Reader
    let all: [FoundSource]
    let rows: EventRows

    init(_ caller: Caller, _ reader: Reader, _ feed: EventFeed) throws {
        self.caller = caller
        self.reader = reader
        all = try reader.sources().filter { feed.selection.wants($0.id) }
        rows = EventRows(api: feed.api, caller: caller, selection: feed.selection, reader: reader)
    }

    subscript(_ id: SourceID) -> FoundSource? { all.first { $0.id == id } }
}
