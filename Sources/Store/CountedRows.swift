import MeshModel

// The number of all points, kept across starts.
//
// To count the rows of years takes a minute, in which a thread of the server has no time for anybody else. So the writer
// notes by the way how many points were ever stored up to a row: a number that no deletion of such a row changes. A reader
// adds what came behind that row, and takes away what was ever deleted (SeriesCounts).

/// Up to where the writer has counted a table.
struct CountedRows {
    /// Points that were ever stored up to the row, those that were deleted since included.
    var points: Int
    var row: Int64
    /// Those that were deleted before.
    var deleted: Int

    /// What it says is no longer known when a row was deleted since that had not been counted, or the last one that had:
    /// numbers of rows may then be used again.
    func counts(in marks: SeriesMarks, of table: SeriesTable) -> Bool {
        let place = Int(table.rawValue)
        return (marks.deleted[place] == deleted || marks.lastDeleted[place] < row) && row <= marks.newest[place]
    }
}

extension SeriesTable {
    /// They stand among the deletions, of which the tables have the numbers below sixteen.
    private var numbers: (points: Int64, deleted: Int64) { (16 + rawValue, 32 + rawValue) }

    func countedRows(_ connection: DatabaseConnection) throws -> CountedRows? {
        try connection.prepare(
            """
            SELECT a.points, a.last_row, b.points FROM series_deletions a JOIN series_deletions b ON b.series = ?2
            WHERE a.series = ?1
            """
        )
        .bind(numbers.points).bind(numbers.deleted)
        .first { CountedRows(points: Int($0.integer()), row: $0.integer(), deleted: Int($0.integer())) }
    }

    fileprivate func note(_ counted: CountedRows, on connection: DatabaseConnection) throws {
        try connection.prepare("INSERT OR REPLACE INTO series_deletions VALUES (?, ?, ?), (?, ?, ?)")
            .bind(numbers.points).bind(counted.points).bind(counted.row)
            .bind(numbers.deleted).bind(counted.deleted).bind(counted.row).run()
    }

    /// The writer begins again, and readers count by themselves meanwhile.
    func forgetCount(on connection: DatabaseConnection) throws {
        try connection.prepare("DELETE FROM series_deletions WHERE series IN (?, ?)")
            .bind(numbers.points).bind(numbers.deleted).run()
    }

    /// The points of the first rows behind a row, and the last of these rows; nil: there are none.
    fileprivate func counted(
        _ rows: Int, after row: Int64, on connection: DatabaseConnection
    ) throws -> (points: Int, last: Int64)? {
        try connection.prepare(
            composed: """
                SELECT points, last FROM (SELECT sum(points) AS points, max(id) AS last
                    FROM (SELECT id, iif(\(condition(nil)), \(count(of: nil)), 0) AS points
                        FROM \(name) NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?))
                WHERE last IS NOT NULL
                """
        )
        .bind(row).bind(rows).first { (Int($0.integer()), $0.integer()) }
    }
}

extension Writer {
    /// Counts the next rows of a table.
    ///
    /// - Returns: false: there were none left.
    func countRows(of table: SeriesTable, batch: Int = 256) throws -> Bool {
        let marks = try SeriesMarks(connection)
        let deleted = marks.deleted[Int(table.rawValue)]
        var counted = CountedRows(points: deleted, row: 0, deleted: deleted)
        if let known = try table.countedRows(connection), known.counts(in: marks, of: table) { counted = known }
        guard let more = try table.counted(batch, after: counted.row, on: connection) else { return false }
        try table.note(
            CountedRows(points: counted.points + more.points, row: more.last, deleted: deleted), on: connection)
        return true
    }
}
