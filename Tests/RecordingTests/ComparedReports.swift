import CMeshtastic
import MeshModel
import Store

// What nodes report besides texts: each packet's values as one row.

extension PlayedRecording {
    /// Packets of a port, but for those of somebody who claims to be us.
    private func packets(_ port: UInt32) -> [(packet: OraclePacket, content: Fields)] {
        expectedPackets.compactMap { packet in
            guard packet.port == port, !packet.isSpoofed(own: oracle.ownNumber), let content = packet.content
            else { return nil }
            return (packet, content)
        }
    }

    func compareTelemetry() throws -> Findings {
        var findings = Findings(name)
        let found = try store.read { try $0.telemetry(in: source, limit: 100_000) }.reversed() as [Record<Telemetry>]
        let expected = packets(67).compactMap(ExpectedTelemetry.init)
        findings.compare("telemetry", "count", expected: expected.count, found: found.count)
        for (expected, found) in zip(expected, found) {
            let item = "telemetry \(expected.packet.from)/\(expected.packet.id)"
            compareHead(expected.packet, found, item, &findings)
            findings.compare(item, "kind", expected: expected.kind, found: found.value.kind)
            findings.compare(item, "time", expected: expected.time, found: found.value.time)
            findings.compare(item, "text", expected: expected.text, found: found.value.text)
            findings.compare(
                item, "metrics", expected: expected.values.keys.sorted(), found: found.value.values.map(\.name).sorted()
            )
            for (name, value) in expected.values {
                findings.compare(item, name, decimal: value, found: found.value[name])
            }
        }
        return findings
    }

    func comparePositions() throws -> Findings {
        var findings = Findings(name)
        let found = try store.read { try $0.positions(in: source, limit: 100_000) }.reversed() as [Record<Position>]
        let expected = packets(3).filter { ExpectedNode.hasFix($0.content) }
        findings.compare("positions", "count", expected: expected.count, found: found.count)
        for ((packet, content), found) in zip(expected, found) {
            let item = "position \(packet.from)/\(packet.id)"
            compareHead(packet, found, item, &findings)
            findings.compare(item, "fields", expected: Position(oracle: content), found: found.value)
        }
        return findings
    }

    private func compareHead<Value>(
        _ packet: OraclePacket, _ found: Record<Value>, _ item: String, _ findings: inout Findings
    ) {
        findings.compare(item, "node", expected: packet.from, found: found.node)
        findings.compare(item, "packetID", expected: packet.id, found: found.packetID ?? 0)
        findings.compare(item, "channel", expected: packet.channel, found: found.channel ?? 0)
        findings.compare(item, "hopStart", expected: packet.hopStart, found: found.hopStart ?? 0)
        findings.compare(item, "hopLimit", expected: packet.hopLimit, found: found.hopLimit ?? 0)
        // A value that the radio repeats from its memory was not received now.
        findings.compare(item, "rxSNR", decimal: packet.rxRSSI == nil ? nil : packet.rxSNR, found: found.rxSNR)
    }

    /// Waypoints as they are at the end: a past time deletes, and a locked one is changed by its owner only.
    func compareWaypoints() throws -> Findings {
        var findings = Findings(name)
        var expected: [UInt32: (from: NodeNumber, waypoint: Fields)] = [:]
        for (packet, content) in packets(8) {
            let id = content.unsigned("id")
            if let known = expected[id]?.waypoint.unsigned("locked_to"), known != 0, known != packet.from.rawValue {
                continue
            }
            let expire = Int64(content.unsigned("expire")) * 1000
            expected[id] = expire != 0 && expire <= oracle.time ? nil : (packet.from, content)
        }
        let found = try store.read { try $0.waypoints(in: source) }
        findings.compare("waypoints", "ids", expected: expected.keys.sorted(), found: found.map(\.value.id))
        for found in found {
            guard let (from, content) = expected[found.value.id] else { continue }
            let item = "waypoint \(found.value.id)"
            findings.compare(item, "from", expected: from, found: found.node)
            findings.compare(item, "fields", expected: Waypoint(oracle: content), found: found.value)
        }
        return findings
    }

    func compareRoutes() throws -> Findings {
        var findings = Findings(name)
        let expected = packets(70).filter { $0.packet.requestID != 0 }
        let found = try store.read { try $0.traceroutes(in: source, limit: 10_000) }.reversed() as [Traceroute]
        findings.compare("traceroutes", "count", expected: expected.count, found: found.count)
        for ((packet, content), found) in zip(expected, found) {
            let item = "traceroute \(packet.from)/\(packet.id)"
            findings.compare(item, "from", expected: packet.from, found: found.from)
            findings.compare(item, "to", expected: packet.to, found: found.to)
            findings.compare(item, "packetID", expected: packet.id, found: found.packetID)
            findings.compare(item, "route", expected: RouteDiscovery(oracle: content), found: found.route)
        }
        return findings
    }

    func compareNeighbors() throws -> Findings {
        var findings = Findings(name)
        var expected: [NodeNumber: NeighborInfo] = [:]
        for (_, content) in packets(71) {
            let info = NeighborInfo(oracle: content)
            expected[info.number] = info
        }
        let found = try store.read { try $0.neighbors(in: source) }
        findings.compare("neighbours", "nodes", expected: expected.keys.sorted(), found: found.map(\.node).sorted())
        for found in found {
            findings.compare("neighbours of \(found.node)", "list", expected: expected[found.node], found: found.value)
        }
        return findings
    }

