/// The keys of one object in an answer, in their order, as the contract's sample JSON has them.
struct ContractKeys {
    /// A name in Golden.txt.
    let answer: String
    /// Where the object is; in a list every row is meant, and there has to be one.
    let place: [String]
    let keys: [String]
    /// Keys that the contract leaves out when they are not known.
    var optional: Set<String> = []
    /// What this server says beyond the contract, behind it.
    var more: [String] = []

    init(_ answer: String, _ place: String..., keys: String, optional: Set<String> = [], more: [String] = []) {
        self.answer = answer
        self.place = place
        self.keys = keys.split(whereSeparator: \.isWhitespace).map(String.init)
        self.optional = optional
        self.more = more
    }
}

extension ContractKeys {
    static let all = v1 + sessionRoutes

    /// Routes of v1.
    private static let v1: [Self] = [
        .init("index", keys: "version description documentation endpoints note"),
        .init(
            "index", "endpoints",
            keys: """
                sources perSource nodes channels telemetry traceroutes messages network packets positionHistory status
                channelDatabase solar metrics actions
                """),
        .init("sources", keys: "success count data"),
        .init("sources", "data", keys: "id name type enabled isPrimary"),
        .init("nodes", keys: "success count data"),
        .init("nodes", "data", keys: node, optional: ["uptimeSeconds"]),
        .init("nodes-nodeId", keys: "success data"),
        .init("nodes-nodeId", "data", keys: node),
        .init("nodes-nodeId-position-history", keys: "success count total offset limit data"),
        .init(
            "nodes-nodeId-position-history", "data",
            keys: """
                timestamp latitude longitude altitude groundSpeed groundTrack snr hopStart hopLimit packetId
                """, optional: ["altitude", "groundSpeed", "groundTrack", "snr", "hopStart", "hopLimit"]),
        .init("nodes-enrichment-analysis", "data", keys: "nodes summary"),
        .init("nodes-enrichment-analysis", "data", "summary", keys: "nodeCount targetCount fieldCount"),
        .init("channels", keys: "success count data"),
        .init("channels", "data", keys: channel + " psk"),
        .init("channels-for-a-reader", "data", keys: channel),
        .init("channels-id", "data", keys: channel + " psk"),
        .init("messages", keys: "success count data"),
        .init("messages", "data", keys: message, more: ["sender", "isAlert"]),
        .init("messages-id", keys: "success data"),
        .init("messages-search", keys: "success count total data"),
        .init(
            "messages-post", "data", keys: "messageId requestId deliveryState messageCount text channel toNodeId"),
        .init(
            "messages-post-direct", "data",
            keys: "messageId requestId deliveryState messageCount text channel toNodeId"),
        .init(
            "messages-post-split", "data", keys: "deliveryState messageCount queueIds text channel toNodeId note",
            more: ["messageIds"]),
        .init("telemetry", keys: "success count offset limit data"),
        .init("telemetry-by-type", keys: "success count offset limit data"),
        .init("telemetry-nodeId", keys: "success count total offset limit data"),
        .init("telemetry", "data", keys: telemetry),
        .init("telemetry-nodeId", "data", keys: telemetry),
        .init("telemetry-count", keys: "success count"),
        .init("traceroutes", keys: "success count data"),
        .init("traceroutes", "data", keys: traceroute),
        .init("traceroutes-from-to", "data", keys: traceroute),
        .init("network", "data", keys: "totalNodes activeNodes tracerouteCount lastUpdated"),
        .init("network-topology", "data", keys: "nodes edges"),
        .init(
            "network-topology", "data", "nodes",
            keys: "nodeId nodeNum longName shortName role hopsAway latitude longitude lastHeard"),
        .init("network-topology", "data", "edges", keys: "from to route snr"),
        .init("network-direct-neighbors", keys: "success data count"),
        .init("packets", keys: "success count total offset limit data"),
        .init("packets", "data", keys: packet),
        .init("packets-id", "data", keys: packet),
        .init(
            "status", "data", keys: "localNodeNum localNodeId longName shortName connected nodeResponsive",
            more: ["link", "storage"]),
        .init("actions-traceroute", "data", keys: "destination channel message"),
        .init("actions-request-position", "data", keys: "destination channel message"),
        .init("actions-request-nodeinfo", "data", keys: "destination channel message"),
        .init("actions-request-neighbors", "data", keys: "destination channel message"),
        .init("solar", keys: "success count data"),
        .init("solar-range", keys: "success count start end data"),
        .init("channel-database", keys: "success count data"),
        .init("channel-database", "data", keys: databaseEntry + " psk" + databaseRest),
        .init("channel-database-id", "data", keys: databaseEntry + " psk" + databaseRest),
        .init("channel-database-post", keys: "success data message"),
        .init("channel-database-for-a-reader", "data", keys: databaseEntry + databaseRest),
        .init("refused-without-a-token", keys: "error message"),
        .init("refused-source", keys: "success error message"),
        .init("refused-permission", keys: "success error message required"),
        .init("refused-permission", "required", keys: "resource action"),
        .init("refused-action", keys: "success error"),
        .init("refused-length", keys: "success error message"),
    ]

