/// A file of an archive, one JSON object a line, and the table whose rows are in it.
struct ArchivedTable: Hashable, Sendable {
    /// The file's name.
    let name: String
    /// In SQL.
    let table: String
    /// Columns, so that two archives of one state are the same.
    let order: String
    let fields: [ArchivedField]
    /// Which rows are in it, in SQL; nil: all.
    let condition: String?
    /// It is only in an archive with secrets.
    let isSecret: Bool

    init(
        _ name: String, _ table: String, order: String = "id", where condition: String? = nil, isSecret: Bool = false,
        _ fields: [ArchivedField]
    ) {
        (self.name, self.table, self.order, self.isSecret) = (name + ".jsonl", table, order, isSecret)
        self.fields = fields
        self.condition = condition
    }

    /// A condition on a row: its source is a radio.
    static let isOfRadio = "abs(source) IN (SELECT id FROM sources WHERE \(Schema.isRadio))"

    static func named(_ name: String) -> ArchivedTable? { all.first { $0.name == name } }

    /// Each line of a row.
    func select(withSecrets: Bool) -> String {
        let members = fields.filter { withSecrets || !$0.isSecret }.map { "'\($0.key)', \($0.read)" }
        return "SELECT json_object(\(members.joined(separator: ", "))) FROM \(table)"
            + (condition.map { " WHERE \($0)" } ?? "") + " ORDER BY \(order)"
    }

    /// `?1` is a line.
    var insert: String {
        let stored = fields.filter { $0.column != nil }
        return "INSERT INTO \(table) (\(stored.compactMap(\.column).joined(separator: ", "))) VALUES ("
            + stored.map(\.write).joined(separator: ", ") + ")"
    }
}

extension ArchivedTable {
    /// In the order in which they are read: sources first, because all others name them.
    static let all: [ArchivedTable] = [
        sources, channels, nodes, nodeKeys, messages, attempts, traceroutes, neighborReports, neighbors, waypoints,
        telemetry,
        positions, paxcounts, statuses, notifications, packets, outbox, channelDatabase, tokens, readMarks,
        conversationMutes, pushRegistrations, pushKey,
    ]

    /// Conversations over brokers are not in it.
    private static let sources = ArchivedTable(
        "sources", "sources", where: Schema.isRadio,
        [
            .plain("id", "uuid"), .plain("number", "id"), .text("name", "name"), .flag("isEnabled", "is_enabled"),
            .number("createdAt", "created_at"), .plain("deviceId", "device_id"), .plain("device", "device"),
            .plain("nodeNum", "node_number"), .plain("firmwareVersion", "firmware_version"),
            .maybe("usePreset", "use_preset"), .plain("modemPreset", "modem_preset"), .plain("region", "region"),
            .plain("hopLimit", "hop_limit"), .maybe("txEnabled", "tx_enabled"),
        ])

    private static let channels = ArchivedTable(
        "channels", "channels", order: "source, channel",
        [
            .source, .plain("id", "channel"), .number("role", "role"), .text("name", "name"),
            .bytesOrNone("psk", "psk").secret, .number("channelId", "channel_id"), .flag("uplinkEnabled", "uplink"),
            .flag("downlinkEnabled", "downlink"), .plain("positionPrecision", "position_precision"),
            .flag("isMuted", "is_muted"), .flag("useAead", "uses_aead"), .number("updatedAt", "updated_at"),
        ])

    /// Those of nodes that are there are in their rows.
    private static let nodeKeys = ArchivedTable(
        "node-keys", "node_keys", order: "source, number, public_key",
        where: "NOT EXISTS (SELECT 1 FROM nodes WHERE node = node_keys.source << 32 | node_keys.number)",
        [.source, .plain("nodeNum", "number"), .bytes("publicKey", "public_key")])

    private static let traceroutes = ArchivedTable(
        "traceroutes", "traceroutes",
        [
            .plain("id", "id"), .source, .plain("fromNodeNum", "from_node"), .plain("toNodeNum", "to_node"),
            .plain("packetId", "packet_id"), .plain("timestamp", "at"), .plain("answeredAt", "answered_at"),
            .plain("answerId", "answer_id"), .json("route", "route"), .json("snrTowards", "snr_towards"),
            .json("routeBack", "route_back"), .json("snrBack", "snr_back"),
        ])

