extension Operations {
    static var nodes: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/nodes", id: "nodes", .nodes, "The nodes that were heard",
                details:
                    "The latest change first; with `active=true` the last heard first. A token sees the nodes of the channels "
                    + "whose map it may view.",
                query: [
                    Parameter(
                        "active", .word(["true", "false"]), "`true`: only those heard in the last `sinceDays` days"),
                    Parameter("sinceDays", .integer().with("default", 7), "Days, with `active=true`"),
                    fields,
                ], answers: [.rows("Node")], failures: [400: "`fields` names a key that no row has"]),
            OpenAPIOperation(
                "GET P/nodes/{nodeId}", id: "node", .nodes, "One node",
                details: "Needs `channel_N:viewOnMap` of the channel on which the node was heard, too.",
                query: [fields],
                answers: [.item("Node")],
                failures: [
                    400: "`fields` names a key that no row has", 404: "No such source, or no such node in it",
                ]),
            OpenAPIOperation(
                "GET /api/sources/{id}/nodes", id: "nodesOfSource", .nodes, "Nodes as a bare list",
                details: "The rows of `nodes`, without `uptimeSeconds`.",
                answers: [.ok(.list(of: .named("Node")))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/nodes", id: "nestedNodes", .nodes, "Nodes of all sources as a bare list of nested objects",
                details:
                    "Without `sourceId` each node is there once, as the enabled source knows it that has heard it last.",
                query: [Parameter("sourceId", .text(), "Only of this source")],
                answers: [.ok(.list(of: .named("NestedNode")))], failures: [404: "No such source"]),
        ]
    }

    private static let fields = Parameter(
        "fields", .text(),
        "Keys of a row, with commas: rows have no others, and are then shorter than `Node` says. Besides, there is "
            + "`hwModelName`, such as `HELTEC_V3`. MeshMonitor does not have it")
}

extension Schemas {
    static var nodes: [Named] { [("Node", node), ("NestedNode", nestedNode)] }

    private static var nestedNode: JSONSchema {
        .object([
            "nodeNum": .nodeNumber(),
            "user": .object([
                "id": .nodeID(), "longName": .text(), "shortName": .text(),
                "hwModel": .integer("Meshtastic's HardwareModel").orNull,
                "publicKey": .text("32 bytes in base64").orNull,
                "role?": .text("The number of Meshtastic's Config.DeviceConfig.Role, in digits"),
            ]),
            "deviceMetrics": .object([
                "batteryLevel": .integer("Percent; 101: external power").orNull, "voltage": .number("V").orNull,
                "channelUtilization": .number("Percent").orNull, "airUtilTx": .number("Percent").orNull,
                "uptimeSeconds?": .integer("Seconds since its start"),
            ]),
            "lastHeard": .seconds("Last packet").orNull, "snr": .number("dB").orNull, "rssi": .integer("dBm").orNull,
            "hopsAway?": .integer(), "lastMessageHops?": .integer("Hops of its last packet"), "viaMqtt?": .flag(),
            "isStoreForwardServer?": .flag(), "isFavorite": .flag(), "favoriteLocked": .flag(), "isIgnored": .flag(),
            "channel?": .integer("Slot on which it was last heard"),
            "mobile?": .integer("1: its last 250 positions are more than 100 m apart", in: 0...1),
            "keyIsLowEntropy?": .flag(),
            "duplicateKeyDetected?": .flag(), "keySecurityIssueDetails?": .text(),
            "position?": .object([
                "latitude": .number("Degrees"), "longitude": .number("Degrees"), "altitude": .number("Metres").orNull,
            ]),
            "positionPrecisionBits?": .integer("Bits of the position that are shared", in: 0...32),
            "positionTimestamp?": .milliseconds("When the position was measured"),
            "positionLocationSource?": .integer("Meshtastic's Position.LocSource"),
            "positionOverrideEnabled": .flag(), "positionOverrideIsPrivate": .flag(), "hideFromMap": .flag(),
            "hasRemoteAdmin": .flag(), "isMobile": .flag(), "positionIsOverride": .flag(),
        ])
    }

