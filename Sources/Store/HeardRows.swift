import MeshModel

// What came in packets and is kept as it came: telemetry, positions, people counted, status texts. These tables begin
// with the same columns, and a packet that is heard again, as after a reboot of the radio, adds no second row.

/// The packet that brought a value, as far as its row keeps it.
struct Heard {
    /// A second copy of a packet comes within this time; the index of times is then short to look through.
    /// Firmware 2.8 repeats much older ones, but says so (``Writer/hasPacket(id:from:in:)``).
    static let duplicateWindow: Int64 = 6 * 3_600_000

    static let columns = "node, at, packet_id, channel, rx_snr, hop_start, hop_limit"
    static let placeholders = "?, ?, ?, ?, ?, ?, ?"

    let key: Int64
    let at: Int64
    /// Nil: unknown, as for all the following.
    let packetID: PacketID?
    let channel: UInt32?
    let rxSNR: Double?
    let hopStart: UInt32?
    let hopLimit: UInt32?

    init(_ number: NodeNumber, _ packet: MeshPacket?, in source: SourceID, at now: Int64) {
        key = source.key(number)
        at = now
        packetID = packet.flatMap { $0.id == 0 ? nil : $0.id }
        channel = packet?.channel
        rxSNR = packet.flatMap { $0.rxRSSI == nil ? nil : Double($0.rxSNR) }
        hopStart = packet?.hopStart
        hopLimit = packet?.hopLimit
    }

    init(_ past: PastReception, of number: NodeNumber, in source: SourceID) {
        key = source.key(number)
        at = past.at
        packetID = past.packetID
        channel = past.channel
        rxSNR = past.rxSNR
        hopStart = past.hopStart
        hopLimit = past.hopLimit
    }

    var number: NodeNumber { NodeNumber(UInt32(truncatingIfNeeded: key)) }
    var source: SourceID { SourceID(rawValue: key >> 32) }

    func bind(to statement: Statement) {
        statement.bind(key).bind(at).bind(packetID).bind(channel).bind(rxSNR).bind(hopStart).bind(hopLimit)
    }

    /// - Parameter query: counts rows by node, earliest time and packet id.
    fileprivate func isKnown(_ query: Statement) throws -> Bool {
        guard let packetID else { return false }
        return try query.bind(key).bind(at - Self.duplicateWindow).bind(packetID).first { $0.flag() } ?? false
    }

    static func read<Value>(_ row: Statement, _ value: (Statement) throws -> Value) rethrows -> Record<Value> {
        Record(
            id: row.integer(), node: NodeNumber(row.unsigned()), at: row.integer(), packetID: row.unsignedOrNil(),
            channel: row.unsignedOrNil(), rxSNR: row.doubleOrNil(), hopStart: row.unsignedOrNil(),
            hopLimit: row.unsignedOrNil(), value: try value(row))
    }
}

extension Writer {
    /// Whether a table has a row of this packet already. What recent packets do not know is surely new.
    ///
    /// - Parameter query: as ``Heard/isKnown(_:)`` takes it; made only when it is needed.
    func isKnown(_ heard: Heard, _ table: ReportTable, _ query: () throws -> Statement) throws -> Bool {
        if try recentPackets(at: heard.at).isNew(heard, table) { return false }
        return try heard.isKnown(query())
    }

    /// Stores a telemetry packet as one row, unless the node's packet is there already.
    ///
    /// - Parameters:
    ///   - packet: nil when it did not come in one.
    ///   - derived: what was worked out from the packet.
    public func insertTelemetry(
        _ telemetry: Telemetry, from: NodeNumber, packet: MeshPacket?, in source: SourceID, at now: Int64,
        with derived: [Telemetry.Value] = []
    ) throws {
        let heard = Heard(from, packet, in: source, at: now)
        // What was worked out from a packet has been looked for already (hasDerived), in reports as well.
        let isKnown =
            try derived.isEmpty
            && isKnown(heard, .telemetry) {
                let known = try connection.prepare(
                    "SELECT count(*) FROM telemetry WHERE node = ? AND at > ? AND packet_id = ? AND kind = ?")
                // The kind is the fourth parameter, after what every table is asked by.
                known.bind(telemetry.kind.rawValue, at: 4)
                return known
            }
        guard !isKnown else { return }
        var telemetry = telemetry
        telemetry.values += derived
        try insert(telemetry, heard)
    }

