import MeshModel

// What somebody is told who was away, or who follows as things are stored: rows by their numbers, from one on. Each question
// has the filter of the page that shows the same rows (SeriesQueries, PacketLog), so that nobody is told of a row that his page
// would not show.

/// The place of a message among those that have changed since some time.
public struct ChangedMessagesPlace: Hashable, Sendable {
    /// Those that were created long before come first.
    var isRecent = false
    /// Host milliseconds.
    var time: Int64 = -1
    var row: Int64 = 0

    /// Before the first one.
    public init() {}
}

extension Reader {
    /// How many changes behind a number are no longer kept; nil: nobody knows, or the number is none of this database's,
    /// which lost its newest changes in a power cut or was put in the place of another one, as by a restoration.
    public func forgottenChanges(after number: Int64) throws -> Int64? {
        let newest = try newestChange()
        guard number >= 0, number <= newest else { return nil }
        // There was no change at all.
        guard newest > 0 else { return 0 }
        let oldest = try oldestChange() ?? newest + 1
        if number >= oldest {
            // The row that it is in, or would be in.
            let first = try connection.prepare(
                "SELECT number, earlier FROM changes WHERE number >= ? ORDER BY number LIMIT 1"
            )
            .bind(number).first { $0.integer() - PackedChanges.count(in: $0.bytes()) }
            return first.map { $0 <= number } == true ? 0 : nil
        }
        // Between two runs there are numbers that no change has.
        let count = oldest - 1 - number
        return count < Writer.leap.lowerBound ? count : nil
    }

    /// The greatest ``Message/createdAt``, in host milliseconds: what comes or changes later has no smaller time
    /// (``Writer/receiptTime(_:in:)``). 0: there is no message.
    public func newestMessageTime() throws -> Int64 {
        var newest: Int64 = 0
        for source in try SourceRow.ofMessages(on: connection) {
            let time =
                try connection.prepare("SELECT max(created_at) FROM messages INDEXED BY messages_all WHERE source = ?")
                .bind(source.rawValue).first { $0.integerOrNil() } ?? nil
            newest = max(newest, time ?? 0)
        }
        return newest
    }

    /// Messages that were created or changed since, oldest first; what has changed late comes before everything recent.
    ///
    /// - Parameters:
    ///   - since: host milliseconds, inclusive.
    ///   - place: behind which to go on.
    /// - Returns: the page, and the place of its last one; nil: there are no more.
    public func messages(
        changedSince since: Int64, after place: ChangedMessagesPlace, limit: Int, in source: SourceID
    ) throws -> (messages: [Message], next: ChangedMessagesPlace?) {
        let uuid = try MessageRow.uuid(of: source, on: connection)
        let late = MessageQuery.lateAfter
        let (time, index, condition) =
            place.isRecent
            ? ("created_at", "messages_all", "created_at >= ?2 - \(late) AND (created_at >= ?2 OR updated_at >= ?2)")
            : (
                "updated_at", "messages_late",
                "updated_at - created_at > \(late) AND updated_at >= ?2 AND created_at < ?2 - \(late)"
            )
        let statement = try connection.prepare(
            composed: """
                SELECT \(time), id, \(MessageRow.columns) FROM messages INDEXED BY \(index)
                WHERE source = ?1 AND \(condition) AND (\(time), id) > (?3, ?4) ORDER BY \(time), id LIMIT ?5
                """)
        var next = place
        let messages = try statement.bind(source.rawValue).bind(since).bind(place.time).bind(place.row).bind(limit)
            .rows { row in
                (next.time, next.row) = (row.integer(), row.integer())
                return MessageRow.read(row, uuid: uuid)
            }
        if messages.count == limit { return (messages, next) }
        guard !place.isRecent else { return (messages, nil) }
        next = ChangedMessagesPlace()
        next.isRecent = true
        return (messages, next)
    }

    // MARK: Rows by their numbers

    /// Nil: it is gone.
    public func traceroute(id: Int64, in source: SourceID) throws -> Traceroute? {
        try connection.prepare(composed: TracerouteRow.select + " WHERE id = ? AND source = ?")
            .bind(id).bind(source.rawValue).first(TracerouteRow.read)
    }

    /// The points that one row holds, as far as a query finds them: none when it does not find the row.
    public func telemetryPoints(
        _ query: TelemetryQuery, inRow row: Int64, of report: ReportTable
    ) throws -> [TelemetryPoint] {
        guard let table = report.series else { return [] }
        return try self.row(row, of: table, query) { table.points($0) } ?? []
    }

    /// The same of a position with coordinates.
    public func position(_ query: TelemetryQuery, inRow row: Int64) throws -> Record<Position>? {
        try self.row(row, of: .positions, query) { Heard.read($0, Position.read) }
    }

    private func row<Value>(
        _ row: Int64, of table: SeriesTable, _ query: TelemetryQuery, _ read: (Statement) -> Value
    ) throws -> Value? {
        let filter = SeriesFilter(table, query, name: nil, after: row - 1, upTo: row)
        let statement = try connection.prepare(
            composed: "SELECT id, \(Heard.columns), \(table.columns) FROM \(table.name) \(filter.text)")
        filter.bind(to: statement)
        return try statement.first(read)
    }

    // MARK: Packets

    /// The numbers of the oldest and the newest packet of the log; 0 when there is none.
    public func packetRows() throws -> (oldest: Int64, newest: Int64) {
        let oldest = try connection.integer("SELECT min(id) FROM packets") ?? 0
        return (oldest, try connection.integer("SELECT max(id) FROM packets") ?? 0)
    }

    /// The packets of a range of numbers that match, oldest first, whatever the limit and the offset.
    public func packets(_ query: PacketQuery, in rows: ClosedRange<Int64>) throws -> [LoggedPacket] {
        let statement = try connection.prepare(
            composed: LoggedPacket.select + PacketQuery.condition + " AND id BETWEEN ?12 AND ?13 ORDER BY id")
        query.bind(to: statement)
        return try statement.bind(rows.lowerBound).bind(rows.upperBound).rows(LoggedPacket.init)
    }
}
