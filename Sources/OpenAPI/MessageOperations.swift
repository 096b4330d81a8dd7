extension Operations {
    static var messages: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/messages", id: "messages", .messages, "Messages, newest first",
                details:
                    "All filters come before `limit`. `since` also finds messages whose delivery state has changed since. With "
                    + "`conversation`, `before`, `after` or `around`, which MeshMonitor does not have, `first` and `last` are "
                    + "the ids of the page's newest and oldest message, `hasBefore` says whether there are older ones, "
                    + "`hasAfter` whether there are newer ones.",
                query: [
                    Parameter.limit(100, cap: 10_000),
                    Parameter("channel", .integer(), "A slot; -1: direct messages. Needs `channel_N:read`"), .since,
                    Parameter("fromNodeId", .text(), "Only from this node"),
                    Parameter("toNodeId", .text(), "Only to this node"),
                    Parameter(
                        "conversation", .conversationID(), "Only of this conversation, in both directions"),
                    Parameter("before", .text(), "A message's `id`: the messages before it, newest first"),
                    Parameter("after", .text(), "A message's `id`: those that come next behind it, newest first"),
                    Parameter("around", .text(), "A message's `id`: it, and the messages on both sides of it"),
                ],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "count": .count("Rows in `data`"),
                            "first?": .text("The `id` of the newest message in `data`").orNull,
                            "last?": .text("The `id` of the oldest message in `data`").orNull,
                            "hasBefore?": .flag("There are older messages"),
                            "hasAfter?": .flag("There are newer messages"), "data": .list(of: .named("Message")),
                        ]))
                ], failures: [404: "No such source, or the message of `before`, `after` or `around` is gone"]),
            OpenAPIOperation(
                "POST P/messages", id: "sendMessage", .messages,
                "Sends a text to a channel or as a DM: a message, a reply or a reaction",
                details:
                    "To a channel, which needs `channel_N:write`, or to one node (a direct message), which needs "
                    + "`messages:write`. With `replyId` it is a reply; an emoji with it is a reaction (tapback). A text of "
                    + "more than 200 bytes is sent in up to three parts. It is stored when the answer comes; `deliveryState` in "
                    + "its row shows the delivery. With an `Idempotency-Key` a client that got no answer may ask again. A text to a "
                    + "`conversation` over a broker has at most 4,000 characters, is neither a reply nor a reaction, and waits for "
                    + "the broker for a day.",
                body: .object([
                    "text": .text("Trimmed before it is sent").with("minLength", 1),
                    "channel?": .channelIndex("A slot; this, `toNodeId` or `conversation`"),
                    "toNodeId?": .recipient("The recipient; this, `channel` or `conversation`"),
                    "conversation?": .text(
                        "One over a broker, where no source is named; this, `channel` or `toNodeId`",
                        pattern: "^mqtt:[a-z0-9-]{1,32}$"),
                    "replyId?": .packetID("The packet id of the message that this one replies to"),
                    "emoji?": .integer(
                        "1: a reaction to `replyId`; 0: a reply, even when the text is one emoji, which is a reaction "
                            + "without this", in: 0...1),
                    "queue?": .any(of: [
                        .flag("Wait for the radio when it is away"),
                        .constant("heard").with("description", "The same, but also until the recipient is next heard"),
                    ]),
                    "expiresIn?": expiresIn,
                ])
                .withOne(of: ["channel", "toNodeId", "conversation"], only: true),
                answers: [
                    Answer(201, "Accepted", .item(.named("SentMessage"))),
                    Answer(202, "Accepted in parts", .item(.named("SentParts"))),
                ],
                failures: [
                    409:
                        "The radio's transmitter is switched off (`TX_DISABLED`), or another key than the known one was "
                        + "seen for the recipient, and a person has to decide (`KEY_MISMATCH`); or the conversation has no topic "
                        + "to write to",
                    413:
                        "It would take more than three parts, or has more than 4,000 characters, or the body is too long",
                    422: "The `Idempotency-Key` was used for another text",
                    429: "Too many requests; texts have a limit of their own",
                    503: "No radio is connected, or 1,000 texts wait for the broker",
                ]
            ).needing([
                "channel_N:write": "On channel N (`channel`)",
                "messages:write": "To one node (`toNodeId`), or over a broker (`conversation`)",
            ]).once,
            OpenAPIOperation(
                "DELETE P/messages", id: "deleteMessagesOfNode", .messages,
                "Deletes the messages of a node here, and the direct ones to it",
                details:
                    "Those that the token may read. Texts that wait to be sent to the node are not sent. Other nodes still "
                    + "have them, and what the mesh repeats does not come back.",
                query: [Parameter("node", .text(), "Its id or its number", isRequired: true)],
                answers: [
                    .fresh(
                        .item(.object(["node": .nodeID(), "messagesDeleted": .count("Messages")])))
                ], failures: [400: "`node` is missing, or is no node"]),
            OpenAPIOperation(
                "GET P/messages/search", id: "searchMessages", .messages, "Messages with a text in them",
                query: [
                    Parameter(
                        "q", .text(), "The text to look for. It may be left out where there is a sender or a date"),
                    Parameter("caseSensitive", .word(["true", "false"]), "`true`: letter case counts"),
                    Parameter(
                        "scope", .word(["all", "channels", "dms", "meshcore"]),
                        "Where to look; `meshcore` finds nothing"),
                    Parameter("channels", .text(), "Slots, with commas"),
                    Parameter("fromNodeId", .text(), "Only from this node"),
                    Parameter(
                        "conversation", .conversationID(), "Only of this conversation, in both directions"),
                    Parameter("startDate", .integer(), "Not older; milliseconds since 1970"),
                    Parameter("endDate", .integer(), "Not newer; milliseconds since 1970"), .limit(50, cap: 100),
                    .offset,
                ],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "count": .count("Rows in `data`"),
                            "total": .count("Messages that match, on all pages"),
                            "data": .list(of: .named("FoundMessage")),
                        ]))
                ], failures: [400: "`q` is missing, and so are a sender and a date"]),
            OpenAPIOperation(
                "GET P/messages/{messageId}", id: "message", .messages, "One message",
                details: "A sent message also has `delivery`: how far it has come.",
                answers: [.item("MessageDetails")],
                failures: [404: "No such source, or no such message in it"]),
            OpenAPIOperation(
                "POST P/messages/{messageId}/cancel", id: "cancelMessage", .messages,
                "Cancels a sent message that the radio does not have yet",
                details: "It stays in the list as failed. Needs the same scopes as sending.",
                answers: [.fresh(.item(.named("MessageDetails")))],
                failures: [
                    404: "No such source, or no such message in it", 409: "The radio already has it (`MESSAGE_SENT`)",
                ]
            ).needing([
                "channel_N:write": "The message is on channel N", "messages:write": "It is a direct message",
            ]),
            OpenAPIOperation(
                "POST P/messages/{messageId}/resend", id: "resendMessage", .messages, "Sends a message again",
                details:
                    "As a new packet, which the recipient may show as another message. The message keeps its id and is "
                    + "pending again; parts of the same text that failed with it follow. Needs the same scopes as sending.",
                body: .object(["queue?": .flag("Wait for the radio when it is away"), "expiresIn?": expiresIn]),
                answers: [.fresh(.item(.named("MessageDetails")))],
                failures: [
                    404: "No such source, or no such message in it",
                    409: "Under way, delivered, the recipient's key in doubt, or transmitting is switched off on the "
                        + "radio: `code` says which",
                    503: "No radio is connected",
                ]
            ).needing([
                "channel_N:write": "The message is on channel N", "messages:write": "It is a direct message",
            ]),
        ]
    }

    private static var expiresIn: JSONSchema {
        .number("Seconds after which it expires", in: 1...2_592_000)
    }
}

