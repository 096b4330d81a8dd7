// The files of an archive that tell of the mesh: nodes, and what they have sent.

extension ArchivedTable {
    static let nodes = ArchivedTable(
        "nodes", "nodes", order: "node",
        ArchivedField.node + [
            .plain("longName", "long_name"), .plain("shortName", "short_name"), .plain("hwModel", "hardware_model"),
            .plain("role", "role"), .bytes("macAddress", "mac_address"), .bytes("publicKey", "public_key"),
            .flag("keyMismatchDetected", "key_mismatch"), .bytes("lastMeshReceivedKey", "announced_key"),
            .plain("keyDoubtedAt", "key_doubted_at"), .flag("isKeyManuallyVerified", "is_key_manually_verified"),
            .flag("duplicateKeyDetected", "is_key_duplicate"), .plain("successor", "successor"),
            .plain("predecessor", "predecessor"), .plain("sameKeySince", "same_key_since"),
            .flag("isLicensed", "is_licensed"), .flag("isUnmessagable", "is_unmessagable"),
            .plain("hopsAway", "hops_away"), .plain("lastMessageHops", "last_message_hops"),
            .maybe("viaMqtt", "via_mqtt"), .plain("transportMechanism", "transport"),
            .plain("transportLastRf", "last_heard_rf"), .plain("transportLastMqtt", "last_heard_mqtt"),
            .plain("transportLastUdp", "last_heard_udp"), .real("snr", "snr"), .plain("rssi", "rssi"),
            .plain("channel", "channel"), .maybe("isStoreForwardServer", "is_store_forward_server"),
            .real("latitude", "latitude"), .real("longitude", "longitude"), .plain("altitude", "altitude"),
            .plain("positionTimestamp", "position_timestamp"), .plain("positionChannel", "position_channel"),
            .plain("positionPrecisionBits", "position_precision_bits"),
            .plain("positionLocationSource", "position_location_source"), .plain("batteryLevel", "battery_level"),
            .real("voltage", "voltage"), .real("channelUtilization", "channel_utilization"),
            .real("airUtilTx", "air_util_tx"), .plain("uptimeSeconds", "uptime_seconds"),
            .plain("firmwareVersion", "firmware_version"), .plain("rebootCount", "reboot_count"),
            .flag("isFavorite", "is_favorite"), .flag("isFavoriteOnRadio", "is_favorite_on_radio"),
            .plain("favoriteMissingSince", "favorite_missing_since"),
            .flag("isIgnored", "is_ignored"), .flag("isIgnoredOnRadio", "is_ignored_on_radio"),
            .flag("isMuted", "is_muted"), .flag("hasXeddsaSigned", "has_xeddsa_signed"), .plain("nodeStatus", "status"),
            .plain("nodeStatusUpdatedAt", "status_updated_at"), .plain("lastPKIPacket", "last_pki_packet"),
            .plain("lastTracerouteRequest", "last_traceroute_request"), .plain("lastHeard", "last_heard"),
            .plain("nickname", "nickname"), .plain("notes", "notes"), .plain("linkQuality", "link_quality"),
            .number("createdAt", "created_at"), .number("updatedAt", "updated_at"),
        ])

    static let messages = ArchivedTable(
        "messages", "messages", where: ArchivedTable.isOfRadio,
        [
            .shown(
                "id",
                "(SELECT uuid FROM sources WHERE sources.id = abs(source)) || '_' || from_node"
                    + " || iif(occurrence, '-' || occurrence, '') || '_' || packet_id"),
            .plain("row", "id"), .messageSource, .shown("deleted", "json(iif(source < 0, 'true', 'false'))"),
            .plain("fromNodeNum", "from_node"), .plain("toNodeNum", "to_node"), .plain("packetId", "packet_id"),
            .number("occurrence", "occurrence"), .number("channel", "channel"), .text("text", "text"),
            .plain("portnum", "port"), .flag("isOwn", "is_own"), .plain("timestamp", "timestamp"),
            .plain("rxTime", "rx_time"), .plain("hopStart", "hop_start"), .plain("hopLimit", "hop_limit"),
            .plain("relayNode", "relay_node"), .plain("replyId", "reply_id"), .flag("isTapback", "is_tapback"),
            .maybe("viaMqtt", "via_mqtt"), .flag("viaStoreForward", "via_store_forward"),
            .maybe("xeddsaSigned", "xeddsa_signed"), .real("rxSnr", "rx_snr"), .plain("rxRssi", "rx_rssi"),
            .flag("pkiEncrypted", "pki_encrypted"), .flag("spoofSuspected", "spoof_suspected"),
            .words(
                "deliveryState", "delivery", ["queued", "handed", "accepted", "failed", "relayed", "confirmed"]),
            .plain("routingErrorCode", "error"),
            .words(
                "cause", "cause", from: 1,
                [
                    "noAnswer", "uncertain", "expired", "cancelled", "earlierPart", "unasked", "unaskedNoAnswer",
                    "unaskedUncertain", "unaskedExpired", "unaskedCancelled", "unaskedEarlierPart",
                ]),
            .plain("ackFromNode", "ack_from"), .plain("ackedAt", "acked_at"),
            .words("ackProof", "ack_proof", ["absent", "valid", "invalid", "noKey"]), .plain("firstPart", "first_part"),
            .plain("part", "part"), .plain("parts", "parts"), .plain("decryptedWith", "decrypted_with"),
            .plain("sender", "sender"), .plain("createdAt", "created_at"), .plain("updatedAt", "updated_at"),
        ])