    /// Routes outside v1.
    private static let sessionRoutes: [Self] = [
        .init("api-health", keys: "status version uptime databaseType firmwareOtaEnabled"),
        .init(
            "api-status", keys: "status timestamp version nodeEnv connection statistics uptime", more: ["server"]),
        .init("api-status", "connection", keys: "connected localNode"),
        .init("api-status", "connection", "localNode", keys: "nodeNum nodeId longName shortName"),
        .init("api-status", "statistics", keys: "nodes messages channels"),
        .init("api-server-info", keys: "timezone timezoneProvided"),
        .init("api-csrf-token", keys: "csrfToken"),
        .init("api-connection", keys: "connected nodeResponsive configuring userDisconnected"),
        .init("api-sources", keys: "id name type enabled createdAt updatedAt config radio"),
        .init("api-sources", "config", keys: "host port"),
        .init(
            "api-sources", "radio",
            keys: "frequencyMhz regionName modemPreset txEnabled udpRelayEnabled canTransmit"),
        .init(
            "api-sources-id", keys: "id name type config enabled displayOrder createdAt updatedAt createdBy"),
        .init("api-sources-id", "config", keys: "host port"),
        .init(
            "api-sources-id-status", keys: "sourceId sourceName sourceType connected nodeNum nodeId",
            more: ["nodeCount", "activeNodeCount"]),
        .init("api-sources-id-nodes", keys: node, optional: ["uptimeSeconds"]),
        .init("api-nodes", keys: nestedNode, optional: nestedNodeMayLack),
        .init(
            "api-nodes", "user", keys: "id longName shortName hwModel publicKey role", optional: ["role"]),
        .init(
            "api-nodes", "deviceMetrics",
            keys: "batteryLevel voltage channelUtilization airUtilTx uptimeSeconds", optional: ["uptimeSeconds"]),
        .init("api-nodes", "position", keys: "latitude longitude altitude"),
        .init(
            "api-analysis-solar-nodes",
            keys: """
                lookback_days total_nodes_analyzed solar_nodes_count solar_nodes solar_production
                avg_charging_hours_per_day avg_discharge_hours_per_day
                """),
        .init(
            "api-analysis-solar-forecast",
            keys: """
                lookback_days historical_days_analyzed avg_historical_daily_wh low_output_warning forecast_days
                nodes_at_risk_count nodes_at_risk solar_simulations
                """),
        .init("api-sources-id-messages", keys: message, more: ["sender", "isAlert"]),
        .init("api-sources-id-traceroutes", keys: traceroute),
        .init(
            "api-sources-id-neighbor-info",
            keys: """
                id nodeNum neighborNodeNum snr lastRxTime timestamp createdAt sourceId nodeId nodeName neighborNodeId
                neighborName bidirectional reverseSnr reverseTimestamp transportClass nodeLatitude nodeLongitude
                neighborLatitude neighborLongitude
                """),
        .init("api-neighbor-info", keys: neighbour),
        .init("api-traceroutes-recent", keys: traceroute + " hopCount"),
        .init("api-traceroutes-history", keys: traceroute + " hopCount"),
        .init("api-telemetry-nodeId-linkquality", keys: "success data"),
        .init("refused-session", keys: "error code"),
        .init("api-traceroute", keys: "success message"),
        .init("api-position-request", keys: "success message"),
        .init("api-nodeinfo-request", keys: "success message"),
    ]

