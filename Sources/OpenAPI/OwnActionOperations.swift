import RestAPI

extension Operations {
    static var ownActions: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "POST P/actions/request-telemetry", id: "requestTelemetry", .actions,
                "Asks a node for telemetry of a kind",
                details:
                    "The answer comes when the request is stored; what the node answers shows in its telemetry. Nodes do "
                    + "not answer for sensors that they do not have.",
                body: .object([
                    "destination": requestDestination, "channel?": requestChannel,
                    "kind?": .word(RestAPI.telemetryKinds.map(\.word), "Without it `device`: battery and airtime"),
                ]), answers: [.fresh(.item(sent))], failures: failures, failureShape: .brief
            ).ours,
            OpenAPIOperation(
                "POST P/actions/send-position", id: "sendPosition", .actions, "Sends the radio's own position",
                details: "As exactly as the channel shares positions. The answer comes when it is stored.",
                body: .object([
                    "destination?": .any(of: [requestDestination]).with("description", "Without it everybody"),
                    "channel?": requestChannel,
                ]), answers: [.fresh(.item(sent))],
                failures: [
                    409:
                        "The radio has told no position or the channel shares none (`NO_POSITION`), or its transmitter "
                        + "is switched off (`TX_DISABLED`)",
                    429: "Too many requests, or too many of this kind",
                    503: "No radio is connected",
                ], failureShape: .brief
            ).ours,
            OpenAPIOperation(
                "POST P/actions/alert", id: "sendAlert", .actions, "Sends an alert to a channel or to a node",
                details:
                    "A text that rings at its receivers (port 11), in one packet of 200 bytes. It is a message like any "
                    + "other, and needs the same scopes: on a channel `channel_N:write`, to a node `messages:write`, too.",
                body: JSONSchema.object([
                    "text": .text(), "channel?": .channelIndex(), "toNodeId?": .recipient(),
                    "replyId?": .packetID("The `requestId` of the message that it answers"),
                    "queue?": .anything("As in `POST messages`"), "expiresIn?": .anything("As in `POST messages`"),
                ]).withOne(of: ["channel", "toNodeId"], only: true),
                answers: [Answer(201, "Accepted", .item(.named("SentMessage")))],
                failures: [
                    400: "No text, not one destination, or more than one packet",
                    409: "The recipient's key is in doubt, or the radio's transmitter is switched off",
                    422: "The `Idempotency-Key` was used for another text", 503: "No radio is connected",
                ]
            ).needing([
                "channel_N:write": "On channel N (`channel`)", "messages:write": "To one node (`toNodeId`)",
            ]).ours.once,
        ]
    }

    private static var sent: JSONSchema {
        .object([
            "destination": .nodeID(), "channel": .channelIndex("Channel index on which it is sent"),
            "message": .text("For people"),
        ])
    }

    private static var failures: KeyValuePairs<Int, String> {
        [
            409: "The radio's transmitter is switched off (`TX_DISABLED`)",
            429: "Too many requests, or too many of this kind", 503: "No radio is connected",
        ]
    }
}