extension Schemas {
    static var messages: [Named] {
        [
            ("Message", message(["topic?": topic, "writer?": writer])),
            ("FoundMessage", message(["topic?": topic, "writer?": writer, "source": .constant("standard")])),
            (
                "MessageDetails",
                message([
                    "delivery?": .object([
                        "state": .word([
                            "queued", "handed", "accepted", "sent", "failed", "unknown", "uncertain", "expired",
                            "cancelled",
                            "relayed", "confirmed",
                        ]),
                        "reason": .text("For people"), "errorCode": .integer("Meshtastic's Routing.Error").orNull,
                        "ackFrom": .nodeID().orNull, "ackFromNum": .nodeNumber().orNull,
                        "ackedAt": .milliseconds("When it was first acknowledged or heard repeated").orNull,
                        "ackProof": ackProof.orNull,
                        "attempts": .integer("Packet ids under which it was sent"),
                        "packetIds": .list(of: .packetID("A packet id under which it was sent")),
                        "part": .integer("Which part of a long text").orNull,
                        "parts": .integer("How many parts the long text has").orNull,
                        "firstPart": .packetID("The `requestId` of the first part").orNull,
                        "pkiEncrypted": .flag("Encrypted for the recipient alone"),
                        "updatedAt": .milliseconds("Last change"),
                    ]), "topic?": topic, "writer?": writer,
                ])
            ),
            ("SentMessage", sent),
            ("SentParts", sentParts),
        ]
    }