    private static let node = """
        nodeNum nodeId longName shortName hwModel role hopsAway lastMessageHops viaMqtt transportMechanism
        transportLastRf transportLastMqtt transportLastUdp isStoreForwardServer macaddr latitude longitude altitude
        batteryLevel voltage channelUtilization airUtilTx lastHeard snr rssi lastTracerouteRequest firmwareVersion
        channel isFavorite favoriteLocked isIgnored mobile rebootCount publicKey lastMeshReceivedKey hasPKC
        lastPKIPacket keyIsLowEntropy duplicateKeyDetected keyMismatchDetected keySecurityIssueDetails
        isExcessivePackets packetRatePerHour packetRateLastChecked isTimeOffsetIssue timeOffsetSeconds welcomedAt
        nodeStatus nodeStatusUpdatedAt positionChannel positionPrecisionBits positionGpsAccuracy positionHdop
        positionTimestamp positionLocationSource positionOverrideEnabled latitudeOverride longitudeOverride
        altitudeOverride positionOverrideIsPrivate hideFromMap isUnmessagable isLicensed hasRemoteAdmin
        lastRemoteAdminCheck remoteAdminMetadata notes lastTimeSync createdAt updatedAt sourceId uptimeSeconds
        """

    private static let nestedNode = """
        nodeNum user deviceMetrics lastHeard snr rssi hopsAway lastMessageHops viaMqtt isStoreForwardServer isFavorite
        favoriteLocked isIgnored channel mobile keyIsLowEntropy duplicateKeyDetected keySecurityIssueDetails position
        positionPrecisionBits positionTimestamp positionGpsAccuracy positionLocationSource positionOverrideEnabled
        latitudeOverride longitudeOverride altitudeOverride positionOverrideIsPrivate hideFromMap notes hasRemoteAdmin
        lastRemoteAdminCheck remoteAdminMetadata isMobile positionIsOverride
        """

    private static let nestedNodeMayLack: Set = [
        "hopsAway", "lastMessageHops", "viaMqtt", "isStoreForwardServer", "channel", "mobile", "keyIsLowEntropy",
        "duplicateKeyDetected", "keySecurityIssueDetails", "position", "positionPrecisionBits", "positionTimestamp",
        "positionGpsAccuracy", "positionLocationSource", "latitudeOverride", "longitudeOverride", "altitudeOverride",
        "notes", "lastRemoteAdminCheck", "remoteAdminMetadata",
    ]

    private static let channel = """
        id name displayName role roleName uplinkEnabled downlinkEnabled positionPrecision scope pskSet
        encryptionStatus
        """

    private static let message = """
        id fromNodeNum toNodeNum fromNodeId toNodeId text channel portnum requestId timestamp rxTime hopStart hopLimit
        relayNode replyId emoji viaMqtt viaStoreForward xeddsaSigned rxSnr rxRssi ackFailed routingErrorReceived
        deliveryState wantAck ackFromNode routingErrorCode createdAt decryptedBy sourceId sourceIp sourcePath
        spoofSuspected
        """

    private static let databaseEntry = "id name pskLength pskPreview"
    private static let databaseRest = """
         description isEnabled enforceNameValidation sortOrder decryptedPacketCount lastDecryptedAt createdBy createdAt
        updatedAt
        """

    private static let telemetry = """
        id nodeId nodeNum telemetryType timestamp value unit createdAt packetTimestamp packetId channel precisionBits
        gpsAccuracy rxSnr hopStart hopLimit sourceId
        """

    private static let traceroute = """
        id fromNodeNum toNodeNum fromNodeId toNodeId route routeBack snrTowards snrBack routePositions channel
        packetId timestamp createdAt sourceId
        """

    private static let packet = """
        id packet_id timestamp from_node from_node_id to_node to_node_id channel portnum portnum_name encrypted snr
        rssi hop_limit hop_start relay_node payload_size want_ack priority payload_preview metadata direction
        created_at decrypted_by decrypted_channel_id transport_mechanism sourceId spoof_suspected xeddsa_signed
        from_node_longName to_node_longName
        """

    private static let neighbour = """
        id nodeNum neighborNodeNum snr lastRxTime timestamp createdAt sourceId nodeId nodeName neighborNodeId
        neighborName bidirectional nodeLatitude nodeLongitude neighborLatitude neighborLongitude
        """
}
