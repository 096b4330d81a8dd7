import RestAPI

extension Operations {
    static var events: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/events", id: "events", .server, "What happens, as it happens (Server-Sent Events)",
                details: eventDetails,
                query: [
                    Parameter(
                        "kinds", .text(),
                        "Words with commas between them: \(kinds). None: all; an unknown one is refused"),
                    Parameter(
                        "channel", .integer(), "Only what came on it; -1 is direct messages. Leaves out what is on none"
                    ),
                    Parameter("node", .nodeID(), "Only what concerns this node"),
                    Parameter(
                        "source", .text(),
                        "A source's id, or `default`. Without it `/api/v1/events` tells of all sources; a path that names "
                            + "one tells of that one"),
                    Parameter(
                        "after", .text(),
                        "Go on behind the event with this `id`. `Last-Event-ID` in the head comes first. One that cannot be "
                            + "read is one that has missed everything"),
                    Parameter(
                        "mayClose", .word(["yes", "no"]),
                        "`no`: closes no other stream of the token, and is 503 while it has 4"),
                ],
                answers: [Answer(200, "A stream without end", event, type: "text/event-stream", isTagged: false)],
                failures: [
                    400: "An unknown kind, or a token in the URL",
                    503:
                        "12 streams are open already, or 4 on the local socket, or 4 of the token and `mayClose=no`; see "
                        + "`Retry-After`",
                ]
            ).ours,
            OpenAPIOperation(
                "GET P/ping", id: "ping", .server, "Whether anything has changed",
                details:
                    "Small, for those who ask every second: fetch when a number differs from the one before. "
                    + "`notification_version` is for `notifications:read`, else 0.",
                answers: [.fresh(.named("Ping"))]
            ).ours,
        ]
    }

    /// The fields of a block. The stream's other blocks are comments.
    private static let event: JSONSchema = .object([
        "id?": .text(), "event?": .text(), "data?": .text("JSON"), "retry?": .integer(),
    ])

    private static var kinds: String { EventKind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }

    private static let eventDetails = """
        Any token may ask; what it is told goes by the rest of its rights, and each row is the one that its GET would show:

        | event | `data` | needs |
        |---|---|---|
        | `start` | the first one, at once: `resumed`, the server's `version` | any token |
        | `message`, `message-deleted` | a row of `messages`; `{id, deleted: true}` | `messages:read`, and the channel; over a \
        broker `messages:read` |
        | `delivery` | `id`, `state` as in a message's `delivery`, `deliveryState`, `routingErrorCode` of a failed one | the same |
        | `read` | a conversation's `id` (`channel:0`, `direct:!a1b2c3d4`, `mqtt:club`, `direct`), `unread` | the token's own marks |
        | `node` | a row of `nodes`, or `{id, deleted: true}`; of a node at most once a second | `nodes:read`, `viewOnMap` |
        | `position` | `nodeId` and a row of `position-history` | the same, for the channel of the position too |
        | `telemetry` | a row of `telemetry` for each value of a report | as `telemetry` |
        | `channel` | a row of `channels` | `messages:read`, and the channel |
        | `traceroute` | a row of `traceroutes` | `traceroute:read`; hops as `nodes` |
        | `waypoint` | a row of `waypoints`, or `{id, deleted: true}` | as `waypoints` |
        | `packet` | a row of `packets` | `packetmonitor:read`, and the channel |
        | `status`, `problem`, `solved` | `status` of the source; a row of `problems` | `info:read` |
        | `notification` | a row of `notifications` | `notifications:read`, and what it is about |
        | `missed` | `count` (null: nobody knows, or the token may not read everything), `reload`: the kinds to read anew \
        | any token |

        Each event has an `id`, 86 characters that only the gateway can read, for the token that got it; it looks different \
        each time. Who comes back with it is told everything since; what the gateway no longer knows is one \
        `missed`, followed by every message that was created or changed since, oldest first. A message can so come twice: it \
        is known by its `id`. Of conversations over brokers `message`, `delivery` and `read` are told, to who asks for no source, \
        channel or node. After a restoration, an import or a clock that was set right `count` is null, and `reload` \
        has `message` too: rows of before may be other ones. What is deleted because it has become too old is not told.

        A comment comes at the latest after 25 seconds of silence. A token has 4 streams at most: the oldest is closed for a \
        fifth, unless that one says `mayClose=no`: it is 503 then. A revoked token's are cut off at once, an expired one's with the next event or comment, and who takes nothing \
        for 65 seconds is closed. A browser's `EventSource` cannot send a token: use `fetch`.
        """
}

extension Schemas {
    static var events: [Named] {
        [
            (
                "Ping",
                .object([
                    "status": .constant("ok"), "server_version": .text("The server's"),
                    "data_version": .integer("Differs whenever anything that is stored has changed"),
                    "notification_version": .integer("The same for notifications, and what was acknowledged of them"),
                ])
            )
        ]
    }
}
