import MeshModel
import Platform
import Synchronization

// How many points there are.
//
// 1. A page of a node's series comes with the exact number of all its points, and looking at each row for that would
//    cost more the longer the series is. So a count is kept in memory, and goes on from the last one.
// 2. Rows are only added at the end, and deleted when they are old. Triggers note what is deleted, so that no way of
//    deleting can be forgotten: a count of everything subtracts it, a count of a series is made again.
// 3. A count of a part of the time is not kept: it looks at the rows of that time.

extension Schema {
    static let seriesDeletions = """
        CREATE TABLE series_deletions (
            series INTEGER PRIMARY KEY, points INTEGER NOT NULL, last_row INTEGER NOT NULL
        ) STRICT;
        INSERT INTO series_deletions VALUES (0, 0, 0), (1, 0, 0), (2, 0, 0);
        CREATE TRIGGER telemetry_deleted AFTER DELETE ON telemetry BEGIN
            UPDATE series_deletions SET last_row = old.id, points = points
                + iif(old.kind <> 7, length(old.metrics) - length(replace(old.metrics, ':', '')), 0)
                WHERE series = 0;
        END;
        CREATE TRIGGER positions_deleted AFTER DELETE ON positions BEGIN
            UPDATE series_deletions SET last_row = old.id, points = points
                + iif(old.latitude_i IS NOT NULL AND old.longitude_i IS NOT NULL,
                    2 + (old.altitude IS NOT NULL) + (old.sats_in_view IS NOT NULL)
                    + (old.ground_speed IS NOT NULL) + (old.ground_track IS NOT NULL), 0)
                WHERE series = 1;
        END;
        CREATE TRIGGER paxcounts_deleted AFTER DELETE ON paxcounts BEGIN
            UPDATE series_deletions SET last_row = old.id, points = points + 3 WHERE series = 2;
        END;
        """
}

extension Reader {
    /// How many points of a node there are.
    ///
    /// - Parameter query: names a node.
    public func telemetryTotal(_ query: TelemetryQuery) throws -> Int {
        guard query.since == nil, query.before == nil else {
            return try SeriesTable.holding(query.name).map { try $0.count(query, on: connection) }.reduce(0, +)
        }
        return try seriesCounts.count(query, on: connection)
    }

    /// How many points there are in all sources.
    public func telemetryCount() throws -> Int { try seriesCounts.count(nil, on: connection) }

    /// How many positions a node has.
    ///
    /// - Parameter query: its name is not used.
    public func positionTotal(_ query: TelemetryQuery) throws -> Int {
        var query = query
        query.name = "latitude"
        return try telemetryTotal(query)
    }
}

/// Counts that go on from the last one.
final class SeriesCounts: Sendable {
    private struct Count {
        var marks: SeriesMarks
        var points: Int
        /// Monotonic nanoseconds of the last count from the beginning.
        var madeAt: UInt64
    }

    /// Series that are kept.
    static let capacity = 1024
    /// Nanoseconds, a day: numbers of rows could be used again after all rows were deleted, which takes far longer.
    private static let lifetime: UInt64 = 86_400_000_000_000

    private let known = Mutex<[TelemetryQuery?: Count]>([:])

    /// - Parameter query: without bounds of time; nil for everything.
    func count(_ query: TelemetryQuery?, on connection: DatabaseConnection) throws -> Int {
        let marks = try SeriesMarks(connection)
        let now = MonotonicClock.nanoseconds()
        var count = Count(marks: marks, points: 0, madeAt: now)
        if let before = known.withLock({ $0[query] }), now - before.madeAt < Self.lifetime {
            // Another reader's snapshot can be newer than this one.
            if marks == before.marks || before.marks.isLater(than: marks) { return before.points }
            if marks.deleted == before.marks.deleted {
                count.points = before.points + (try Self.added(query, after: before.marks, on: connection))
                count.madeAt = before.madeAt
                return keep(count, for: query)
            }
            if query == nil, marks.lastDeletedIsCounted(in: before.marks) {
                let deleted = marks.deleted.reduce(0, +) - before.marks.deleted.reduce(0, +)
                count.points = before.points - deleted + (try Self.added(nil, after: before.marks, on: connection))
                count.madeAt = before.madeAt
                return keep(count, for: query)
            }
        }
        count.points =
            try query == nil ? Self.all(marks, on: connection) : Self.added(query, after: nil, on: connection)
        return keep(count, for: query)
    }