    static let attempts = ArchivedTable(
        "attempts", "attempts",
        [
            .plain("id", "id"), .source, .plain("packetId", "packet_id"), .plain("message", "message"),
            .plain("timestamp", "at"),
        ])

    /// What every series has: a row a packet.
    private static let heard: [ArchivedField] =
        [.plain("row", "id")] + ArchivedField.node + [
            .plain("timestamp", "at"), .plain("packetId", "packet_id"), .plain("channel", "channel"),
            .real("rxSnr", "rx_snr"), .plain("hopStart", "hop_start"), .plain("hopLimit", "hop_limit"),
        ]

    static let telemetry = ArchivedTable(
        "telemetry", "telemetry",
        heard + [
            .words(
                "kind", "kind", from: 2,
                ["device", "environment", "airQuality", "power", "localStats", "health", "host", "trafficManagement"]),
            .plain("time", "time"), .json("metrics", "metrics"), .plain("text", "text"),
        ])

    static let positions = ArchivedTable(
        "positions", "positions",
        heard + [
            .plain("latitudeI", "latitude_i"), .plain("longitudeI", "longitude_i"), .plain("altitude", "altitude"),
            .plain("time", "time"), .plain("precisionBits", "precision_bits"), .plain("groundSpeed", "ground_speed"),
            .plain("groundTrack", "ground_track"), .plain("satsInView", "sats_in_view"), .json("more", "rare"),
        ])

    static let paxcounts = ArchivedTable(
        "paxcounts", "paxcounts",
        heard + [.number("wifi", "wifi"), .number("ble", "ble"), .number("uptime", "uptime")])

    static let statuses = ArchivedTable("node-statuses", "node_statuses", heard + [.text("text", "text")])

    /// Of a packet as the radio's protocol has it.
    private static let packet: [ArchivedField] = [
        .plain("fromNodeNum", "from_node"), .plain("toNodeNum", "to_node"), .plain("packetId", "packet_id"),
        .number("channel", "channel"), .plain("portnum", "port"), .bytes("payload", "payload"),
        .bytes("encryptedPayload", "encrypted"), .plain("rxTime", "rx_time"), .real("rxSnr", "rx_snr"),
        .plain("rxRssi", "rx_rssi"), .number("hopLimit", "hop_limit"), .number("hopStart", "hop_start"),
        .flag("wantAck", "want_ack"), .number("priority", "priority"), .flag("viaMqtt", "via_mqtt"),
        .bytes("publicKey", "public_key"), .flag("pkiEncrypted", "pki_encrypted"), .number("nextHop", "next_hop"),
        .number("relayNode", "relay_node"), .number("transportMechanism", "transport"),
        .flag("xeddsaSigned", "xeddsa_signed"), .number("delayed", "delayed"), .maybe("wantResponse", "want_response"),
        .plain("dest", "dest"), .plain("sourceNode", "source_node"), .plain("requestId", "request_id"),
        .plain("replyId", "reply_id"), .plain("emoji", "emoji"), .plain("bitfield", "bitfield"),
        .bytes("xeddsaSignature", "xeddsa_signature"),
    ]

    static let packets = ArchivedTable(
        "packets", "packets",
        [
            .plain("id", "id"), .source, .plain("timestamp", "at"), .number("direction", "direction"),
            .plain("decryptedWith", "decrypted_with"),
        ] + packet)

    static let outbox = ArchivedTable(
        "outbox", "outbox", isSecret: true,
        [
            .plain("id", "id"), .source, .plain("messageId", "message_id"), .plain("kind", "kind"),
            .number("state", "state"), .number("attempts", "attempts"), .number("notBefore", "not_before"),
            .plain("expiresAt", "expires_at"), .plain("hold", "hold"), .plain("handedAt", "handed_at"),
            .plain("handedClock", "handed_clock"), .number("resends", "resends"), .plain("sender", "sender"),
            .number("createdAt", "created_at"),
        ] + packet)
}
