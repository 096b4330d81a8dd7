import Routes

extension Operations {
    static var waypoints: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/waypoints", id: "waypoints", .waypoints, "The points on the map that nodes share",
                details:
                    "By their ids, without those that have expired. A token sees those of the channels whose map it may "
                    + "view; those that came as direct messages, or of which no channel is known, with `messages:read`.",
                answers: [.rows("Waypoint")]
            ).ours,
            OpenAPIOperation(
                "POST P/waypoints", id: "createWaypoint", .waypoints,
                "Makes a waypoint and tells everybody on its channel",
                details: "Needs `channel_N:write` of its channel, too.",
                body: .object([
                    "name": name, "latitude": latitude, "longitude": longitude, "description?": about, "icon?": icon,
                    "expireAt?": expireAt, "locked?": locked, "channel?": .channelIndex("0 without"),
                ]), answers: [Answer(201, "Stored, and on its way", .item(.named("Waypoint")))], failures: failures,
                failureShape: .brief
            ).needing(["channel_N:write": "On channel N (`channel`, else 0)"]).ours,
            OpenAPIOperation(
                "GET P/waypoints/{id}", id: "waypoint", .waypoints, "One waypoint", answers: [.item("Waypoint")],
                failures: [404: "No such source, or no such waypoint that the token may see"]
            ).ours,
            OpenAPIOperation(
                "PUT P/waypoints/{id}", id: "changeWaypoint", .waypoints,
                "Changes a waypoint and tells everybody on its channel",
                details:
                    "What is left out stays as it is; it stays on its channel. Needs `channel_N:write` of that channel, "
                    + "too. One that is locked to another node cannot be changed. One that came as a direct message is "
                    + "sent to its sender alone, encrypted for it.",
                body: .object([
                    "name?": name, "latitude?": latitude, "longitude?": longitude, "description?": about.orNull,
                    "icon?": icon, "expireAt?": expireAt, "locked?": locked,
                ]), answers: [.fresh(.item(.named("Waypoint")))], failures: failures, failureShape: .brief
            ).needing(["channel_N:write": "It is on channel N"]).ours,
            OpenAPIOperation(
                "DELETE P/waypoints/{id}", id: "deleteWaypoint", .waypoints,
                "Deletes a waypoint here and at everybody on its channel",
                details:
                    "Needs `channel_N:write` of its channel, too. One that came as a direct message is deleted at its sender "
                    + "alone; without a usable key for its sender it is deleted here alone, and `isTold` is false.",
                answers: [
                    .fresh(
                        .item(
                            .object([
                                "waypointId": .integer(), "deleted": .constant(true),
                                "isTold": .flag("Whether others are told to delete it, too"),
                            ])))
                ], failures: failures, failureShape: .brief
            ).needing(["channel_N:write": "It is on channel N"]).ours,
        ]
    }

    private static var failures: KeyValuePairs<Int, String> {
        [
            404: "No such source, or no such waypoint",
            409:
                "Locked to another node, the radio does not have the channel, or its transmitter is switched off; of a "
                + "direct message: there is no key for its sender, or it is in doubt (`KEY_MISMATCH`)",
            503: "No radio is connected",
        ]
    }

    private static var name: JSONSchema { .text("At most \(PostedWaypoint.longestName) bytes") }
    private static var about: JSONSchema { .text("At most \(PostedWaypoint.longestDescription) bytes") }
    private static var latitude: JSONSchema { .number("Degrees", in: -90...90) }
    private static var longitude: JSONSchema { .number("Degrees; both or none", in: -180...180) }
    private static var icon: JSONSchema { JSONSchema.text("One character").orNull }
    private static var expireAt: JSONSchema { JSONSchema.seconds("To come; null or 0: never").orNull }
    private static var locked: JSONSchema { .flag("Only this radio may change it") }
}

extension Schemas {
    static var waypoints: [Named] {
        [
            (
                "Waypoint",
                .object([
                    "waypointId": .integer("Given by the node that made it", in: 0...4_294_967_295),
                    "ownerNodeNum": .nodeNumber("Who sent it last; of a direct message the other node"),
                    "ownerNodeId": .nodeID(), "name": .text(),
                    "description": .text(), "latitude": .number("Degrees").orNull,
                    "longitude": .number("Degrees").orNull,
                    "iconCodepoint": .integer("The character's number").orNull, "icon": .text("The character").orNull,
                    "expireAt": .seconds("Null: never").orNull,
                    "lockedTo": .nodeNumber("The only node that may change it").orNull,
                    "isChangeable": .flag("This radio may change it"),
                    "channel": .integer("Slot on which it came; null: a direct message, or not known").orNull,
                    "geofenceRadius": .integer("Metres").orNull, "lastUpdatedAt": .milliseconds("Last change"),
                    "sourceId": .uuid(),
                ])
            )
        ]
    }
}