    /// People counters, node status and what the radio tells its owner.
    func compareNotices() throws -> Findings {
        var findings = Findings(name)
        let pax = try store.read { try $0.paxcounts(in: source) }.reversed() as [Record<Paxcount>]
        findings.compare(
            "paxcounter", "all",
            expected: packets(34).map {
                Paxcount(
                    wifi: $0.content.unsigned("wifi"), ble: $0.content.unsigned("ble"),
                    uptime: $0.content.unsigned("uptime"))
            }, found: pax.map(\.value))
        let statuses = try store.read { try $0.nodeStatuses(in: source) }.reversed() as [Record<String>]
        findings.compare(
            "node status", "all", expected: packets(36).map { $0.content.string("status") ?? "" },
            found: statuses.map(\.value))
        let notifications = try store.read { try $0.notifications(in: source) }.reversed().map(\.notification)
        findings.compare(
            "notifications", "all",
            expected: oracle.notifications.map {
                ClientNotification(
                    replyID: $0.has("reply_id") ? mapped($0.unsigned("reply_id")) : nil, time: $0.unsigned("time"),
                    level: $0.number("level", in: meshtastic__log_record__level__descriptor),
                    message: $0.string("message") ?? "")
            }, found: notifications)
        return findings
    }
}

/// A telemetry packet with at least one value; a request for telemetry looks like an empty one.
private struct ExpectedTelemetry {
    var packet: OraclePacket
    var kind: Telemetry.Kind
    var time: UInt32?
    var values: [String: Double]
    var text: String?

    private static let variants: [(String, Telemetry.Kind)] = [
        ("device_metrics", .device), ("environment_metrics", .environment), ("air_quality_metrics", .airQuality),
        ("power_metrics", .power), ("local_stats", .localStats), ("health_metrics", .health),
        ("host_metrics", .host), ("traffic_management_stats", .trafficManagement),
    ]

    init?(_ packet: OraclePacket, _ content: Fields) {
        guard let (variant, kind) = Self.variants.first(where: { content.has($0.0) }) else { return nil }
        self.packet = packet
        self.kind = kind
        time = content.has("time") ? content.unsigned("time") : nil
        let metrics = content[variant]
        text = metrics.string("user_string")
        values = [:]
        for metric in kind.metrics where metrics.has(metric.fieldName) {
            let value = metrics.double(metric.fieldName)
            if value.isFinite { values[metric.name] = value }
        }
        if values.isEmpty, text == nil { return nil }
    }
}

extension Position {
    fileprivate init(oracle fields: Fields) {
        func optional(_ name: String) -> UInt32? { fields.has(name) ? fields.unsigned(name) : nil }
        self.init()
        latitudeI = fields.has("latitude_i") ? fields.signed("latitude_i") : nil
        longitudeI = fields.has("longitude_i") ? fields.signed("longitude_i") : nil
        altitude = fields.has("altitude") ? fields.signed("altitude") : nil
        time = optional("time")
        locationSource = fields.number("location_source", in: meshtastic__position__loc_source__descriptor)
        altitudeSource = fields.number("altitude_source", in: meshtastic__position__alt_source__descriptor)
        timestamp = optional("timestamp")
        timestampMillisAdjust = fields.signed("timestamp_millis_adjust")
        altitudeHAE = fields.has("altitude_hae") ? fields.signed("altitude_hae") : nil
        altitudeGeoidalSeparation =
            fields.has("altitude_geoidal_separation") ? fields.signed("altitude_geoidal_separation") : nil
        (pdop, hdop, vdop) = (fields.unsigned("PDOP"), fields.unsigned("HDOP"), fields.unsigned("VDOP"))
        gpsAccuracy = fields.unsigned("gps_accuracy")
        groundSpeed = optional("ground_speed")
        groundTrack = optional("ground_track")
        fixQuality = fields.unsigned("fix_quality")
        fixType = fields.unsigned("fix_type")
        satsInView = optional("sats_in_view")
        sensorID = fields.unsigned("sensor_id")
        nextUpdate = fields.unsigned("next_update")
        sequenceNumber = fields.unsigned("seq_number")
        precisionBits = optional("precision_bits")
    }
}

extension Waypoint {
    fileprivate init(oracle fields: Fields) {
        self.init(
            id: fields.unsigned("id"), latitudeI: fields.has("latitude_i") ? fields.signed("latitude_i") : nil,
            longitudeI: fields.has("longitude_i") ? fields.signed("longitude_i") : nil,
            expire: fields.unsigned("expire"), lockedTo: NodeNumber(fields.unsigned("locked_to")),
            name: fields.string("name") ?? "", description: fields.string("description") ?? "",
            icon: fields.unsigned("icon"), geofenceRadius: fields.unsigned("geofence_radius"))
    }
}

extension RouteDiscovery {
    fileprivate init(oracle fields: Fields) {
        self.init(
            route: fields.numbers("route").map { NodeNumber(UInt32($0)) },
            snrTowards: fields.numbers("snr_towards").map(Int32.init),
            routeBack: fields.numbers("route_back").map { NodeNumber(UInt32($0)) },
            snrBack: fields.numbers("snr_back").map(Int32.init))
    }
}

extension NeighborInfo {
    fileprivate init(oracle fields: Fields) {
        self.init(
            number: NodeNumber(fields.unsigned("node_id")), lastSentBy: NodeNumber(fields.unsigned("last_sent_by_id")),
            broadcastInterval: fields.unsigned("node_broadcast_interval_secs"),
            neighbors: fields.list("neighbors").map {
                Neighbor(
                    number: NodeNumber($0.unsigned("node_id")), snr: Float($0.double("snr")),
                    lastRxTime: $0.unsigned("last_rx_time"),
                    broadcastInterval: $0.unsigned("node_broadcast_interval_secs"))
            })
    }
}
