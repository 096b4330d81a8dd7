extension Operations {
    static var conversations: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/conversations", id: "conversations", .conversations,
                "Chats with what is unread: channels, direct ones and those over brokers, the one with the newest message first",
                details:
                    "Those whose messages the token may read; direct ones are also called DMs. Channels on which nobody has said "
                    + "anything stand behind. What is read and muted is the token's own. Conversations over brokers (`mqtt:`) are "
                    + "there where no source is named: below `/api/v1` and below `sources/default`.",
                query: [
                    .limit(50, cap: 200),
                    Parameter("before", .conversationID(), "A conversation's `id`: those behind it in the list"),
                ],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "count": .count("Rows in `data`"),
                            "hasMore": .flag("There are more behind them"),
                            "data": .list(of: .named("Conversation")),
                        ]))
                ], failures: [404: "No such source, or the conversation of `before` is gone"]
            ).ours,
            OpenAPIOperation(
                "GET P/conversations/{conversationId}", id: "conversation", .conversations, "One conversation",
                answers: [.item("Conversation")], failures: [404: gone]
            ).ours,
            OpenAPIOperation(
                "POST P/conversations/{conversationId}/read", id: "readConversation", .conversations,
                "Marks a conversation as read by this token",
                details:
                    "Up to a message, or all of it. The mark moves forward only, and stays when its message is deleted.",
                body: .object(["messageId?": .text("The `id` of the last message that was read")]),
                answers: [.fresh(.item(.named("Conversation")))], failures: [404: gone]
            ).ours,
            OpenAPIOperation(
                "POST P/conversations/{conversationId}/unread", id: "unreadConversation", .conversations,
                "Marks a conversation as unread by this token",
                details:
                    "From a message on, or only the newest that somebody else has written. The mark moves back only.",
                body: .object(["messageId?": .text("The `id` of the first message that is unread")]),
                answers: [.fresh(.item(.named("Conversation")))], failures: [404: gone]
            ).ours,
            OpenAPIOperation(
                "POST P/conversations/{conversationId}/mute", id: "muteConversation", .conversations,
                "Mutes a conversation for this token, or no longer",
                details: "The gateway only remembers it: who tells a person of new messages has to look at it.",
                body: .object([
                    "muted": .flag(), "mutedUntil?": .milliseconds("When it ends by itself; without it, it does not"),
                ]),
                answers: [.fresh(.item(.named("Conversation")))],
                failures: [400: "`muted` is missing, or `mutedUntil` has passed", 404: gone]
            ).ours,
            OpenAPIOperation(
                "GET P/messages/{messageId}/details", id: "messageDetails", .messages,
                "How one message came or went, and who has reacted to it", answers: [.item("MessageReport")],
                failures: [404: "No such source, or no such message in it"]
            ).ours,
        ]
    }

    private static let gone = "No such source, no such conversation in it, or the message is gone or in another one"
}

extension Schemas {
    static var conversations: [Named] { [("Conversation", conversation), ("MessageReport", report)] }

    private static var conversation: JSONSchema {
        .object([
            "id": .conversationID(), "type": .word(["channel", "direct", "mqtt"]),
            "channel": .integer("A slot, or a channel of the channel database; -1: direct messages, or over a broker"),
            "nodeId": .text("The other node of direct messages").orNull,
            "name": .text(
                "Of the channel, or of the node (its nickname, if it has one); a node's id for a token that may not see "
                    + "the node; the title of one over a broker"),
            "shortName": .text("Of the node; null: there is none, or it is a node that the token may not see").orNull,
            "isPublic": .flag(
                "Everybody can read this channel: it has no key, or the one that all know; null: no channel of now"
            ).orNull,
            "lastMessage": .any(of: [.named("Message"), .null]),
            "lastSender": .text(
                "The name of who has sent it (`writer` over a broker); null: an own one, or a node that the token may not see"
            ).orNull,
            "unreadCount": .integer("Among its newest 100 messages", in: 0...100),
            "muted": .flag("For this token, now"),
            "mutedUntil": .milliseconds("When it ends; null: for good, or it is not muted").orNull,
            "canSend": .flag("A text of this token would be accepted now"),
            "cannotSend": .any(of: [
                .object(
                    "Why not",
                    [
                        "code": .word([
                            "INSUFFICIENT_SCOPE", "READ_ONLY", "CHANNEL_NOT_IN_USE", "NOT_CONNECTED", "TX_DISABLED",
                            "KEY_MISMATCH", "TOO_MANY_WAIT",
                        ]), "message": .text("For people"), "required?": .named("Required"),
                    ]), .null,
            ]),
            "sourceId": .uuid(), "connection?": .named("BrokerConnection"),
        ])
    }

    private static var report: JSONSchema {
        .object([
            "message": .named("MessageDetails"), "conversation": .conversationID(),
            "attempts": .list(
                of: .object([
                    "packetId": .packetID("Under which it went out"),
                    "timestamp": .milliseconds("Accepted for sending"),
                ]), "Of a sent message, the first one first"),
            "receipts": .list(
                of: .object([
                    "type": .word(["confirmed", "relayed"], "Acknowledged by the recipient, or heard repeated"),
                    "nodeId": .nodeID("Who acknowledged it").orNull,
                    "timestamp": .milliseconds("When").orNull, "proof": Schemas.ackProof.orNull,
                ]), "Of a sent message"),
            "hops": way("Of a sent message: of its acknowledgement"),
            "receptions": .list(
                of: .object([
                    "sourceId": .uuid(), "sourceName": .text(), "messageId": .text("The row's `id` there"),
                    "timestamp": .milliseconds("Received"), "hops": way(""),
                ]), "As each radio has heard it"),
            "reactions": .list(
                of: .object([
                    "messageId": .text("The `id` of the reaction"), "emoji": .text(), "fromNodeId": .nodeID(),
                    "fromNodeNum": .nodeNumber(),
                    "name": .text("Of the node; null for a token that may not see it").orNull, "isOwn": .flag(),
                    "timestamp": .milliseconds("Received or sent"),
                ]), "Oldest first, 500 at most"),
        ])
    }

    private static func way(_ about: String) -> JSONSchema {
        .object(
            about,
            [
                "start": .integer("Hops that it was allowed").orNull, "limit": .integer("Hops that were left").orNull,
                "taken": .integer("Hops that it took").orNull,
                "relayNode": .integer("The last byte of the node number of the relay").orNull,
                "viaMqtt": .flag().orNull, "rxSnr": .number("dB").orNull, "rxRssi": .number("dBm").orNull,
            ])
    }
}

extension JSONSchema {
    static func conversationID() -> JSONSchema {
        .text(
            "`channel:` and its number, `direct:` and a node's id, or `mqtt:` and the name of one over a broker",
            pattern: "^(channel:(0|[1-9][0-9]{0,9})|direct:![0-9a-f]{8}|mqtt:[a-z0-9-]{1,32})$")
    }

    static let null = JSONSchema.constant(.null)
}
