extension Operations {
    static var network: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/network", id: "network", .network, "The mesh in numbers",
                answers: [
                    .ok(
                        .item(
                            .object([
                                "totalNodes": .count("Nodes that the token may see"),
                                "activeNodes": .count("Of these, heard in the last seven days"),
                                "tracerouteCount": .integer(
                                    "Traced routes, at most 100; 0 without `traceroute:read`", in: 0...100),
                                "lastUpdated": .milliseconds("Now; the ETag does not cover it"),
                            ])))
                ]),
            OpenAPIOperation(
                "GET P/network/topology", id: "topology", .network, "Nodes, and traced routes as edges between them",
                answers: [.item("Topology")]),
            OpenAPIOperation(
                "GET P/network/direct-neighbors", id: "directNeighbors", .network, "Nodes that were heard directly",
                details: """
                    `data` has a member for each node, named by its number. Routing and administration for the own node \
                    do not count.
                    """,
                query: [
                    Parameter("hours", .integer().with("default", 24), "How far back, as far as the packet log reaches")
                ],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true),
                            "data": .dictionary(
                                of: .object([
                                    "avgRssi": .number("dBm"), "packetCount": .count("Packets"),
                                    "lastHeard": .milliseconds("Last packet"),
                                ])), "count": .count("Members of `data`"),
                        ]))
                ]),
            OpenAPIOperation(
                "GET /api/sources/{id}/neighbor-info", id: "neighborsOfSource", .network,
                "Which nodes hear each other",
                details: "One row for each pair of nodes, the newest report's, of the last 24 hours.",
                answers: [.ok(.list(of: .named("NeighborPair")))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/neighbor-info", id: "neighbors", .network, "Which nodes report hearing which",
                query: [.sourceID],
                answers: [.ok(.list(of: .named("Neighbor")))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/neighbor-info/{nodeNum}", id: "neighborsOfNode", .network,
                "Which nodes one node reports hearing",
                query: [.requiredSourceID], answers: [.ok(.list(of: .named("Neighbor")))],
                failures: [404: "No such source"]),
        ]
    }
}

extension Schemas {
    static var network: [Named] {
        [
            (
                "Topology",
                .object([
                    "nodes": .list(
                        of: .object([
                            "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "longName": .text(), "shortName": .text(),
                            "role": .integer().orNull, "hopsAway": .integer().orNull,
                            "latitude?": .number("Degrees; left out unless the token may see positions").orNull,
                            "longitude?": .number("Degrees").orNull, "lastHeard": .seconds("Last packet").orNull,
                        ])),
                    "edges": .list(
                        of: .object([
                            "from": .nodeID(), "to": .nodeID(),
                            "route": .list(of: .nodeNumber(), "The hops between"),
                            "snr": .list(of: .integer(), "Quarters of a dB"),
                        ])),
                ])
            ),
            ("Neighbor", neighbor(isPair: false)), ("NeighborPair", neighbor(isPair: true)),
        ]
    }

    private static func neighbor(isPair: Bool) -> JSONSchema {
        let link: KeyValuePairs<String, JSONSchema> = [
            "id": .integer(), "nodeNum": .nodeNumber("The node that hears"),
            "neighborNodeNum": .nodeNumber("The node that is heard"),
            "snr": .number("dB").orNull, "lastRxTime": .seconds("When, by the node's clock").orNull,
            "timestamp": .milliseconds("Received"), "createdAt": .milliseconds("Stored"), "sourceId": .uuid(),
            "nodeId": .nodeID(), "nodeName": .text(), "neighborNodeId": .nodeID(), "neighborName": .text(),
            "bidirectional": .flag("Whether the other node reports it, too"),
        ]
        if isPair {
            return .object(
                link,
                followedBy: [
                    "reverseSnr": .number("dB, in the other node's report").orNull,
                    "reverseTimestamp": .milliseconds("When that was received").orNull,
                    "transportClass": .word(["rf", "udp", "mqtt"], "How the two nodes were heard last"),
                    "nodeLatitude": .number("Degrees").orNull, "nodeLongitude": .number("Degrees").orNull,
                    "neighborLatitude": .number("Degrees").orNull, "neighborLongitude": .number("Degrees").orNull,
                ])
        }
        return .object(
            link,
            followedBy: [
                "nodeLatitude": .number("Degrees").orNull, "nodeLongitude": .number("Degrees").orNull,
                "neighborLatitude": .number("Degrees").orNull, "neighborLongitude": .number("Degrees").orNull,
            ])
    }
}