    private static let neighborReports = ArchivedTable(
        "neighbor-reports", "neighbor_reports", order: "node",
        ArchivedField.node + [
            .plain("timestamp", "at"), .number("lastSentBy", "last_sent_by"),
            .number("broadcastInterval", "broadcast_interval"),
        ])

    private static let neighbors = ArchivedTable(
        "neighbors", "neighbors", order: "node, place",
        ArchivedField.node + [
            .plain("place", "place"), .plain("neighborNodeNum", "number"), .real("snr", "snr"),
            .number("lastRxTime", "last_rx_time"), .number("broadcastInterval", "broadcast_interval"),
        ])

    private static let waypoints = ArchivedTable(
        "waypoints", "waypoints", order: "source, id",
        [
            .source, .plain("id", "id"), .plain("fromNodeNum", "from_node"), .plain("timestamp", "at"),
            .plain("channel", "channel"), .plain("latitudeI", "latitude_i"), .plain("longitudeI", "longitude_i"),
            .number("expire", "expire"),
            .number("lockedTo", "locked_to"), .text("name", "name"), .text("description", "description"),
            .number("icon", "icon"), .number("geofenceRadius", "geofence_radius"), .plain("west", "west"),
            .plain("south", "south"), .plain("east", "east"), .plain("north", "north"),
            .flag("notifyOnEnter", "notify_on_enter"), .flag("notifyOnExit", "notify_on_exit"),
            .flag("notifyFavoritesOnly", "notify_favorites_only"),
        ])

    private static let notifications = ArchivedTable(
        "notifications", "notifications",
        [
            .plain("id", "id"), .source, .plain("timestamp", "at"), .plain("replyId", "reply_id"),
            .number("time", "time"), .number("level", "level"), .text("message", "message"),
        ])

    private static let channelDatabase = ArchivedTable(
        "channel-database", "channel_database", isSecret: true,
        [
            .plain("id", "id"), .text("name", "name"), .bytesOrNone("psk", "psk"), .plain("description", "description"),
            .flag("isEnabled", "is_enabled"), .flag("enforceNameValidation", "enforce_name_validation"),
            .number("sortOrder", "sort_order"), .number("decryptedPacketCount", "decrypted_packets"),
            .plain("lastDecryptedAt", "last_decrypted_at"), .number("createdAt", "created_at"),
            .number("updatedAt", "updated_at"),
        ])

    private static let tokens = ArchivedTable(
        "tokens", "tokens", isSecret: true,
        [
            .plain("id", "id"), .plain("name", "name"), .bytes("sha256", "hash"), .text("prefix", "prefix"),
            .text("scopes", "scopes"), .number("createdAt", "created_at"), .plain("expiresAt", "expires_at"),
            .plain("lastUsedAt", "last_used_at"), .plain("revokedAt", "revoked_at"), .plain("madeBy", "made_by"),
        ])

    private static let readMarks = ArchivedTable(
        "read-marks", "read_marks", order: "token, source, channel, node", where: isOfRadio,
        isSecret: true,
        [
            .plain("tokenId", "token"), .source, .plain("channel", "channel"), .plain("nodeNum", "node"),
            .plain("upTo", "up_to"), .lastRow("upToRow", "up_to_row"),
        ])

    private static let conversationMutes = ArchivedTable(
        "conversation-mutes", "conversation_mutes", order: "token, source, channel, node", where: isOfRadio,
        isSecret: true,
        [
            .plain("tokenId", "token"), .source, .plain("channel", "channel"), .plain("nodeNum", "node"),
            .plain("mutedUntil", "muted_until"),
        ])

    private static let pushRegistrations = ArchivedTable(
        "push-registrations", "push_registrations", isSecret: true,
        [
            .plain("id", "id"), .plain("tokenId", "token"), .words("kind", "kind", from: 1, ["web", "apple"]),
            .plain("address", "address"), .text("p256dh", "p256dh"), .text("auth", "auth"),
            .flag("isSandbox", "is_sandbox"), .flag("isOtherHost", "is_other_host"), .plain("name", "name"),
            .json("rules", "rules"), .number("registeredAt", "registered_at"), .number("since", "since"),
            .number("change", "change"), .plain("unheardSince", "unheard_since"),
        ])

    private static let pushKey = ArchivedTable(
        "push-key", "push_key", isSecret: true, [.plain("id", "id"), .bytes("key", "key")])
}