    /// Rows were deleted that were not the oldest: what is known may count some of them twice, or not at all.
    func forget() { known.withLock { $0.removeAll() } }

    /// Everything, from where the writer has come to.
    private static func all(_ marks: SeriesMarks, on connection: DatabaseConnection) throws -> Int {
        try SeriesTable.allCases.map { table in
            guard let known = try table.countedRows(connection), known.counts(in: marks, of: table) else {
                return try table.count(nil, on: connection)
            }
            return try known.points - marks.deleted[Int(table.rawValue)]
                + table.count(nil, after: known.row, on: connection)
        }
        .reduce(0, +)
    }

    private func keep(_ count: Count, for query: TelemetryQuery?) -> Int {
        known.withLock { known in
            if known.count >= Self.capacity, known[query] == nil { known.removeAll() }
            known[query] = count
        }
        return count.points
    }

    /// Points that were stored after these marks; nil: all.
    static func added(
        _ query: TelemetryQuery?, after marks: SeriesMarks?, on connection: DatabaseConnection
    ) throws -> Int {
        try SeriesTable.holding(query?.name).map { table in
            try table.count(query, after: marks?.newest[Int(table.rawValue)], on: connection)
        }
        .reduce(0, +)
    }
}

/// Up to where the tables were counted, in the order of ``SeriesTable``.
struct SeriesMarks: Hashable {
    /// The last row.
    var newest: [Int64] = []
    /// Points that were ever deleted.
    var deleted: [Int] = []
    /// The row that was deleted last.
    private(set) var lastDeleted: [Int64] = []

    init(_ connection: DatabaseConnection) throws {
        let statement = try connection.prepare(
            """
            SELECT CASE series WHEN 0 THEN (SELECT max(id) FROM telemetry) WHEN 1 THEN (SELECT max(id) FROM positions)
                ELSE (SELECT max(id) FROM paxcounts) END, points, last_row
            FROM series_deletions WHERE series < 3 ORDER BY series
            """)
        _ = try statement.rows { row in
            newest.append(row.integer())
            deleted.append(Int(row.integer()))
            lastDeleted.append(row.integer())
        }
    }

    /// Made of a later state of the database.
    func isLater(than other: SeriesMarks) -> Bool {
        if deleted != other.deleted { return zip(deleted, other.deleted).allSatisfy(>=) }
        return zip(newest, other.newest).allSatisfy(>=)
    }

    /// Since then, rows were only added.
    func onlyAdds(to before: SeriesMarks) -> Bool {
        deleted == before.deleted && zip(newest, before.newest).allSatisfy(>=)
    }

    /// What was deleted since then had been counted then.
    func lastDeletedIsCounted(in before: SeriesMarks) -> Bool {
        zip(lastDeleted, before.newest).allSatisfy(<=) && zip(newest, before.newest).allSatisfy(>=)
    }
}

extension SeriesTable {
    /// - Parameters:
    ///   - query: nil for everything.
    ///   - row: only what was stored behind it.
    fileprivate func count(_ query: TelemetryQuery?, after row: Int64? = nil, on connection: DatabaseConnection) throws
        -> Int
    {
        guard let query else {
            return Int(
                try connection.prepare(
                    composed:
                        "SELECT ifnull(sum(\(count(of: nil))), 0) FROM \(name) NOT INDEXED WHERE \(condition(nil)) AND id > ?"
                )
                .bind(row ?? .min).first { $0.integer() } ?? 0)
        }
        let filter = SeriesFilter(self, query, name: query.name, after: row)
        let statement = try connection.prepare(
            composed: "SELECT ifnull(sum(\(count(of: query.name))), 0) FROM \(name) \(filter.text)")
        filter.bind(to: statement)
        return Int(try statement.first { $0.integer() } ?? 0)
    }
}
