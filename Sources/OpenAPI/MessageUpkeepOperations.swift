extension Operations {
    static var messageUpkeep: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/unified/messages", id: "unifiedMessages", .messages,
                "The messages of all sources, newest first",
                details: "A message that several radios heard is one row.",
                query: [
                    .limit(100, cap: 500), Parameter("before", .integer(), "Only older ones; milliseconds since 1970"),
                    Parameter(
                        "channel", .text(),
                        "A channel's name, on whatever slot each radio has it, or a slot; -1: direct messages"),
                ], answers: [.ok(.list(of: .named("UnifiedMessage")))]),
            OpenAPIOperation(
                "POST /api/messages/send", id: "sendFromPage", .messages, "Sends a text or a reaction",
                details: "Like `POST P/messages`, which returns more.",
                body: .object([
                    "text": JSONSchema.text("Trimmed before it is sent").with("minLength", 1),
                    "channel?": .channelIndex("A slot; without it, and without a destination, 0"),
                    "destination?": .recipient("The recipient"),
                    "replyId?": .packetID("The packet id of the message that this one replies to"),
                    "emoji?": .integer(
                        "1: a reaction to `replyId`; 0: a reply, even when the text is one emoji, which is a reaction "
                            + "without this", in: 0...1),
                    "sourceId?": .text("The source's id; default: the first enabled one"),
                ]), answers: [.fresh(.object(["success": .constant(true)]))],
                failures: [
                    403: "The token may not write there", 404: "No such source",
                    409: "The radio's transmitter is switched off (`TX_DISABLED`)",
                    413: "It would take more than three parts",
                    429: "Too many requests; texts have a limit of their own", 503: "No radio is connected",
                ]
            ).needing([
                "channel_N:write": "On channel N (`channel`)", "messages:write": "To one node (`destination`)",
            ]),
            OpenAPIOperation(
                "POST /api/messages/mark-read", id: "markRead", .messages, "Marks messages as read by this token",
                details:
                    "With one of `messageIds`, `channelId`, `nodeId` and `allDMs`. A message is read together with "
                    + "everything before it in its conversation.",
                body: JSONSchema.object([
                    "messageIds?": .list(of: .text()), "channelId?": .channelIndex(), "nodeId?": .nodeID(),
                    "allDMs?": .constant(true), "beforeTimestamp?": .milliseconds("Only messages that are not newer"),
                    "sourceId?": .text("The source's id; default: the first enabled one"),
                ])
                .withOne(of: ["messageIds", "channelId", "nodeId", "allDMs"], only: false),
                answers: [.fresh(.object(["marked": .count("Messages that were unread")]))],
                failures: [404: "No such source"]
            ).needing(["channel_N:read": "On channel N (`channelId`)"]),
            OpenAPIOperation(
                "GET /api/messages/unread-counts", id: "unreadCounts", .messages,
                "What this token has not marked as read",
                query: [.sourceID],
                answers: [
                    .ok(
                        .object([
                            "channels": .dictionary(of: .count("Messages"), "By slot"),
                            "directMessages": .dictionary(of: .count("Messages"), "By the id of the other node"),
                        ]))
                ], failures: [404: "No such source"]),
            OpenAPIOperation(
                "DELETE /api/messages/{messageId}", id: "deleteMessage", .messages, "Deletes a message here",
                details: "Other nodes still have it.", query: [.sourceID],
                answers: [.fresh(.object(["message": .text("For people"), "id": .text("The row's")]))],
                failures: [404: "No such message"]),
            OpenAPIOperation(
                "DELETE /api/messages/nodes/{nodeNum}", id: "deleteNode", .nodes,
                "Deletes a node with everything that is stored of it",
                details:
                    "Its messages and the direct ones to it, telemetry, positions, routes, packets and marks; texts that "
                    + "wait to be sent to it are cancelled. It comes back when it is heard again, or when the radio names it, "
                    + "with the public key that it had.",
                query: [.requiredSourceID],
                answers: [
                    .fresh(
                        .object([
                            "message": .text("For people"), "nodeNum": .nodeNumber(),
                            "nodeName": .text("Short, else long; `Node N` without one"),
                            "messagesDeleted": .count("Messages"),
                            "traceroutesDeleted": .count("Traceroutes from or to it"),
                            "telemetryDeleted": .count("Points, positions included"),
                            "nodeDeleted": .constant(true),
                        ]))
                ], failures: [404: "No such source, or no such node in it", 409: "It is the radio itself"]),
            mark("favorite", "isFavorite", id: "markFavorite", "Makes a node a favourite, or undoes that"),
            mark("ignored", "isIgnored", id: "markIgnored", "Ignores a node, or undoes that"),
            OpenAPIOperation(
                "GET /api/csrf-token", id: "csrfToken", .server, "The CSRF token of a session cookie",
                details: "A request with a token gets a cookie with which `POST /api/traceroute` and `POST "
                    + "/api/position/request` work without the token, if they carry this in `X-CSRF-Token`.",
                answers: [.fresh(.object(["csrfToken": .text()]))]),
            OpenAPIOperation(
                "POST /api/auth/login", id: "signIn", .server, "The session cookie for a token",
                details:
                    "It is the cookie that other answers give to a request with the token. There are no users: any "
                    + "`username` will do.",
                body: .object(["username?": .text(), "password": .text("An API token")]),
                answers: [
                    .fresh(
                        .object([
                            "success": .constant(true), "user": .object(["username": .text("The token's name")]),
                        ]))
                ],
                failures: [
                    400: "No password", 401: "No token that is valid",
                    403: "The token may neither trace routes nor send messages", 429: "Too many wrong tokens",
                ], failureShape: .session),
        ]
    }

    private static func mark(_ name: String, _ key: String, id: String, _ summary: String) -> OpenAPIOperation {
        OpenAPIOperation(
            "POST /api/nodes/{nodeId}/\(name)", id: id, .nodes, summary,
            body: .object([
                key: .flag(), "sourceId": .text("The source's id"),
                "syncToDevice?": JSONSchema.flag("Whether the radio is changed as well").with("default", true),
            ]),
            answers: [
                .fresh(
                    .object([
                        "success": .constant(true), "nodeNum": .nodeNumber(), key: .flag(),
                        "deviceSync": .object(["status": .word(["pending", "skipped"])]),
                        "notice?": .text("What a favourite changes at a radio whose role is CLIENT_BASE"),
                    ]))
            ], failures: [404: "No such source, or no such node in it"])
    }
}

extension Schemas {
    static var messageUpkeep: [Named] {
        [
            (
                "UnifiedMessage",
                message([
                    "channelName": .text("Null: a direct message, or a channel that is no longer there").orNull,
                    "fromNodeLongName": .text("Null: a node that the token may not see").orNull,
                    "fromNodeShortName": .text("The same").orNull,
                    "dedupKey": .text("`mt:<fromNodeId>:p<packet id>`"),
                    "receptions": .list(
                        of: .object([
                            "sourceId": .uuid(), "sourceName": .text(), "messageId": .text("The row's `id`"),
                            "timestamp": .milliseconds("Received or sent"), "rxSnr": .number("dB").orNull,
                            "rxRssi": .number("dBm").orNull, "hopStart": .integer().orNull,
                            "hopLimit": .integer().orNull,
                        ])),
                ])
            )
        ]
    }
}
