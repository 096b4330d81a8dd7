extension Operations {
    static var traceroutes: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/traceroutes", id: "traceroutes", .traceroutes, "Traced routes, newest first",
                details: "A request without an answer yet has null routes.",
                query: [
                    .limit(100, cap: 10_000), Parameter("fromNodeId", .text(), "Only from this node"),
                    Parameter("toNodeId", .text(), "Only to this node"),
                ], answers: [.rows("Traceroute")]),
            OpenAPIOperation(
                "GET P/traceroutes/{fromNodeId}/{toNodeId}", id: "traceroute", .traceroutes,
                "The newest route from one node to another", answers: [.item("Traceroute")],
                failures: [404: "No such source, or no such route in it"]),
            OpenAPIOperation(
                "GET /api/traceroutes/recent", id: "recentTraceroutes", .traceroutes, "The routes of the last hours",
                query: [
                    Parameter("hours", .integer().with("default", 24), "How far back"), .limit(100, cap: 1000),
                    .sourceID,
                ], answers: [.ok(.list(of: .named("TracerouteWithHops")))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/traceroutes/history/{fromNum}/{toNum}", id: "tracerouteHistory", .traceroutes,
                "Routes between two nodes, in both directions",
                query: [
                    Parameter("limit", .integer(in: 1...1000).with("default", 50), "Rows at most"), .sourceID,
                ], answers: [.ok(.list(of: .named("TracerouteWithHops")))],
                failures: [400: "No node numbers, or a limit out of its range", 404: "No such source"]),
            OpenAPIOperation(
                "GET /api/sources/{id}/traceroutes", id: "traceroutesOfSource", .traceroutes, "Routes as a bare list",
                query: [.limit(100, cap: 1000)], answers: [.ok(.list(of: .named("Traceroute")))],
                failures: [404: "No such source"]),
        ]
    }
}

extension Schemas {
    static var traceroutes: [Named] {
        [
            ("Traceroute", traceroute()),
            ("TracerouteWithHops", traceroute(["hopCount": .integer("Hops there; 999 while unknown")])),
        ]
    }

    private static func traceroute(_ more: KeyValuePairs<String, JSONSchema> = [:]) -> JSONSchema {
        .object(
            [
                "id": .integer(), "fromNodeNum": .nodeNumber(), "toNodeNum": .nodeNumber(), "fromNodeId": .nodeID(),
                "toNodeId": .nodeID(),
                "route": .text(
                    "A JSON array of node numbers: the hops between; 4294967295 is one without a name, or one that the token "
                        + "may not see among nodes"
                ).orNull,
                "routeBack": .text("The same for the way back").orNull,
                "snrTowards": .text("A JSON array of quarters of a dB, one more than hops; -128 is unknown").orNull,
                "snrBack": .text("The same for the way back").orNull,
                "routePositions": .text(
                    "A JSON object: for each node's number its `lat`, `lng` and, where known, `alt` at that time; nodes "
                        + "without a known position are left out"
                ).orNull,
                "channel": .integer("The answer's slot").orNull, "packetId": .packetID().orNull,
                "timestamp": .milliseconds("Requested"),
                "createdAt": .milliseconds("Stored"), "sourceId": .uuid(),
            ], followedBy: more)
    }
}
