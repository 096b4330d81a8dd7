extension Operations {
    static var telemetry: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/telemetry", id: "telemetry", .telemetry, "Measured values, newest first",
                details:
                    "One row for each value. `total` is there only with `nodeId`. Without `nodeId` an empty page is the last "
                    + "one, and rows are in the order of storing: what the radio had heard before has an earlier "
                    + "`timestamp`.",
                query: [Parameter("nodeId", .text(), "Only of this node")] + filters,
                answers: [.ok(.page(of: "Telemetry", isTotalOptional: true))]),
            OpenAPIOperation(
                "GET P/telemetry/count", id: "telemetryCount", .telemetry, "How many values all sources have",
                answers: [.ok(.object(["success": .constant(true), "count": .count("Values")]))]),
            OpenAPIOperation(
                "GET P/telemetry/{nodeId}", id: "telemetryOfNode", .telemetry, "One node's values, newest first",
                details: "An unknown node has an empty page.", query: filters,
                answers: [.ok(.page(of: "Telemetry"))]),
            OpenAPIOperation(
                "GET P/nodes/{nodeId}/position-history", id: "positionHistory", .nodes, "Where a node has been",
                details:
                    "A page has the newest `limit` positions, oldest first; `offset` skips so many of the newest.",
                query: [.since, before, .limit(1000, cap: 10_000), .offset], answers: [.ok(.page(of: "PastPosition"))]),
            OpenAPIOperation(
                "GET /api/telemetry/{nodeId}", id: "telemetryMeans", .telemetry, "Means of each series, for charts",
                details:
                    "Newest first. A value stands for three minutes, with more than a day for a quarter of an hour, with "
                    + "more than a week for an hour.",
                query: [.requiredSourceID, hours], answers: [.ok(.list(of: .named("TelemetryMean")))],
                failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/telemetry/{nodeId}/linkquality", id: "linkQuality", .telemetry, "Quality of a node's link",
                details: "From 0 to 10, each time that it changes, oldest first. With more than a week, it is a week.",
                query: [.requiredSourceID, hours],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true),
                            "data": .list(of: .object(["timestamp": .milliseconds("When"), "quality": .number()])),
                        ]))
                ], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/telemetry/available/nodes", id: "nodesWithTelemetry", .telemetry,
                "Which nodes have telemetry, weather, or a key", query: [.sourceID],
                answers: [
                    .ok(
                        .object([
                            "nodes": .list(of: .nodeID()), "weather": .list(of: .nodeID()),
                            "estimatedPosition": .list(of: .nodeID()), "pkc": .list(of: .nodeID()),
                        ]))
                ], failures: [404: "No such source"]),
            OpenAPIOperation(
                "GET /api/v1/solar", id: "solar", .telemetry, "Forecasts of sunshine: none here",
                query: [.limit(100, cap: 1000)], answers: [.rows("SolarEstimate")]),
            OpenAPIOperation(
                "GET /api/v1/solar/range", id: "solarRange", .telemetry, "Forecasts between two times: none here",
                query: [
                    Parameter("start", .integer(), "Seconds since 1970", isRequired: true),
                    Parameter("end", .integer(), "Seconds since 1970, after `start`", isRequired: true),
                ],
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "count": .count("Rows in `data`"),
                            "start": .seconds("As requested"),
                            "end": .seconds("As requested"), "data": .list(of: .named("SolarEstimate")),
                        ]))
                ], failures: [400: "Not two numbers, or in the wrong order"]),
            OpenAPIOperation(
                "GET /api/analysis/solar-nodes", id: "solarNodes", .telemetry, "Nodes that run on sunshine",
                details: "This server does not look for them: the lists are empty.", query: [lookbackDays],
                answers: [
                    .ok(
                        .object([
                            "lookback_days": .integer("As requested", in: 1...90),
                            "total_nodes_analyzed": .constant(0), "solar_nodes_count": .constant(0),
                            "solar_nodes": .list(of: .object([:])), "solar_production": .list(of: .object([:])),
                            "avg_charging_hours_per_day": .constant(.null),
                            "avg_discharge_hours_per_day": .constant(.null),
                        ]))
                ]),
            OpenAPIOperation(
                "GET /api/analysis/solar-forecast", id: "solarForecast", .telemetry,
                "For how long the batteries of such nodes will last: unknown here", query: [lookbackDays],
                answers: [
                    .ok(
                        .object([
                            "lookback_days": .integer("As requested", in: 1...90),
                            "historical_days_analyzed": .constant(0), "avg_historical_daily_wh": .constant(0),
                            "low_output_warning": .constant(false), "forecast_days": .list(of: .object([:])),
                            "nodes_at_risk_count": .constant(0), "nodes_at_risk": .list(of: .object([:])),
                            "solar_simulations": .list(of: .object([:])),
                        ]))
                ]),
            OpenAPIOperation(
                "GET /api/v1/metrics", id: "metrics", .server, "Gauges for Prometheus",
                details: "Any token: the server's version, and the sources, nodes, messages, packets that it may read.",
                query: [
                    Parameter(
                        "window", .integer().with("default", 86_400),
                        "Seconds within which a node must have been heard, 60 to 604800")
                ],
                answers: [Answer(200, "Prometheus text format 0.0.4", .text(), type: "text/plain", isTagged: false)]),
        ]
    }

    private static var filters: [Parameter] {
        [
            Parameter("type", .text(), "Only this `telemetryType`"), .since, before, .limit(1000, cap: 10_000), .offset,
        ]
    }

    private static var before: Parameter {
        Parameter("before", .integer(), "Only older ones; milliseconds or seconds since 1970, recognised by size")
    }

    private static var lookbackDays: Parameter {
        Parameter("lookback_days", .integer().with("default", 7), "How far back, 1 to 90 days")
    }

    private static var hours: Parameter {
        Parameter("hours", .integer().with("default", 24), "How far back")
    }
}