    private static var topic: JSONSchema { .text("Over a broker: under which it came, or is published") }
    private static var writer: JSONSchema { .text("Over a broker: as who wrote it names himself, else the topic") }

    /// The radio has looked at it: firmware 2.8.1 proves acknowledgements of messages that were encrypted for the recipient.
    static var ackProof: JSONSchema {
        .word(["valid", "invalid", "noKey"], "Whether the recipient's key proves its acknowledgement; null: no proof")
    }

    /// 33 keys (Contract 3.5), and more.
    static func message(_ more: KeyValuePairs<String, JSONSchema> = [:]) -> JSONSchema {
        .object(
            [
                "id": .text("`<sourceId>_<number of the sender>_<packet id>`"), "fromNodeNum": .nodeNumber(),
                "toNodeNum": .nodeNumber("4294967295: everybody"), "fromNodeId": .nodeID(),
                "toNodeId": .text("`!ffffffff` of a text to everybody that was heard, `broadcast` of an own one"),
                "text": .text("The emoji of a reaction"),
                "channel": .integer("A slot; -1: a direct message, or a text over a broker"),
                "portnum": .integer("Meshtastic's PortNum").orNull,
                "requestId": .packetID("The packet id of a sent message").orNull,
                "timestamp": .milliseconds("Received or sent"),
                "rxTime": .milliseconds("By the radio's clock").orNull,
                "hopStart": .integer().orNull, "hopLimit": .integer().orNull,
                "relayNode": .integer("The last byte of the node number of the relay").orNull,
                "replyId": .packetID("The message that this one replies to").orNull,
                "emoji": .constant(1).orNull, "viaMqtt": .flag().orNull, "viaStoreForward": .flag().orNull,
                "xeddsaSigned": .flag().orNull, "rxSnr": .number("dB").orNull, "rxRssi": .number("dBm").orNull,
                "ackFailed": .integer("1 when it has failed. MeshMonitor has a boolean here").orNull.or(
                    type: "boolean"),
                "routingErrorReceived": .constant(.null),
                "deliveryState": .word(["pending", "delivered", "confirmed", "failed"], "For sent messages").orNull,
                "wantAck": .flag().orNull, "ackFromNode": .nodeNumber("Who acknowledged it").orNull,
                "routingErrorCode": .integer("Why it failed; Meshtastic's Routing.Error").orNull,
                "createdAt": .milliseconds("Stored"), "decryptedBy": .word(["node", "server"]).orNull,
                "sourceId": .uuid(),
                "sourceIp": .constant(.null), "sourcePath": .word(["tcp_radio", "system"]),
                "spoofSuspected": .flag("True or null").orNull,
                "sender": .text(
                    "Who had it sent, not in MeshMonitor: `rest:` and the name of a token, `cli`, `share:` and the address "
                        + "of a client of the radio, `mqtt:` and the name of the conversation over a broker whose bridge said it, "
                        + "`home-assistant:` and the name of the broker, "
                        + "`bridge` where it came from a channel. Without `configuration:read` only its own name is shown to a token, "
                        + "and the kind alone of others."
                ).orNull,
                "isAlert": .flag(
                    "It is meant to ring: port 11, or a text with a BEL in it, which `text` leaves out. Not in MeshMonitor"
                ),
            ], followedBy: more)
    }

    private static var sent: JSONSchema {
        .object([
            "messageId": .text("The row's `id`"), "requestId": .packetID("The packet id"),
            "deliveryState": .constant("pending"), "messageCount": .constant(1), "text": .text("As it is sent"),
            "channel": .integer("-1: a direct message, or over a broker", in: -1...7),
            "toNodeId": .text("The recipient as it was given, or `broadcast`"),
            "conversation?": .text("Over a broker: as it was given"),
        ])
    }

    private static var sentParts: JSONSchema {
        .object([
            "deliveryState": .constant("queued"), "messageCount": .integer("Parts", in: 2...3),
            "queueIds": .list(of: .text()), "text": .text("The whole text"),
            "channel": .integer("-1: a direct message", in: -1...7), "toNodeId": .text("The recipient, or `broadcast`"),
            "note": .text(), "messageIds": .list(of: .text("A row's `id`"), "One for each part"),
        ])
    }
}
