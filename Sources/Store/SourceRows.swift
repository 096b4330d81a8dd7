import MeshModel

extension Schema {
    static let sourceDevices = "ALTER TABLE sources ADD COLUMN device TEXT;"

    /// Authenticated channels (firmware 2.8.1).
    static let channelAuthentication = "ALTER TABLE channels ADD COLUMN uses_aead INTEGER NOT NULL DEFAULT 0;"
}

/// A source with its row.
public typealias FoundSource = (id: SourceID, source: Source)

extension [FoundSource] {
    /// The source that is meant where none is named: of these, the oldest first, the first that a link feeds.
    public var preferred: FoundSource? { first { $0.source.isEnabled } }
}

/// Rows of `sources`.
enum SourceRow {
    /// The radios, the oldest first.
    static func all(on connection: DatabaseConnection) throws -> [FoundSource] {
        let statement = try connection.prepare(
            composed: """
                SELECT id, uuid, name, is_enabled, created_at, device_id, device, node_number, firmware_version,
                    use_preset, modem_preset, region, hop_limit, tx_enabled
                FROM sources WHERE \(Schema.isRadio) ORDER BY created_at, id
                """)
        return try statement.rows { row in (id: SourceID(rawValue: row.integer()), source: read(row)) }
    }

    /// Radios and conversations over brokers: whose messages are kept in order.
    static func ofMessages(on connection: DatabaseConnection) throws -> [SourceID] {
        try connection.prepare("SELECT id FROM sources ORDER BY id").rows { SourceID(rawValue: $0.integer()) }
    }

    /// Those of conversations over brokers.
    static func ofBrokers(on connection: DatabaseConnection) throws -> Set<SourceID> {
        Set(
            try connection.prepare(composed: "SELECT id FROM sources WHERE NOT \(Schema.isRadio)")
                .rows { SourceID(rawValue: $0.integer()) })
    }

    static func one(_ id: SourceID, on connection: DatabaseConnection) throws -> Source? {
        let statement = try connection.prepare(
            """
            SELECT uuid, name, is_enabled, created_at, device_id, device, node_number, firmware_version,
                use_preset, modem_preset, region, hop_limit, tx_enabled
            FROM sources WHERE id = ?
            """)
        return try statement.bind(id.rawValue).first(read)
    }

    static func bind(_ source: Source, to statement: Statement) {
        let lora = source.lora
        statement.bind(source.uuid).bind(source.name).bind(source.isEnabled).bind(source.createdAt)
            .bind(source.deviceID).bind(source.device).bind(source.nodeNumber?.rawValue).bind(source.firmwareVersion)
            .bind(lora?.usePreset).bind(lora?.modemPreset.rawValue).bind(lora?.region).bind(lora?.hopLimit)
            .bind(lora?.txEnabled)
    }

    private static func read(_ row: Statement) -> Source {
        var source = Source(uuid: row.text(), name: row.text(), isEnabled: row.flag(), createdAt: row.integer())
        source.deviceID = row.textOrNil()
        source.device = row.textOrNil()
        source.nodeNumber = row.unsignedOrNil().map { NodeNumber($0) }
        source.firmwareVersion = row.textOrNil()
        if let usePreset = row.flagOrNil() {
            source.lora = LoRaSettings(
                usePreset: usePreset, modemPreset: ModemPreset(rawValue: row.unsigned()), region: row.unsigned(),
                hopLimit: row.unsigned(), txEnabled: row.flag())
        }
        return source
    }
}

/// Rows of `channels`.
enum ChannelRow {
    static func all(in source: SourceID, on connection: DatabaseConnection) throws -> [Channel] {
        let statement = try connection.prepare(
            """
            SELECT channel, role, name, psk, channel_id, uplink, downlink, position_precision, is_muted,
                uses_aead
            FROM channels WHERE source = ? ORDER BY channel
            """)
        return try statement.bind(source.rawValue).rows(read)
    }

    static func bind(_ channel: Channel, to statement: Statement) {
        statement.bind(channel.index).bind(channel.role.rawValue).bind(channel.name).bind(channel.psk)
            .bind(channel.id).bind(channel.uplinkEnabled).bind(channel.downlinkEnabled)
            .bind(channel.positionPrecision).bind(channel.isMuted).bind(channel.usesAEAD)
    }

    private static func read(_ row: Statement) -> Channel {
        Channel(
            index: Int(row.integer()), role: Channel.Role(rawValue: row.unsigned()) ?? .disabled, name: row.text(),
            psk: row.bytes(), id: row.unsigned(), uplinkEnabled: row.flag(), downlinkEnabled: row.flag(),
            positionPrecision: row.unsignedOrNil(), isMuted: row.flag(), usesAEAD: row.flag())
    }
}
