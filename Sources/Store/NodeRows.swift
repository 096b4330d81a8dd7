import MeshModel

extension Schema {
    /// What the radio last said of favourite and ignored nodes: until then the two were one.
    static let nodeColumns = """
        ALTER TABLE nodes ADD COLUMN is_favorite_on_radio INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE nodes ADD COLUMN is_ignored_on_radio INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE nodes ADD COLUMN last_traceroute_request INTEGER;
        UPDATE nodes SET is_favorite_on_radio = is_favorite, is_ignored_on_radio = is_ignored;
        """
}

/// Rows of `nodes`.
enum NodeRow {
    /// In the order of ``bind(_:key:to:)`` and ``read(_:)``.
    static let select: StaticString = """
        SELECT node, updated_at, last_heard, created_at, long_name, short_name, hardware_model, role, mac_address,
            public_key, key_mismatch, is_licensed, is_unmessagable, hops_away, last_message_hops, via_mqtt, transport,
            last_heard_rf, last_heard_mqtt, last_heard_udp, snr, rssi, channel, is_store_forward_server, latitude,
            longitude, altitude, position_timestamp, position_channel, position_precision_bits,
            position_location_source, battery_level, voltage, channel_utilization, air_util_tx, uptime_seconds,
            firmware_version, reboot_count, is_favorite, is_ignored, is_muted, is_key_manually_verified,
            has_xeddsa_signed, status, status_updated_at, last_pki_packet, is_favorite_on_radio, is_ignored_on_radio,
            last_traceroute_request
        FROM nodes WHERE node = ?
        """

    private static let replace: StaticString = """
        INSERT OR REPLACE INTO nodes (node, updated_at, last_heard, created_at, long_name, short_name, hardware_model,
            role, mac_address, public_key, key_mismatch, is_licensed, is_unmessagable, hops_away, last_message_hops,
            via_mqtt, transport, last_heard_rf, last_heard_mqtt, last_heard_udp, snr, rssi, channel,
            is_store_forward_server, latitude, longitude, altitude, position_timestamp, position_channel,
            position_precision_bits, position_location_source, battery_level, voltage, channel_utilization,
            air_util_tx, uptime_seconds, firmware_version, reboot_count, is_favorite, is_ignored, is_muted,
            is_key_manually_verified, has_xeddsa_signed, status, status_updated_at, last_pki_packet,
            is_favorite_on_radio, is_ignored_on_radio, last_traceroute_request)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static func one(_ key: Int64, on connection: Connection) throws -> Node? {
        try connection.prepare(select).bind(key).first(read)
    }

    static func write(_ node: Node, key: Int64, on connection: Connection) throws {
        let statement = try connection.prepare(replace)
        statement.bind(key).bind(node.updatedAt).bind(node.lastHeard).bind(node.createdAt)
            .bind(node.longName).bind(node.shortName).bind(node.hardwareModel).bind(node.role)
            .bind(node.macAddress).bind(node.publicKey?.bytes).bind(node.keyMismatch).bind(node.isLicensed)
            .bind(node.isUnmessagable)
        statement.bind(node.hopsAway).bind(node.lastMessageHops).bind(node.viaMQTT).bind(node.transport)
            .bind(node.lastHeardRF).bind(node.lastHeardMQTT).bind(node.lastHeardUDP).bind(node.snr).bind(node.rssi)
            .bind(node.channel).bind(node.isStoreForwardServer)
        statement.bind(node.latitude).bind(node.longitude).bind(node.altitude).bind(node.positionTimestamp)
            .bind(node.positionChannel).bind(node.positionPrecisionBits).bind(node.positionLocationSource)
            .bind(node.batteryLevel).bind(node.voltage).bind(node.channelUtilization).bind(node.airUtilTx)
            .bind(node.uptimeSeconds)
        statement.bind(node.firmwareVersion).bind(node.rebootCount).bind(node.isFavorite).bind(node.isIgnored)
            .bind(node.isMuted).bind(node.isKeyManuallyVerified).bind(node.hasXEdDSASigned).bind(node.status)
            .bind(node.statusUpdatedAt).bind(node.lastPKIPacket).bind(node.isFavoriteOnRadio).bind(
                node.isIgnoredOnRadio
            )
            .bind(node.lastTracerouteRequest)
        try statement.run()
    }

    private static func read(_ row: Statement) -> Node {
        let number = NodeNumber(row.unsigned())
        let updatedAt = row.integer()
        let lastHeard = row.integerOrNil()
        var node = Node(number: number, createdAt: row.integer())
        node.updatedAt = updatedAt
        node.lastHeard = lastHeard
        node.longName = row.textOrNil()
        node.shortName = row.textOrNil()
        node.hardwareModel = row.unsignedOrNil()
        node.role = row.unsignedOrNil()
        node.macAddress = row.bytesOrNil()
        node.publicKey = row.bytesOrNil().flatMap { PublicKey($0) }
        node.keyMismatch = row.flag()
        node.isLicensed = row.flag()
        node.isUnmessagable = row.flag()
        node.hopsAway = row.unsignedOrNil()
        node.lastMessageHops = row.unsignedOrNil()
        node.viaMQTT = row.flagOrNil()
        node.transport = row.unsignedOrNil()
        node.lastHeardRF = row.integerOrNil()
        node.lastHeardMQTT = row.integerOrNil()
        node.lastHeardUDP = row.integerOrNil()
        node.snr = row.doubleOrNil()
        node.rssi = row.intOrNil()
        node.channel = row.intOrNil()
        node.isStoreForwardServer = row.flagOrNil()
        readState(row, into: &node)
        return node
    }

    private static func readState(_ row: Statement, into node: inout Node) {
        node.latitude = row.doubleOrNil()
        node.longitude = row.doubleOrNil()
        node.altitude = row.intOrNil()
        node.positionTimestamp = row.integerOrNil()
        node.positionChannel = row.intOrNil()
        node.positionPrecisionBits = row.unsignedOrNil()
        node.positionLocationSource = row.unsignedOrNil()
        node.batteryLevel = row.intOrNil()
        node.voltage = row.doubleOrNil()
        node.channelUtilization = row.doubleOrNil()
        node.airUtilTx = row.doubleOrNil()
        node.uptimeSeconds = row.integerOrNil()
        node.firmwareVersion = row.textOrNil()
        node.rebootCount = row.unsignedOrNil()
        node.isFavorite = row.flag()
        node.isIgnored = row.flag()
        node.isMuted = row.flag()
        node.isKeyManuallyVerified = row.flag()
        node.hasXEdDSASigned = row.flag()
        node.status = row.textOrNil()
        node.statusUpdatedAt = row.integerOrNil()
        node.lastPKIPacket = row.integerOrNil()
        node.isFavoriteOnRadio = row.flag()
        node.isIgnoredOnRadio = row.flag()
        node.lastTracerouteRequest = row.integerOrNil()
    }
}
