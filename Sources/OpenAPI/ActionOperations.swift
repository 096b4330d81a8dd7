extension Operations {
    static var actions: [OpenAPIOperation] {
        [
            action(
                "traceroute", id: "requestTraceroute", "Asks for the route to a node",
                details:
                    "It goes as many hops as the radio's packets do, or one more than the node is away, or seven where "
                    + "that is not known."),
            action("request-position", id: "requestPosition", "Asks a node for its position"),
            action("request-nodeinfo", id: "requestNodeInfo", "Asks a node for its NodeInfo, and exchanges keys"),
            action(
                "request-neighbors", id: "requestNeighbors", "Asks a node for its neighbours",
                details:
                    "Only the radio itself and nodes that were heard directly in the last day, and each once in three "
                    + "minutes."),
            meshRequest("/api/traceroute", id: "requestTracerouteOfFirst", "Asks for the route to a node"),
            meshRequest("/api/position/request", id: "requestPositionOfFirst", "Asks a node for its position"),
            meshRequest("/api/nodeinfo/request", id: "requestNodeInfoOfFirst", "Asks a node for its NodeInfo"),
            meshRequest("/api/neighborinfo/request", id: "requestNeighborsOfFirst", "Asks a node for its neighbours"),
            OpenAPIOperation(
                "POST /api/device/reboot", id: "rebootDevice", .actions, "Restarts the radio",
                details: "The answer comes when the order is on its way to the radio.",
                body: .object([
                    "seconds?": .integer("From now; 5 without", in: 0...86_400),
                    "sourceId?": .text("The source's id; without it the first enabled one is meant"),
                ]), answers: [.fresh(.object(["success": .constant(true), "message": .text("For a person")]))],
                failures: [404: "No such source", 503: "No radio is connected"]),
        ]
    }

    private static func action(
        _ name: String, id: String, _ summary: String, details: String = ""
    ) -> OpenAPIOperation {
        OpenAPIOperation(
            "POST P/actions/\(name)", id: id, .actions, summary,
            details: (details.isEmpty ? "" : details + " ")
                + "The answer comes when the request is stored; what the node "
                + "answers shows in its data.",
            body: .object(
                [
                    "destination": requestDestination,
                    "channel?": requestChannel,
                ]),
            answers: [
                .fresh(
                    .item(
                        .object([
                            "destination": .nodeID(), "channel": .channelIndex("Channel index on which it is sent"),
                            "message": .text("For people"),
                        ])))
            ],
            failures: [
                409: "The radio's transmitter is switched off (`TX_DISABLED`)",
                429: "Too many requests, or too many of this kind", 500: "No radio is connected, or the server failed",
            ], failureShape: .brief)
    }

    private static func meshRequest(_ path: String, id: String, _ summary: String) -> OpenAPIOperation {
        OpenAPIOperation(
            "POST \(path)", id: id, .actions, summary,
            body: .object([
                "destination": requestDestination, "channel?": requestChannel,
                "sourceId?": .text("The source's id; default: the first enabled one"),
            ]), answers: [.fresh(.object(["success": .constant(true), "message": .text("For people")]))],
            failures: [
                404: "No such source", 409: "The radio's transmitter is switched off (`TX_DISABLED`)",
                503: "No radio is connected",
            ])
    }

    /// Of any type: what is no channel counts as absent.
    static var requestChannel: JSONSchema {
        .anything(
            "A channel index, 0 to 7; anything else means the default: the channel on which the node was heard, and for a "
                + "traceroute the one that everybody has the key of")
    }

    static var requestDestination: JSONSchema {
        .any(of: [
            .integer("A node number", in: 1...4_294_967_295),
            .text("A node's id, or `0x` and the same digits", pattern: "^(!|0x)(?!0{8})[0-9a-f]{8}$"),
        ])
    }
}
