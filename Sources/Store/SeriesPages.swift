import MeshModel
import Synchronization

// Where pages of a whole source ended.
//
// A client that collects everything asks for one page after the other, each by its offset. Counting through all that
// lies before would make the last pages of a million rows cost a second each, so the ends of the last pages are
// remembered. What was stored since then only moves them: it lies before them all.

/// The ends of the last pages of a query, where the next ones begin.
struct KnownPages {
    struct End {
        /// Points that lie before.
        var offset: Int
        /// By table: the row with which to go on; 0 behind the last one.
        var rows: [Int64]
        /// Points of the newest of these rows that lie before.
        var skipped: Int
    }

    private static let capacity = 16

    fileprivate(set) var marks: SeriesMarks
    private var ends: [End] = []
    /// How many points there are in all, once somebody has come to the last one.
    private(set) var total: Int?

    fileprivate init(marks: SeriesMarks) { self.marks = marks }

    /// The last known end that lies before so many points, or just behind them.
    func end(before offset: Int) -> End? { ends.filter { $0.offset <= offset }.max { $0.offset < $1.offset } }

    mutating func add(_ end: End) {
        if end.rows.allSatisfy({ $0 == 0 }) { total = end.offset }
        ends.removeAll { $0.offset == end.offset }
        ends.append(end)
        if ends.count > Self.capacity { ends.removeFirst() }
    }

    fileprivate mutating func move(by points: Int, to marks: SeriesMarks) {
        for index in ends.indices { ends[index].offset += points }
        total = total.map { $0 + points }
        self.marks = marks
    }
}

/// What is known of the queries that were asked last.
final class SeriesPages: Sendable {
    private static let capacity = 8

    private let known = Mutex<[TelemetryQuery: KnownPages]>([:])

    /// Nil for a query whose pages are not remembered.
    func pages(of query: TelemetryQuery, on connection: DatabaseConnection) throws -> KnownPages? {
        // Nodes have an index, and which nodes a token may see can change.
        guard query == TelemetryQuery(source: query.source, name: query.name) else { return nil }
        let marks = try SeriesMarks(connection)
        guard var pages = known.withLock({ $0[query] }), marks.onlyAdds(to: pages.marks) else {
            return KnownPages(marks: marks)
        }
        if pages.marks != marks {
            let added = try SeriesCounts.added(query, after: pages.marks, on: connection)
            pages.move(by: added, to: marks)
        }
        return pages
    }

    func keep(_ pages: KnownPages, of query: TelemetryQuery) {
        known.withLock { known in
            if known.count >= Self.capacity, known[query] == nil { known.removeAll() }
            known[query] = pages
        }
    }
}
