extension Operations {
    static var brokers: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/mqtt", id: "mqtt", .server, "The MQTT brokers of this gateway, by name",
                details: "How their connections are doing, what was published there, and what is wrong with a file.",
                answers: [.ok(list)]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/mqtt/{brokerName}/test", id: "testBroker", .server,
                "Connects to a broker, and shows what it allows and what would be published",
                details: "Beside the connection that is in use, and for up to 20 seconds.",
                answers: [
                    .fresh(
                        .object([
                            "schema": .constant("mqtt-test/1"), "via": .constant("daemon"), "name": .text(),
                            "address": .text(), "connected": .flag(), "reason": .text("Why not").orNull,
                            "version": .word(["5", "3.1.1"]).orNull,
                            "maximumPacketSize": .count("Bytes; null: any").orNull, "keepAlive": .count("Seconds"),
                            "retains": .flag("Whether it keeps messages").orNull,
                            "mayRead": .flag("Our topics").orNull, "mayPublish": .flag("There").orNull,
                            "devices": .list(
                                of: .object([
                                    "object": .text("Its level in topics"), "name": .text(),
                                    "entities": .count("It has"),
                                ])), "bytes": .count("Of all configurations"),
                        ]))
                ],
                failures: [
                    404: "No such broker in force", 409: "Another test is under way",
                    429: "Too many requests, or this broker was tried less than ten seconds ago",
                ], failureShape: .brief
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/mqtt/{brokerName}/refresh", id: "refreshBroker", .server,
                "Shows everything at a broker again",
                details: "Also what a person has deleted in Home Assistant.", answers: [.fresh(list)],
                failures: [404: "No such broker in force"]
            ).ours,
        ]
    }

    private static var list: JSONSchema {
        .object([
            "schema": .constant("mqtt/1"), "via": .constant("daemon"), "folder": .text("Null here").orNull,
            "missingLibrary": .text("Why no broker can be connected to").orNull,
            "brokers": .list(of: .named("Broker")), "mistakes": .list(of: .named("RuleMistake")),
        ])
    }
}

extension Schemas {
    static var brokers: [Named] {
        [
            (
                "Broker",
                .object([
                    "name": .text("That of its file"), "address": .text("Null: the file does not say").orNull,
                    "homeAssistant": .text("Which nodes it shows; null: none").orNull,
                    "state": .word(["waiting", "connecting", "live", "refused", "stopped", "broken"]),
                    "reason": .text("Why it is not live").orNull,
                    "awaySince": .text("ISO 8601, once that is ten minutes").orNull,
                    "version": .word(["5", "3.1.1"]).orNull,
                    "maySubscribe": .flag("Null: not known yet").orNull, "connections": .count("Since the start"),
                    "published": .count("Messages"), "publishedBytes": .count("Topics and payloads"),
                    "received": .count("Messages"),
                    "refused": .count("Messages that it did not take"), "refusal": .text("The last one").orNull,
                    "devices": .count("That Home Assistant has"),
                    "deleted": .list(of: .text("What a person has deleted there")),
                    "mistakes": .list(of: .named("RuleMistake")),
                ])
            )
        ]
    }
}