    /// 72 keys (Contract 3.3).
    private static var node: JSONSchema {
        .object([
            "nodeNum": .nodeNumber(), "nodeId": .nodeID(),
            "longName": .text("`Node !xxxxxxxx` until it is known").orNull,
            "shortName": .text("The last four digits of the id until it is known").orNull,
            "hwModel": .integer("Meshtastic's HardwareModel").orNull,
            "role": .integer("Meshtastic's Config.DeviceConfig.Role").orNull,
            "hopsAway": .integer("Of its last LoRa packet, or from the radio's NodeDB when that is newer").orNull,
            "lastMessageHops": .integer("Hops of its last packet").orNull, "viaMqtt": .flag().orNull,
            "transportMechanism": .integer("Meshtastic's MeshPacket.TransportMechanism").orNull,
            "transportLastRf": .seconds("Last heard by radio").orNull,
            "transportLastMqtt": .seconds("Last heard over MQTT").orNull,
            "transportLastUdp": .seconds("Last heard over UDP").orNull, "isStoreForwardServer": .flag().orNull,
            "macaddr": .text().orNull,
            "latitude?": .number("Degrees; left out unless the token may see positions").orNull,
            "longitude?": .number("Degrees").orNull, "altitude?": .number("Metres").orNull,
            "batteryLevel": .integer("Percent; 101: external power").orNull, "voltage": .number("V").orNull,
            "channelUtilization": .number("Percent").orNull, "airUtilTx": .number("Percent").orNull,
            "lastHeard": .seconds("Last packet").orNull, "snr": .number("dB").orNull, "rssi": .integer("dBm").orNull,
            "lastTracerouteRequest": .milliseconds("When a traceroute to it was last requested").orNull,
            "firmwareVersion": .text().orNull, "channel": .integer("Slot on which it was last heard").orNull,
            "isFavorite": .flag(), "favoriteLocked": .flag(), "isIgnored": .flag(),
            "mobile": .integer("1: its last 250 positions are more than 100 m apart; null: it has told none", in: 0...1)
                .orNull, "rebootCount": .integer().orNull,
            "publicKey": .text("32 bytes in base64").orNull,
            "lastMeshReceivedKey": .text("Another key that was seen for it, in base64").orNull,
            "hasPKC": .flag("Whether its public key is known: direct messages to it are encrypted").orNull,
            "lastPKIPacket": .milliseconds("Last packet that was encrypted with its key").orNull,
            "keyIsLowEntropy": .flag("So regular that it can be guessed").orNull,
            "duplicateKeyDetected": .flag("Another node that is heard has the same key").orNull,
            "keyMismatchDetected": .flag("Another key was seen for it, or a message failed because of the key").orNull,
            "keySecurityIssueDetails": .text("What is known about its key, in words").orNull,
            "isExcessivePackets": .flag(),
            "packetRatePerHour": .integer().orNull,
            "packetRateLastChecked": .milliseconds("When").orNull, "isTimeOffsetIssue": .flag(),
            "timeOffsetSeconds": .integer().orNull, "welcomedAt": .milliseconds("When").orNull,
            "nodeStatus": .text().orNull,
            "nodeStatusUpdatedAt": .milliseconds("When").orNull, "positionChannel?": .integer("Slot").orNull,
            "positionPrecisionBits?": .integer("Bits of the position that are shared", in: 0...32).orNull,
            "positionGpsAccuracy?": .number().orNull, "positionHdop?": .number().orNull,
            "positionTimestamp?": .milliseconds("When the position was measured").orNull,
            "positionLocationSource": .integer("Meshtastic's Position.LocSource").orNull,
            "positionOverrideEnabled": .flag(),
            "latitudeOverride": .number().orNull, "longitudeOverride": .number().orNull,
            "altitudeOverride": .number().orNull,
            "positionOverrideIsPrivate": .flag(), "hideFromMap": .flag(), "isUnmessagable": .flag(),
            "isLicensed": .flag(),
            "hasRemoteAdmin": .flag(), "lastRemoteAdminCheck": .milliseconds("When").orNull,
            "remoteAdminMetadata": .text("JSON").orNull, "notes": .text("What people here have written down").orNull,
            "lastTimeSync": .milliseconds("When").orNull,
            "createdAt": .milliseconds("First heard of"), "updatedAt": .milliseconds("Last change"),
            "sourceId": .uuid(),
            "nickname?": .text("What people here call it; not in MeshMonitor"),
            "isInDoubt?": .flag(
                "Another key was seen, and a person has to decide which is right; left out where it is false"),
            "uptimeSeconds?": .integer("Seconds since its start, by its telemetry"),
        ])
    }
}
