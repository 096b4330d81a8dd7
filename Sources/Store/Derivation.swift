import MeshModel

// What the gateway works out from what it hears (DerivedMetric), as rows of `telemetry`.
//
// 1. They are stored, not worked out when somebody asks: the packet log has no index by node, and each page of a node's
//    series would look through all of it; and what it is worked out from is not kept as long.
// 2. A packet is one row, in the transaction of the packet: 48 bytes, and 29 in the index, where it lies beside that of
//    the packet's own report. What would say the same as before is not stored.
// 3. The rows are of a kind that no packet has, so that none is taken for a report.

enum Derivation {
    /// In the column `kind`, where others have the number of a variant in the schema.
    static let kind: UInt32 = 100
}

extension Writer {
    /// Stores what was worked out about a node as one row, unless the packet's row is there already.
    ///
    /// - Parameters:
    ///   - packet: which it was worked out from; nil: it is no packet's.
    ///   - at: host milliseconds for which it is true.
    ///   - now: host milliseconds, when that was another time.
    /// - Returns: false when the row is there already.
    @discardableResult
    public func insertDerived(
        _ values: [(metric: DerivedMetric, value: Double)], of node: NodeNumber, from packet: MeshPacket? = nil,
        in source: SourceID, at: Int64, now: Int64? = nil
    ) throws -> Bool {
        let heard = Heard(derivedFrom: packet, of: node, in: source, at: at)
        let known = try connection.prepare(
            "SELECT count(*) FROM telemetry WHERE node = ? AND at > ? AND packet_id = ? AND kind = ?")
        known.bind(Derivation.kind, at: 4)
        guard try !heard.isKnown(known) else { return false }
        markChanged(.telemetry)
        let statement = try connection.prepare(
            """
            INSERT INTO telemetry (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, kind, time, metrics)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        let metrics = NumberObject.text(values.map { ($0.metric.name, $0.value) })
        try statement.bind(Derivation.kind).bind(now.map { $0 / 1000 }).bind(metrics).run()
        return true
    }

    /// Whether this differs from what was worked out before, or that is more than ten minutes older.
    public func isNews(
        _ value: Double, for metric: DerivedMetric, of node: NodeNumber, in source: SourceID, at: Int64
    ) throws -> Bool {
        try newest(metric, of: node, in: source, during: at - 600_000...at, isOfPacket: metric != .snrRemote) != value
    }

    /// The grade of a node's link; nil while it has none.
    public func linkQuality(of node: NodeNumber, in source: SourceID) throws -> Int? {
        let key = source.key(node)
        if let known = linkQualities[key] { return known }
        let stored = try newest(.linkQuality, of: node, in: source, during: 0 ... .max, isOfPacket: false)
        linkQualities[key] = stored.map { Int($0) }
        return linkQualities[key]
    }

    /// Changes the grade, and stores it unless it is the same.
    public func setLinkQuality(_ quality: Int, of node: NodeNumber, in source: SourceID, at now: Int64) throws {
        guard try linkQuality(of: node, in: source) != quality else { return }
        try insertDerived([(.linkQuality, Double(quality))], of: node, in: source, at: now)
        if linkQualities.count >= NodeCache.capacity { linkQualities.removeAll() }
        linkQualities[source.key(node)] = quality
    }

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

    /// - Parameters:
    ///   - times: host milliseconds.
    ///   - isOfPacket: whether its rows are those of packets: the index tells which are.
    private func newest(
        _ metric: DerivedMetric, of node: NodeNumber, in source: SourceID, during times: ClosedRange<Int64>,
        isOfPacket: Bool
    ) throws -> Double? {
        let statement = try connection.prepare(
            """
            SELECT metrics FROM telemetry INDEXED BY telemetry_node
            WHERE node = ? AND at BETWEEN ? AND ? AND kind = ? AND (packet_id IS NULL) <> ? AND instr(metrics, ?) > 0
            ORDER BY at DESC, kind DESC, packet_id DESC, id DESC LIMIT 1
            """
        )
        .bind(source.key(node)).bind(times.lowerBound).bind(times.upperBound).bind(Derivation.kind).bind(isOfPacket)
        .bind("\"\(metric.name)\":")
        return try statement.first { NumberObject.fields($0.text()) }?.first { $0.name == metric.name }?.value
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
