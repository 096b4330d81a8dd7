import MeshModel

// What the gateway works out from what it hears (DerivedMetric), as rows of `telemetry`.
//
// 1. It is stored, not worked out when somebody asks: the packet log has no index by node, and each page of a node's
//    series would look through all of it; and what it is worked out from is not kept as long.
// 2. What is worked out from a report of telemetry stands in the report's row, behind the report's own values: 18 bytes, 34
//    when the grade of the link has changed. Another packet gets a row of its own: 55 bytes, and 29 in the index. What would
//    say the same as before is not stored.
// 3. Such rows are of a kind that no packet has, so that none is taken for a report.

enum Derivation {
    /// In the column `kind`, where others have the number of a variant in the schema.
    static let kind: UInt32 = 100

    static func values(_ metrics: String) -> [Telemetry.Value] {
        NumberObject.fields(metrics).map { Telemetry.Value($0.name, $0.value) }
    }

    /// How many of a row's values were worked out: the last ones.
    static func count(of values: [Telemetry.Value]) -> Int {
        values.reversed().prefix { DerivedMetric(rawValue: $0.name) != nil }.count
    }

    /// No sender said when it was. A grade is the node's, not the packet's (Contract 3.7).
    static func shown(_ point: TelemetryPoint) -> TelemetryPoint {
        var point = point
        point.time = nil
        if point.name == DerivedMetric.linkQuality.name { point.packetID = nil }
        return point
    }
}

extension Writer {
    /// Stores what was worked out about a node as a row of its own.
    ///
    /// - Parameters:
    ///   - packet: which it was worked out from, for the first time (``hasDerived(from:in:at:)``); nil: it is no packet's.
    ///   - at: host milliseconds for which it is true.
    ///   - now: host milliseconds, when that was another time.
    public func insertDerived(
        _ values: [Telemetry.Value], of node: NodeNumber, from packet: MeshPacket? = nil, in source: SourceID,
        at: Int64, now: Int64? = nil
    ) throws {
        let heard = Heard(derivedFrom: packet, of: node, in: source, at: at)
        markChanged(.telemetry)
        let statement = try connection.prepare(
            """
            INSERT INTO telemetry (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, kind, time, metrics)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        let metrics = NumberObject.text(values.map { ($0.name, $0.value) })
        try statement.bind(Derivation.kind).bind(now.map { $0 / 1000 }).bind(metrics).run()
        recentPackets?.note(heard, .telemetry)
    }

    /// Whether something was worked out from the node's packet already. A report's row counts.
    public func hasDerived(from packet: MeshPacket, in source: SourceID, at now: Int64) throws -> Bool {
        let heard = Heard(derivedFrom: packet, of: packet.from, in: source, at: now)
        return try isKnown(heard, .telemetry) {
            try connection.prepare("SELECT count(*) FROM telemetry WHERE node = ? AND at > ? AND packet_id = ?")
        }
    }

    /// Which of these differ from what was worked out before, or when that is more than ten minutes older.
    ///
    /// - Parameter values: one or two.
    public func news(
        among values: [Telemetry.Value], of node: NodeNumber, in source: SourceID, at: Int64
    ) throws -> [Telemetry.Value] {
        guard let first = values.first, let last = values.last else { return [] }
        let rows = try connection.prepare(
            """
            SELECT metrics FROM telemetry INDEXED BY telemetry_node
            WHERE node = ? AND at BETWEEN ? AND ? AND kind = ? AND (instr(metrics, ?) > 0 OR instr(metrics, ?) > 0)
            ORDER BY at DESC, kind DESC, packet_id DESC, id DESC
            """
        )
        .bind(source.key(node)).bind(at - 600_000).bind(at).bind(Derivation.kind)
        .bind("\"\(first.name)\":").bind("\"\(last.name)\":")
        defer { rows.reset() }
        var (unknown, news) = (values, values)
        while !unknown.isEmpty, try rows.step() {
            for known in Derivation.values(rows.text()) {
                guard let place = unknown.firstIndex(where: { $0.name == known.name }) else { continue }
                if unknown.remove(at: place).value == known.value { news.removeAll { $0.name == known.name } }
            }
        }
        return news
    }

    // MARK: The grade of a link

    /// Rows of a node in which its grade is looked for when the node's row has none: it was graded before there was a column.
    private static let gradedRows = 200
    /// What rises with every packet, and is not said to have changed in so many, has come to its end.
    private static let highest = 10

    /// The grade of a node's link; nil while it has none.
    public func linkQuality(of node: NodeNumber, in source: SourceID) throws -> Int? {
        let key = source.key(node)
        if let known = try knownLinkQuality(of: key) { return known }
        let rows = try connection.prepare(
            composed:
                "SELECT metrics FROM telemetry INDEXED BY telemetry_node WHERE node = ? ORDER BY \(SeriesTable.telemetry.order) LIMIT ?"
        )
        .bind(key).bind(Self.gradedRows).rows { Derivation.values($0.text()) }
        let name = DerivedMetric.linkQuality.name
        let stored = rows.lazy.compactMap { $0.last { $0.name == name } }.first.map { Int($0.value) }
        let quality = stored ?? (rows.count == Self.gradedRows ? Self.highest : nil)
        if let quality { try setLinkQuality(quality, of: key) }
        return quality
    }

    /// What is stored now, in whatever row.
    public func noteLinkQuality(_ quality: Int, of node: NodeNumber, in source: SourceID) throws {
        try setLinkQuality(quality, of: source.key(node))
    }

    // MARK: The radio itself

    /// How many nodes were heard since a time in host seconds, and how many of them without a relay, the radio itself
    /// not counted.
    public func heardNodes(since: Int64, own: NodeNumber, in source: SourceID) throws -> (all: Int, direct: Int) {
        try writeDirtyNodes()
        return try connection.prepare(
            """
            SELECT count(*), ifnull(sum(hops_away = 0 AND node <> ?), 0) FROM nodes
            WHERE node BETWEEN ? AND ? AND last_heard > ?
            """
        )
        .bind(source.key(own)).bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).bind(since)
        .first { (all: Int($0.integer()), direct: Int($0.integer())) } ?? (0, 0)
    }
}

extension Heard {
    /// How strong it was heard, and over how many relays, is known of the packet itself. The channel of one that could
    /// not be read is no channel, but a digest of one.
    fileprivate init(derivedFrom packet: MeshPacket?, of number: NodeNumber, in source: SourceID, at: Int64) {
        key = source.key(number)
        self.at = at
        packetID = packet.flatMap { $0.id == 0 ? nil : $0.id }
        channel = packet?.decoded == nil ? nil : packet?.channel
        (rxSNR, hopStart, hopLimit) = (nil, nil, nil)
    }
}
