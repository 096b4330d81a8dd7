import MeshModel

// Routes that were asked for, and their answers. Rows are stored in the order of time.

extension Writer {
    /// How long a request waits for its answer, in milliseconds (Contract 3.8).
    static let tracerouteTimeout: Int64 = 300_000
    /// Rows that are kept for a pair of nodes.
    static let traceroutesPerPair = 50

    /// - Parameters:
    ///   - from: who asked.
    ///   - to: whose route it is.
    ///   - route: nil for a request that waits for its answer.
    public func insertTraceroute(
        from: NodeNumber, to: NodeNumber, packetID: PacketID?, route: RouteDiscovery?, in source: SourceID,
        at now: Int64
    ) throws {
        try insert(route, from: from, to: to, packetID: packetID, in: source, at: now)
        let pair = try connection.prepare(
            """
            DELETE FROM traceroutes WHERE source = ?1 AND from_node = ?2 AND to_node = ?3 AND id NOT IN (
                SELECT id FROM traceroutes WHERE source = ?1 AND from_node = ?2 AND to_node = ?3
                ORDER BY id DESC LIMIT ?4)
            """)
        try pair.bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(Self.traceroutesPerPair).run()
    }

    func insert(
        _ route: RouteDiscovery?, from: NodeNumber, to: NodeNumber, packetID: PacketID?, in source: SourceID,
        at now: Int64
    ) throws {
        markChanged(.traceroutes)
        try connection.prepare(
            """
            INSERT INTO traceroutes (source, from_node, to_node, packet_id, at, answered_at, route, snr_towards,
                route_back, snr_back)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(packetID).bind(now)
        .bind(route == nil ? nil : now).bind(route).run()
        let row = connection.lastInsertedRow
        note(.traceroute(row), of: row, in: source)
    }

    /// An answer has come: fills the request that waits for it. Without one, the answer becomes a row of its own, from
    /// the node that answered to the one that had asked (Contract 3.8). An answer that comes twice changes nothing.
    ///
    /// - Parameters:
    ///   - from: who had asked.
    ///   - to: who answers.
    ///   - requestID: packet id of the request.
    ///   - packetID: packet id of the answer.
    public func completeTraceroute(
        from: NodeNumber, to: NodeNumber, requestID: PacketID, packetID: PacketID, route: RouteDiscovery,
        in source: SourceID, at now: Int64
    ) throws {
        let isKnown = try connection.prepare(
            """
            SELECT count(*) FROM traceroutes WHERE source = ?1 AND ((from_node = ?2 AND to_node = ?3
                AND answer_id = ?4) OR (from_node = ?3 AND to_node = ?2 AND packet_id = ?4 AND route IS NOT NULL))
            """
        )
        .bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(packetID).first { $0.flag() }
        guard isKnown != true else { return }
        let request = try connection.prepare(
            """
            SELECT id FROM traceroutes WHERE source = ? AND from_node = ? AND to_node = ? AND route IS NULL AND at >= ?
            ORDER BY packet_id = ? DESC, id DESC LIMIT 1
            """
        )
        .bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(now - Self.tracerouteTimeout)
        .bind(requestID).first { $0.integer() }
        guard let request else {
            return try insertTraceroute(from: to, to: from, packetID: packetID, route: route, in: source, at: now)
        }
        markChanged(.traceroutes)
        try connection.prepare(
            """
            UPDATE traceroutes SET answered_at = ?, answer_id = ?, route = ?, snr_towards = ?, route_back = ?,
                snr_back = ? WHERE id = ?
            """
        )
        .bind(now).bind(packetID).bind(route).bind(request).run()
        note(.traceroute(request), of: request, in: source)
    }

    /// Whether a request still has no route.
    public func isUnanswered(
        _ id: PacketID, from: NodeNumber, to: NodeNumber, in source: SourceID
    ) throws -> Bool {
        try connection.prepare(
            """
            SELECT count(*) FROM traceroutes
            WHERE source = ? AND from_node = ? AND to_node = ? AND packet_id = ? AND route IS NULL
            """
        )
        .bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(id).first { $0.flag() } ?? false
    }
}

extension Statement {
    /// The four columns of a route; all NULL when there is none.
    fileprivate func bind(_ route: RouteDiscovery?) -> Statement {
        bind(route.map { IntegerArray.text($0.route.map(\.rawValue)) })
            .bind(route.map { IntegerArray.text($0.snrTowards) })
            .bind(route.map { IntegerArray.text($0.routeBack.map(\.rawValue)) })
            .bind(route.map { IntegerArray.text($0.snrBack) })
    }
}

extension Reader {
    /// Newest first.
    ///
    /// - Parameter since: host milliseconds, inclusive.
    public func traceroutes(
        in source: SourceID, from: NodeNumber? = nil, to: NodeNumber? = nil, since: Int64? = nil, limit: Int = 100
    ) throws -> [Traceroute] {
        try select(TracerouteRow.select, in: source, from: from, to: to, since: since, limit: limit)
            .rows(TracerouteRow.read)
    }

    /// The numbers of their rows: for a long list, of which slices are then read.
    public func tracerouteIDs(
        in source: SourceID, from: NodeNumber? = nil, to: NodeNumber? = nil, limit: Int
    ) throws -> [Int64] {
        try select("SELECT id FROM traceroutes", in: source, from: from, to: to, since: nil, limit: limit)
            .rows { $0.integer() }
    }

    private func select(
        _ select: String, in source: SourceID, from: NodeNumber?, to: NodeNumber?, since: Int64?, limit: Int
    ) throws -> Statement {
        // Nearly all rows are our own requests. Only a pair is few enough for its index; everything else is found by
        // walking back in time.
        var sql = select
        sql += from == nil || to == nil ? " NOT INDEXED WHERE source = ?" : " WHERE source = ?"
        if from != nil { sql += " AND from_node = ?" }
        if to != nil { sql += " AND to_node = ?" }
        if since != nil { sql += " AND at >= ?" }
        let statement = try connection.prepare(composed: sql + " ORDER BY id DESC LIMIT ?")
        statement.bind(source.rawValue)
        if let from { statement.bind(from.rawValue) }
        if let to { statement.bind(to.rawValue) }
        if let since { statement.bind(since) }
        return statement.bind(max(limit, 0))
    }

    /// Those between two nodes in either direction, newest first.
    public func traceroutes(
        between a: NodeNumber, and b: NodeNumber, in source: SourceID, limit: Int
    ) throws -> [Traceroute] {
        try connection.prepare(
            composed: TracerouteRow.select + """
                 WHERE source = ?1 AND ((from_node = ?2 AND to_node = ?3) OR (from_node = ?3 AND to_node = ?2))
                ORDER BY id DESC LIMIT ?4
                """
        )
        .bind(source.rawValue).bind(a.rawValue).bind(b.rawValue).bind(max(limit, 0)).rows(TracerouteRow.read)
    }

    /// How many there are, counted up to a limit.
    public func tracerouteCount(in source: SourceID, limit: Int) throws -> Int {
        try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM traceroutes INDEXED BY traceroutes_pair WHERE source = ? LIMIT ?)"
        )
        .bind(source.rawValue).bind(max(limit, 0)).first { Int($0.integer()) } ?? 0
    }
}

enum TracerouteRow {
    static let select = """
        SELECT id, from_node, to_node, packet_id, at, answered_at, answer_id, route, snr_towards, route_back, snr_back
        FROM traceroutes
        """

    static func read(_ row: Statement) -> Traceroute {
        var traceroute = Traceroute(
            id: row.integer(), from: NodeNumber(row.unsigned()), to: NodeNumber(row.unsigned()),
            packetID: row.unsignedOrNil(), at: row.integer())
        traceroute.answeredAt = row.integerOrNil()
        traceroute.answerID = row.unsignedOrNil()
        if let route = row.textOrNil() {
            let numbers = { (text: String) in IntegerArray.values(text).map { NodeNumber($0) } }
            traceroute.route = RouteDiscovery(
                route: numbers(route), snrTowards: IntegerArray.values(row.text()), routeBack: numbers(row.text()),
                snrBack: IntegerArray.values(row.text()))
        }
        return traceroute
    }
}
