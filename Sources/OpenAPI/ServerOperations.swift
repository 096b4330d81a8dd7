import Gateway

extension Operations {
    static var server: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/health", id: "health", .server, "Whether the server runs",
                answers: [.fresh(.named("Health"))]),
            OpenAPIOperation(
                "GET /api/status", id: "serverStatus", .server, "The server, its radio and its database",
                details: "Needs no token, because clients use it before they have one.",
                answers: [.fresh(.named("ServerStatus"))]),
            OpenAPIOperation(
                "GET /api/v1", id: "index", .server, "An index of the routes", answers: [.ok(.named("Index"))]),
            OpenAPIOperation(
                "GET /api/v1/docs", id: "documentation", .server, "This documentation as a page",
                answers: [Answer(200, "The page", .text(), type: "text/html")]),
            OpenAPIOperation(
                "GET /api/v1/docs/openapi.json", id: "openapiJSON", .server, "This document",
                answers: [.ok(.object("OpenAPI 3.1", [:]))]),
            OpenAPIOperation(
                "GET /api/v1/docs/openapi.yaml", id: "openapiYAML", .server, "This document as YAML",
                answers: [Answer(200, "Success", .object("OpenAPI 3.1", [:]), type: "text/yaml")]),
            OpenAPIOperation(
                "GET /api/v1/sources", id: "sources", .sources, "The enabled sources, oldest first",
                details:
                    "A source is a radio and everything heard through it. Without a scope that reads nodes, messages "
                    + "or a channel the list is empty.",
                answers: [.rows("Source")]),
            OpenAPIOperation(
                "GET P/status", id: "status", .sources, "A source's own node and the state of its link",
                answers: [.item("SourceStatus")]),
        ]
    }
}

extension Schemas {
    static var server: [Named] {
        [
            (
                "Health",
                .object([
                    "status": .constant("ok"), "version": .text("The server's"),
                    "uptime": .integer("Milliseconds since the start"), "databaseType": .constant("sqlite"),
                    "firmwareOtaEnabled": .constant(false),
                ])
            ),
            (
                "ServerStatus",
                .object([
                    "status": .constant("ok"), "timestamp": .text("Now, ISO 8601"), "version": .text("The server's"),
                    "nodeEnv": .constant("production"),
                    "connection": .object([
                        "connected": .flag("Whether the radio is reachable"),
                        "localNode": JSONSchema.named("LocalNode").orNull,
                    ]),
                    "statistics": .object([
                        "nodes": .count("Of all sources"), "messages": .count("Of all sources"),
                        "channels": .count("Channels that are stored"),
                    ]),
                    "uptime": .number("Seconds since the start"), "server": .constant("mesh-gateway"),
                ])
            ),
            (
                "LocalNode",
                .object(
                    "The radio's own node",
                    ["nodeNum": .nodeNumber(), "nodeId": .nodeID(), "longName": .text(), "shortName": .text()])
            ),
            (
                "Index",
                .object([
                    "version": .constant("v1"), "description": .text(), "documentation": .text(),
                    "endpoints": .dictionary(of: .text("A path")), "note": .text(),
                ])
            ),
            (
                "Source",
                .object([
                    "id": .uuid("Never changes"), "name": .text(), "type": .constant("meshtastic_tcp"),
                    "enabled": .constant(true), "isPrimary": .flag("The one that `default` means"),
                ])
            ),
            (
                "SourceStatus",
                .object([
                    "localNodeNum": .nodeNumber("The radio's own node").orNull, "localNodeId": .nodeID().orNull,
                    "longName": .text().orNull, "shortName": .text().orNull,
                    "connected": .flag("Whether the radio is connected"),
                    "nodeResponsive": .flag("Whether the radio has identified itself since it was connected"),
                    "link": linkState,
                    "storage": .object([
                        "state": .text("`ok`, or `failing` while nothing can be stored"),
                        "since": .milliseconds("Since when").orNull,
                        "problem": .text("`disk-failing`").orNull, "advice": .text("What to do").orNull,
                    ]),
                ])
            ),
        ]
    }

    static var linkState: JSONSchema {
        .object([
            "state": .text("The state of the link"), "since": .milliseconds("Since when"),
            "problem": .text("What is wrong with the link or the radio").orNull, "advice": .text("What to do").orNull,
            "restarting": .flag("The radio restarts as it was told, and has been away for less than a minute"),
        ])
    }

    static var setupSteps: JSONSchema {
        .list(
            of: .word(
                SetupStep.allCases.map(\.rawValue),
                "What a radio fresh from the shop still needs, as far as it is there: a region, a name of its own"))
    }
}