    func insert(_ telemetry: Telemetry, _ heard: Heard) throws {
        markChanged(.telemetry)
        let statement = try connection.prepare(
            """
            INSERT INTO telemetry (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, kind, time, metrics, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        let metrics = NumberObject.text(telemetry.values.map { ($0.name, $0.value) })
        try statement.bind(telemetry.kind.rawValue).bind(telemetry.time).bind(metrics).bind(telemetry.text).run()
        let row = connection.lastInsertedRow
        recentPackets?.note(heard, .telemetry)
        note(.telemetry(heard.number, row: row), of: row, in: heard.source)
    }

    /// Stores a position report, unless the node's packet is there already.
    public func insertPosition(
        _ position: Position, from: NodeNumber, packet: MeshPacket?, in source: SourceID, at now: Int64
    ) throws {
        let heard = Heard(from, packet, in: source, at: now)
        let isKnown = try isKnown(heard, .positions) {
            try connection.prepare(
                "SELECT count(*) FROM positions WHERE node = ? AND at > ? AND packet_id = ?")
        }
        guard !isKnown else { return }
        try insert(position, heard)
    }

    func insert(_ position: Position, _ heard: Heard) throws {
        markChanged(.positions)
        let statement = try connection.prepare(
            """
            INSERT INTO positions (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, latitude_i, longitude_i,
                altitude, time, precision_bits, ground_speed, ground_track, sats_in_view, rare)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        statement.bind(position.latitudeI).bind(position.longitudeI).bind(position.altitude).bind(position.time)
            .bind(position.precisionBits).bind(position.groundSpeed).bind(position.groundTrack)
            .bind(position.satsInView)
        let rare = position.rareFields
        try statement.bind(rare.isEmpty ? nil : NumberObject.text(rare)).run()
        let row = connection.lastInsertedRow
        recentPackets?.note(heard, .positions)
        note(.position(heard.number, row: row), of: row, in: heard.source)
    }

    public func insertPaxcount(
        _ count: Paxcount, from: NodeNumber, packet: MeshPacket?, in source: SourceID, at now: Int64
    ) throws {
        let heard = Heard(from, packet, in: source, at: now)
        let isKnown = try isKnown(heard, .paxcounts) {
            try connection.prepare(
                "SELECT count(*) FROM paxcounts WHERE node = ? AND at > ? AND packet_id = ?")
        }
        guard !isKnown else { return }
        try insert(count, heard)
    }

    func insert(_ count: Paxcount, _ heard: Heard) throws {
        markChanged(.paxcounts)
        let statement = try connection.prepare(
            """
            INSERT INTO paxcounts (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, wifi, ble, uptime)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        try statement.bind(count.wifi).bind(count.ble).bind(count.uptime).run()
        let row = connection.lastInsertedRow
        recentPackets?.note(heard, .paxcounts)
        note(.paxcount(heard.number, row: row), of: row, in: heard.source)
    }

    public func insertNodeStatus(
        _ text: String, from: NodeNumber, packet: MeshPacket?, in source: SourceID, at now: Int64
    ) throws {
        let heard = Heard(from, packet, in: source, at: now)
        let isKnown = try isKnown(heard, .statuses) {
            try connection.prepare(
                "SELECT count(*) FROM node_statuses WHERE node = ? AND at > ? AND packet_id = ?")
        }
        guard !isKnown else { return }
        markChanged(.nodeStatuses)
        let statement = try connection.prepare(
            """
            INSERT INTO node_statuses (node, at, packet_id, channel, rx_snr, hop_start, hop_limit, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        heard.bind(to: statement)
        try statement.bind(text).run()
        recentPackets?.note(heard, .statuses)
        note(.status(from), of: Int64(from.rawValue), in: source)
    }

    /// What a node's newest report of a kind is to one that may be the same.
    public func newestReport(
        of node: NodeNumber, as telemetry: Telemetry, in source: SourceID
    ) throws -> NewestReport? {
        try connection.prepare(
            composed: """
                SELECT at, \(Telemetry.columns) FROM telemetry INDEXED BY telemetry_node
                WHERE node = ? AND kind = ? ORDER BY at DESC LIMIT 1
                """
        )
        .bind(source.key(node)).bind(telemetry.kind.rawValue)
        .first { row in
            let (at, newest) = (row.integer(), Telemetry.read(row))
            return NewestReport(at: at, isSame: newest.values == telemetry.values && newest.text == telemetry.text)
        }
    }

    /// The same for a place. Its time is no part of it: the radio may have one from another packet.
    public func newestReport(
        of node: NodeNumber, as position: Position, in source: SourceID
    ) throws -> NewestReport? {
        try connection.prepare(
            """
            SELECT at, latitude_i IS ?2 AND longitude_i IS ?3 AND altitude IS ?4
            FROM positions INDEXED BY positions_node WHERE node = ?1 ORDER BY at DESC LIMIT 1
            """
        )
        .bind(source.key(node)).bind(position.latitudeI).bind(position.longitudeI).bind(position.altitude)
        .first { NewestReport(at: $0.integer(), isSame: $0.flag()) }
    }

    /// The same for a status.
    public func newestReport(of node: NodeNumber, as status: String, in source: SourceID) throws -> NewestReport? {
        try connection.prepare(
            """
            SELECT at, text = ?2 FROM node_statuses INDEXED BY node_statuses_node
            WHERE node = ?1 ORDER BY at DESC LIMIT 1
            """
        )
        .bind(source.key(node)).bind(status).first { NewestReport(at: $0.integer(), isSame: $0.flag()) }
    }

    /// True when a packet that firmware 2.8 likes to repeat (telemetry, position, status) was stored before, at any
    /// time.
    public func hasPacket(id: PacketID, from: NodeNumber, in source: SourceID) throws -> Bool {
        try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM telemetry WHERE node = ?1 AND packet_id = ?2 AND kind <> 100)
                OR EXISTS (SELECT 1 FROM positions WHERE node = ?1 AND packet_id = ?2)
                OR EXISTS (SELECT 1 FROM node_statuses WHERE node = ?1 AND packet_id = ?2)
            """
        )
        .bind(source.key(from)).bind(id).first { $0.flag() } ?? false
    }
}

/// A node's newest report of a kind, beside another one.
public struct NewestReport: Hashable, Sendable {
    /// Host milliseconds.
    public var at: Int64
    /// It says the same.
    public var isSame: Bool
}

extension Position {
    /// The fields without a column of their own, by name; all of them fit into a Double exactly.
    fileprivate var rareFields: [(name: String, value: Double)] {
        var fields: [(name: String, value: Double)] = [
            ("locationSource", Double(locationSource)), ("altitudeSource", Double(altitudeSource)),
            ("timestampMillisAdjust", Double(timestampMillisAdjust)), ("pdop", Double(pdop)), ("hdop", Double(hdop)),
            ("vdop", Double(vdop)), ("gpsAccuracy", Double(gpsAccuracy)), ("fixQuality", Double(fixQuality)),
            ("fixType", Double(fixType)), ("sensorID", Double(sensorID)), ("nextUpdate", Double(nextUpdate)),
            ("sequenceNumber", Double(sequenceNumber)),
        ].filter { $0.value != 0 }
        // Nil and 0 differ here.
        if let timestamp { fields.append(("timestamp", Double(timestamp))) }
        if let altitudeHAE { fields.append(("altitudeHAE", Double(altitudeHAE))) }
        if let altitudeGeoidalSeparation {
            fields.append(("altitudeGeoidalSeparation", Double(altitudeGeoidalSeparation)))
        }
        return fields
    }

    mutating func setRareField(_ name: String, _ value: Double) {
        let unsigned = UInt32(exactly: value) ?? 0
        let signed = Int32(exactly: value) ?? 0
        switch name {
        case "locationSource": locationSource = unsigned
        case "altitudeSource": altitudeSource = unsigned
        case "timestampMillisAdjust": timestampMillisAdjust = signed
        case "pdop": pdop = unsigned
        case "hdop": hdop = unsigned
        case "vdop": vdop = unsigned
        case "gpsAccuracy": gpsAccuracy = unsigned
        case "fixQuality": fixQuality = unsigned
        case "fixType": fixType = unsigned
        case "sensorID": sensorID = unsigned
        case "nextUpdate": nextUpdate = unsigned
        case "sequenceNumber": sequenceNumber = unsigned
        case "timestamp": timestamp = unsigned
        case "altitudeHAE": altitudeHAE = signed
        case "altitudeGeoidalSeparation": altitudeGeoidalSeparation = signed
        default: break
        }
    }
}
