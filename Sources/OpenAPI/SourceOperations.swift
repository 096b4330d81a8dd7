import RestAPI

// What MeshMonitor tells of its sources outside v1, and what passes from one source to another.

extension Operations {
    static var sources: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/connection", id: "connection", .server, "The state of the radio's link", query: [.sourceID],
                answers: [
                    .ok(
                        .object([
                            "connected": .flag(), "nodeResponsive": .flag(), "configuring": .flag(),
                            "userDisconnected": .constant(false),
                        ]))
                ], failures: [404: "No such source"], failureShape: .session),
            OpenAPIOperation(
                "GET /api/server-info", id: "serverInfo", .server, "The server's time zone",
                answers: [.ok(.object(["timezone": .text(), "timezoneProvided": .flag("Whether it comes from `TZ`")]))]),
            OpenAPIOperation(
                "GET /api/version/check", id: "versionCheck", .server, "Whether there is a newer version",
                details: "This server does not look for one: `updateAvailable` is always false.",
                answers: [
                    .ok(
                        .object([
                            "updateAvailable": .constant(false), "currentVersion": .text("The server's"),
                            "error": .text("For people"), "deploymentMethod": .constant("manual"),
                        ]))
                ]),
            OpenAPIOperation(
                "GET /api/automations", id: "automations", .server, "Rules that act by themselves: none here",
                answers: [.ok(.list(of: .object([:])))]),
            OpenAPIOperation(
                "GET /api/sources", id: "allSources", .sources, "All sources, oldest first, as a bare list",
                answers: [.ok(.list(of: .named("AnySource")))]),
            OpenAPIOperation(
                "GET /api/sources/{id}", id: "sourceItem", .sources, "One source",
                details: "404 also for a token that sees no sources in the list.",
                answers: [.ok(.named("OneSource"))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/sources/{id}/status", id: "sourceStatus", .sources, "A source in short",
                answers: [
                    .ok(
                        .object([
                            "sourceId": .uuid(), "sourceName": .text(), "sourceType": .constant("meshtastic_tcp"),
                            "connected": .flag(), "nodeNum": .nodeNumber("The radio's own node").orNull,
                            "nodeId": .nodeID().orNull, "nodeCount": .count("Nodes that the token may see"),
                            "activeNodeCount": .count("Of these, heard in the last seven days"),
                        ]))
                ], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/sources/{id}/messages", id: "messagesOfSource", .messages,
                "Messages as a bare list, newest first",
                query: [.limit(100, cap: 500), .offset], answers: [.ok(.list(of: .named("Message")))],
                failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/sources/{id}/channels", id: "channelsOfSource", .channels, "Channels as a bare list",
                answers: [.ok(.list(of: .named("Channel")))], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET P/nodes/enrichment/analysis", id: "analyseEnrichment", .nodes,
                "What sources could copy from each other about nodes", answers: [.item("Enrichment")]),
            OpenAPIOperation(
                "POST P/nodes/enrichment/apply", id: "applyEnrichment", .nodes,
                "Fills gaps in what sources know about nodes",
                details: "Needs nodes:write, too. A source keeps what it already knows.",
                body: .object(["items": JSONSchema.list(of: .named("EnrichmentItem")).with("minItems", 1)]),
                answers: [
                    .fresh(
                        .item(
                            .object([
                                "applied": .list(
                                    of: .object([
                                        "nodeNum": .nodeNumber(), "targetSourceId": .text(), "donorSourceId": .text(),
                                        "copiedFields": .list(of: nodeField),
                                    ])), "totalFieldsCopied": .count("Fields"),
                            ])))
                ], failureShape: .coded
            ).needing(["nodes:write": "Always"]),
            OpenAPIOperation(
                "GET P/nodes/{nodeNum}/copy-candidates", id: "copyCandidates", .nodes,
                "The other sources that know a node",
                answers: [.ok(.item(.list(of: .named("CopyCandidate"))))]),
            OpenAPIOperation(
                "POST P/nodes/{nodeNum}/copy-nodeinfo", id: "copyNodeInfo", .nodes,
                "Copies what one source knows about a node to another",
                details: "Needs nodes:write, too. Only the database is changed, no radio.",
                body: .object([
                    "fromSourceId": .text(), "toSourceId": .text(), "fields?": .list(of: nodeField, "Default: all"),
                ]),
                answers: [
                    .fresh(
                        .item(.object(["copiedFields": .list(of: nodeField), "pushedToDevice": .constant(false)])))
                ], failures: [404: "No such source, or it does not know the node"]
            ).needing(["nodes:write": "Always"]),
        ]
    }

    static var nodeField: JSONSchema { .word(NodeField.allCases.map(\.rawValue)) }
}

extension Schemas {
    private static var attachment: JSONSchema {
        .object("Where the radio is, which is not told", ["host": .constant(.null), "port": .constant(.null)])
    }

    static var sources: [Named] {
        [
            (
                "AnySource",
                .object([
                    "id": .uuid("Never changes"), "name": .text(), "type": .constant("meshtastic_tcp"),
                    "enabled": .flag("Whether a radio belongs to it; else it is history"),
                    "createdAt": .milliseconds("First seen"), "updatedAt": .milliseconds("The same"),
                    "config": attachment,
                    "radio": JSONSchema.object([
                        "frequencyMhz": .number("Not known here").orNull,
                        "regionName": .text("Meshtastic's RegionCode").orNull,
                        "modemPreset": .integer("Meshtastic's Config.LoRaConfig.ModemPreset"), "txEnabled": .flag(),
                        "udpRelayEnabled": .flag("Whether the radio sends over the network, too"),
                        "canTransmit": .flag("By one of the two"),
                    ]).orNull,
                ])
            ),
            (
                "OneSource",
                .object([
                    "id": .uuid("Never changes"), "name": .text(), "type": .constant("meshtastic_tcp"),
                    "config": attachment, "enabled": .flag(), "displayOrder": .count("Its place in the list"),
                    "createdAt": .milliseconds("First seen"), "updatedAt": .milliseconds("The same"),
                    "createdBy": .constant(.null),
                ])
            ),
            (
                "Enrichment",
                .object([
                    "nodes": .list(
                        of: .object([
                            "nodeNum": .nodeNumber(), "nodeId": .nodeID(), "displayName": .text(),
                            "targets": .list(
                                of: .object([
                                    "targetSourceId": .uuid("The source that lacks them"), "targetSourceName": .text(),
                                    "fillableFields": .list(of: Operations.nodeField),
                                    "donorSourceId": .uuid("The source that has them"),
                                    "donorSourceName": .text(),
                                ])),
                        ])),
                    "summary": .object([
                        "nodeCount": .count("Nodes"), "targetCount": .count("Gaps by node and source"),
                        "fieldCount": .count("Gaps by field"),
                    ]),
                ])
            ),
            (
                "EnrichmentItem",
                .object([
                    "nodeNum": .nodeNumber(), "targetSourceId": .text("The source that gets them"),
                    "donorSourceId": .text("The source that has them"),
                    "fields?": .list(of: Operations.nodeField, "Default: all"),
                ])
            ),
            (
                "CopyCandidate",
                .object([
                    "sourceId": .uuid(), "sourceName": .text(), "sourceType": .constant("meshtastic_tcp"),
                    "node": .named("Node"), "fieldsFilled": .count("Fields that it knows"),
                    "totalFields": .constant(.integer(Int64(NodeField.allCases.count))),
                ])
            ),
        ]
    }
}