extension Schemas {
    static var telemetry: [Named] {
        [
            (
                "Telemetry",
                .object([
                    "id": .integer(), "nodeId": .nodeID(), "nodeNum": .nodeNumber(),
                    "telemetryType": .text(
                        "What was measured, such as `batteryLevel` or `temperature`, or worked out here: `messageHops`, "
                            + "`linkQuality`, `snr_local`, `snr_remote`, `rssi`, `systemNodeCount`, "
                            + "`systemDirectNodeCount`, `timeOffset`"),
                    "timestamp": .milliseconds("Received"), "value": .number("In `unit`"), "unit": .text().orNull,
                    "createdAt": .milliseconds("Stored"),
                    "packetTimestamp": .milliseconds("By the sender's clock").orNull,
                    "packetId": .packetID().orNull, "channel": .integer("Slot").orNull,
                    "precisionBits": .integer("Of a position").orNull, "gpsAccuracy": .number("Metres").orNull,
                    "rxSnr": .number("dB").orNull, "hopStart": .integer().orNull, "hopLimit": .integer().orNull,
                    "sourceId": .uuid(),
                ])
            ),
            (
                "TelemetryMean",
                .object([
                    "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "telemetryType": .text(),
                    "timestamp": .milliseconds("Begin of the interval"), "value": .number("In `unit`"),
                    "unit": .text().orNull,
                    "createdAt": .milliseconds("Begin of the interval"), "sourceId": .uuid(),
                ])
            ),
            (
                "PastPosition",
                .object([
                    "timestamp": .milliseconds("Received"), "latitude": .number("Degrees"),
                    "longitude": .number("Degrees"),
                    "altitude?": .integer("Metres"), "groundSpeed?": .number("km/h"),
                    "groundTrack?": .number("Degrees"),
                    "snr?": .number("dB"), "hopStart?": .integer(), "hopLimit?": .integer(),
                    "packetId": .packetID().orNull,
                ])
            ),
            (
                "SolarEstimate",
                .object([
                    "timestamp": .seconds("The time it is for"), "datetime": .text("The same, ISO 8601"),
                    "wattHours": .number(),
                    "fetchedAt": .seconds("When it was forecast"),
                ])
            ),
        ]
    }
}
