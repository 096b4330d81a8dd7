import Routes

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
                                    "events": .list(of: .text("What of it Home Assistant hears, an entity's id")),
                                    "commands": .list(of: .text("What of it Home Assistant may do, likewise")),
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
            OpenAPIOperation(
                "GET /api/v1/mqtt/conversations", id: "brokerConversations", .server,
                "The conversations over brokers, by name",
                details:
                    "What is said in them is found among the other conversations, as `mqtt:` and the name: `conversations`, "
                    + "`messages` and `events`.",
                answers: [.rows("BrokerConversation")]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/mqtt/conversations", id: "makeBrokerConversation", .server, "Makes one",
                body: .object([
                    "name": name, "title?": title, "broker": broker, "filters": filters, "topic?": topic, "qos?": qos,
                    "json?": json, "from?": from,
                ]), answers: [Answer(201, "Made", .item(.named("BrokerConversation")))],
                failures: [
                    400: "A member that cannot be, which `message` names",
                    409: "There is one of this name, or there are 32 already",
                ]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/mqtt/conversations/{conversationName}", id: "brokerConversation", .server, "One of them",
                answers: [.item("BrokerConversation")], failures: [404: gone]
            ).ours,
            OpenAPIOperation(
                "PATCH /api/v1/mqtt/conversations/{conversationName}", id: "changeBrokerConversation", .server,
                "Changes one",
                details:
                    "What is not given stays. What it reads at the broker changes at once. To set a bridge, or to change what has "
                    + "one, takes the right to read the channel if texts go up, and to write there if they go down.",
                body: .object([
                    "title?": title, "broker?": broker, "filters?": filters, "topic?": topic, "qos?": qos,
                    "json?": json, "from?": from, "bridge?": bridge,
                ]), answers: [.fresh(.item(.named("BrokerConversation")))],
                failures: [
                    400: "A member that cannot be, which `message` names", 404: gone,
                    409: "It is bridged to another channel, or the channel to another conversation",
                ]
            ).ours,
            OpenAPIOperation(
                "DELETE /api/v1/mqtt/conversations/{conversationName}", id: "removeBrokerConversation", .server,
                "Removes one with all that was said there",
                details: "Its name is free at once. What waited is not sent.",
                answers: [.fresh(.item(.object(["name": .text(), "deleted": .constant(true)])))],
                failures: [404: gone]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/mqtt/conversations/{conversationName}/key", id: "makeBrokerConversationKey", .server,
                "Makes a key for one, which is sealed from then on",
                details: "No answer has the key: `mesh-gateway conversation key` shows it on the gateway's computer.",
                answers: [Answer(201, "Made", .item(.named("BrokerConversation")))],
                failures: [400: "A body that has members", 404: gone, 409: "It has a key already"]
            ).ours,
            OpenAPIOperation(
                "DELETE /api/v1/mqtt/conversations/{conversationName}/key", id: "forgetBrokerConversationKey", .server,
                "Forgets the key of one, whose texts go out in clear from then on",
                details: "What the others write is no longer read, and what waits has failed.",
                answers: [.fresh(.item(.named("BrokerConversation")))],
                failures: [
                    404: "No such conversation, or it has no key", 409: "It has a bridge, which needs `json` or a key",
                ]
            ).ours,
        ]
    }

    private static let gone = "No such conversation"

    // MARK: what one is made of

    private static var name: JSONSchema { .text("For good", pattern: "^[a-z0-9-]{1,32}$") }
    private static var title: JSONSchema { .text("1 to 64 characters; without it the name") }
    private static var broker: JSONSchema { .text("The `name` of a broker in force") }
    private static var filters: JSONSchema {
        .list(of: .text("At most 256 bytes"), "1 to 16 topic filters, with `+` and `#` as MQTT has them")
    }
    private static var topic: JSONSchema {
        JSONSchema.text("What texts are published to; null: the first filter without wildcards").orNull
    }
    private static var qos: JSONSchema { .integer("1 without it; with 0 a text may get lost", in: 0...1) }
    private static var json: JSONSchema { .flag("Texts go out as JSON with their id and writer") }
    private static var from: JSONSchema { .text("What others read as the writer: 1 to 64 characters") }

    private static var bridge: JSONSchema {
        JSONSchema.object([
            "channel": .integer("", in: 0...7), "source?": .text("UUID of a radio's source; without it the usual one"),
            "up?": .flag("What is said on the channel is published; true without it"),
            "down?": .flag("What is said here is sent on the channel; true without it"),
            "textsPerHour?": .integer("That go down; 20 without it", in: 1...60),
        ]).orNull
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
    private static var conversation: JSONSchema {
        .object([
            "name": .text("For good"), "title": .text(), "broker": .text("The `name` of its broker"),
            "filters": .list(of: .text("A topic filter")),
            "topic": .text("What texts are published to; null: nobody can write there").orNull,
            "canSend": .flag("There is such a topic"), "qos": .integer("", in: 0...1),
            "json": .flag("Texts go out as JSON with their id and writer"),
            "from": .text("What others read as the writer"),
            "sealed": .flag("It has a key: texts go out sealed, and others are not taken"),
            "keyId": .text("The first digits of its key's SHA-256; null: it has none", pattern: "^[0-9a-f]{8}$").orNull,
            "connection": .named("BrokerConnection"),
            "waiting": .count("Texts that the broker has not taken yet"),
            "unopened": .count("What came to a sealed one and did not open with its key"),
            "unsealed": .count("What came to a sealed one in clear"),
            "bridge": JSONSchema.named("ConversationBridge").orNull,
            "channels": .list(
                of: .integer("", in: 0...7), "It is or was bridged to. Their rights count for its texts"),
        ])
    }

    private static var bridge: JSONSchema {
        .object([
            "channel": .integer("", in: 0...7), "source": .text("UUID of the radio's source"),
            "up": .flag("What is said on the channel is published"),
            "down": .flag("What is said here is sent on the channel"),
            "textsPerHour": .integer("That go down", in: 1...60),
            "reason": .text("Why nothing passes until it is set again; null: all is well").orNull,
            "dropped": .count("Texts that were not sent on the channel, since the gateway's start"),
            "lastReason": .text("Why the last of them was not").orNull,
            "warnings": .list(of: .text("What its owner should know")),
        ])
    }

    private static var connection: JSONSchema {
        .object([
            "state": .word(ConversationDoor.Connection.State.allCases.map(\.rawValue)),
            "since": .text("ISO 8601; null: nobody knows").orNull, "reason": .text("Null: all is well").orNull,
        ])
    }

    static var brokers: [Named] {
        [
            ("BrokerConversation", conversation), ("ConversationBridge", bridge), ("BrokerConnection", connection),
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
                    "texts": .list(
                        of: .object([
                            "name": .text("As its file has it"),
                            "channel": .integer("Null: no channel has the name now", in: 0...7).orNull,
                        ])),
                    "commands": .count("Of Home Assistant, obeyed since it came into force"),
                    "commandsRefused": .count("Those that were refused"),
                    "mistakes": .list(of: .named("RuleMistake")),
                ])
            ),
        ]
    }
}
