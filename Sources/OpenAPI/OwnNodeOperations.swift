import Gateway

extension Operations {
    static var ownNodes: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "PATCH P/nodes/{nodeId}", id: "noteNode", .nodes, "Gives a node a nickname, and notes",
                details:
                    "They stay here, and are sent to nobody; null takes them away. Needs `channel_N:viewOnMap` of the "
                    + "channel on which the node was heard, too.",
                body: .object([
                    "nickname?": JSONSchema.text("At most \(NodeNotes.longestNickname) bytes, one line").orNull,
                    "notes?": JSONSchema.text("At most \(NodeNotes.longestNotes) bytes").orNull,
                ]),
                answers: [
                    .fresh(
                        .item(
                            .object([
                                "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "nickname": .text().orNull,
                                "notes": .text().orNull,
                            ])))
                ], failures: [404: "No such source, or no such node in it"]
            ).ours,
            OpenAPIOperation(
                "GET P/nodes/{nodeId}/key", id: "nodeKey", .nodes, "A node's key, and whether it is in doubt",
                details: "Needs `channel_N:viewOnMap` of the channel on which the node was heard, too.",
                answers: [.item("NodeKey")], failures: [404: "No such source, or no such node in it"]
            ).ours,
            OpenAPIOperation(
                "GET P/nodes/{nodeId}/details", id: "nodeDetails", .nodes,
                "What a node does not send, and whether the radio has it as a favourite",
                details:
                    "A week without telemetry or a position counts for a node that was known before it and heard in it. "
                    + "Firmware 2.8 sends neither unless it is told to. Needs `channel_N:viewOnMap` of the channel on "
                    + "which the node was heard, too.",
                answers: [.item("NodeDetails")], failures: [404: "No such source, or no such node in it"]
            ).ours,
            OpenAPIOperation(
                "POST P/nodes/{nodeId}/key", id: "decideKey", .nodes, "Decides which key of a node counts",
                details:
                    "After both were compared with their owner: `accept` takes the other key from now on and gives it to "
                    + "the radio, `verify` keeps the known one as compared in person. What waited for the decision goes "
                    + "out at once, or is refused when it has waited for too long. Needs a token with everything.",
                body: .object([
                    "decision": .word(["accept", "verify"]),
                    "key": .text("The other key that is meant, as `otherKey` has it"),
                ]),
                answers: [
                    .fresh(
                        .item(
                            .object([
                                "key": .named("NodeKey"),
                                "messagesSent": .count("Texts that waited and go out now"),
                                "messagesRefused": .count("Texts that had waited for too long"),
                            ])))
                ],
                failures: [
                    404: "No such source, or no such node in it",
                    409: "Nothing is in doubt (`KEY_NOT_IN_DOUBT`), or another key was seen since (`KEY_CHANGED`)",
                ]
            ).ours,
        ]
    }
}

extension Schemas {
    static var ownNodes: [Named] {
        [
            (
                "NodeDetails",
                .object([
                    "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "longName": .text(), "shortName": .text(),
                    "favoriteMissingSince": .milliseconds(
                        "Since when the radio's list shows that it does not have this favourite: its list may be full"
                    ).orNull,
                    "sendsNoTelemetry": .flag(
                        "It was heard in the last week, and sent no telemetry; null for a token that may not see all channels"
                    ).orNull,
                    "sendsNoPosition": .flag("Likewise no position").orNull, "sourceId": .uuid(),
                ])
            ),
            (
                "NodeKey",
                .object([
                    "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "longName": .text(), "shortName": .text(),
                    "state": .word(
                        ["changed", "duplicate", "weak", "failed", "moved", "verified", "none", "known"],
                        "In one word, the worst first"),
                    "publicKey": .text("32 bytes in base64").orNull, "keyWords": keyWords,
                    "contactUrl": .text("A link with which others get this node as a contact").orNull,
                    "isVerified": .flag("It was compared in person"),
                    "isInDoubt": .flag("Messages to it wait for a person's decision, or are refused"),
                    "otherKey": .text("Another key that was seen for it, in base64").orNull, "otherKeyWords": keyWords,
                    "doubtedSince": .milliseconds("When the doubt began").orNull,
                    "successor": .nodeID("The node with the same key that is heard now").orNull,
                    "predecessor": .nodeID("The node that had the same key before").orNull,
                    "sameKeySince": .milliseconds("When that was seen").orNull,
                    "isDuplicate": .flag("Both are heard"),
                    "lastPKIPacket": .milliseconds("Last packet that was encrypted with its key").orNull,
                    "details": .text("What there is to say, for people").orNull,
                    "advice": .text("What to do, for people").orNull,
                    "history": .list(
                        of: .object([
                            "timestamp": .milliseconds("When"),
                            "event": .text(
                                "Such as `key-changed`; `key-announced`: another key came after the known one was kept"
                            ).orNull,
                            "text": .text("For people").orNull,
                            "by": .text("Who decided; without `configuration:read` a name of the own token only")
                                .orNull,
                        ]), "What has come to light about the key and was decided about it, newest first"),
                    "sourceId": .uuid(),
                ])
            ),
        ]
    }
}
