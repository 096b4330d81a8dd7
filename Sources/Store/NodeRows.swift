import MeshModel

extension Schema {
    /// What the radio last said of favourite and ignored nodes: until then the two were one.
    static let nodeColumns = """
        ALTER TABLE nodes ADD COLUMN is_favorite_on_radio INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE nodes ADD COLUMN is_ignored_on_radio INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE nodes ADD COLUMN last_traceroute_request INTEGER;
        UPDATE nodes SET is_favorite_on_radio = is_favorite, is_ignored_on_radio = is_ignored;
        """

    /// What is known of a node's key beside the key itself, and who has which: an index of `nodes` would be written with
    /// every packet.
    static let nodeKeys = """
        ALTER TABLE nodes ADD COLUMN announced_key BLOB;
        ALTER TABLE nodes ADD COLUMN key_doubted_at INTEGER;
        ALTER TABLE nodes ADD COLUMN successor INTEGER;
        ALTER TABLE nodes ADD COLUMN predecessor INTEGER;
        ALTER TABLE nodes ADD COLUMN same_key_since INTEGER;
        ALTER TABLE nodes ADD COLUMN is_key_duplicate INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE node_keys (
            source INTEGER NOT NULL, public_key BLOB NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (source, public_key, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO node_keys SELECT node >> 32, public_key, node & 4294967295 FROM nodes
            WHERE public_key IS NOT NULL AND public_key != zeroblob(32);
        """
}

extension Schema {
    /// What people here say of a node.
    static let nodeNotes = """
        ALTER TABLE nodes ADD COLUMN nickname TEXT;
        ALTER TABLE nodes ADD COLUMN notes TEXT;
        """
}

extension Schema {
    /// Since when the radio is known not to have what is a favourite here: firmware 2.8 refuses one when its list is full.
    static let favoriteRefusals = "ALTER TABLE nodes ADD COLUMN favorite_missing_since INTEGER;"
}

extension Schema {
    /// The grade of a node's link; NULL: looked for once among what was worked out (Derivation).
    static let linkQuality = "ALTER TABLE nodes ADD COLUMN link_quality INTEGER;"
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
            last_traceroute_request, announced_key, key_doubted_at, successor, predecessor, same_key_since,
            is_key_duplicate, nickname, notes, favorite_missing_since, link_quality
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
            is_favorite_on_radio, is_ignored_on_radio, last_traceroute_request, announced_key, key_doubted_at,
            successor, predecessor, same_key_since, is_key_duplicate, nickname, notes,
            favorite_missing_since, link_quality)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static func one(_ key: Int64, on connection: DatabaseConnection) throws -> Node? {
        try connection.prepare(select).bind(key).first(read)
    }

    static func write(_ node: Node, key: Int64, on connection: DatabaseConnection) throws {
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
        statement.bind(node.announcedKey?.bytes).bind(node.keyDoubtedAt).bind(node.successor?.rawValue)
            .bind(node.predecessor?.rawValue).bind(node.sameKeySince).bind(node.isKeyDuplicate).bind(node.nickname)
            .bind(node.notes).bind(node.favoriteMissingSince).bind(node.linkQuality)
        try statement.run()
    }

    private static func read(_ row: Statement) -> Node {
        let number = NodeNumber(row.unsigned())
        let updatedAt = row.integer()
        let lastHeard = row.timeOrNil()
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
        node.lastHeardRF = row.timeOrNil()
        node.lastHeardMQTT = row.timeOrNil()
        node.lastHeardUDP = row.timeOrNil()
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
        node.announcedKey = row.bytesOrNil().flatMap { PublicKey($0) }
        node.keyDoubtedAt = row.integerOrNil()
        node.successor = row.unsignedOrNil().map { NodeNumber($0) }
        node.predecessor = row.unsignedOrNil().map { NodeNumber($0) }
        node.sameKeySince = row.integerOrNil()
        node.isKeyDuplicate = row.flag()
        node.nickname = row.textOrNil()
        node.notes = row.textOrNil()
        node.favoriteMissingSince = row.integerOrNil()
        node.linkQuality = row.intOrNil()
    }
}

/// Rows of `node_keys`.
private enum NodeKeyRow {
    static func nodes(with key: PublicKey, in source: SourceID, on connection: DatabaseConnection) throws
        -> [NodeNumber]
    {
        try connection.prepare("SELECT number FROM node_keys WHERE source = ? AND public_key = ? ORDER BY number")
            .bind(source.rawValue).bind(key.bytes).rows { NodeNumber($0.unsigned()) }
    }
}

extension Writer {
    /// The nodes of a source whose pinned key is this one.
    public func nodes(with key: PublicKey, in source: SourceID) throws -> [NodeNumber] {
        try NodeKeyRow.nodes(with: key, in: source, on: connection)
    }

    func changeKey(of node: NodeNumber, from old: PublicKey?, to new: PublicKey?, in source: SourceID) throws {
        if let old {
            try connection.prepare("DELETE FROM node_keys WHERE source = ? AND public_key = ? AND number = ?")
                .bind(source.rawValue).bind(old.bytes).bind(node.rawValue).run()
        }
        if let new {
            try connection.prepare("INSERT OR IGNORE INTO node_keys (source, public_key, number) VALUES (?, ?, ?)")
                .bind(source.rawValue).bind(new.bytes).bind(node.rawValue).run()
        }
    }
}
