extension Operations {
    static var insight: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/me", id: "me", .server, "What the token may do, and which radios it sees",
                details:
                    "For any token, sent as `Authorization: Bearer TOKEN`; `mesh-gateway token create NAME` makes one, and "
                    + "`mesh-gateway token allow NAME SCOPE` lets it do more. Sources are those of `/api/v1/sources`; names "
                    + "and state of a radio are for `info:read`.",
                answers: [.item("TokenView")]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/tokens", id: "makeToken", .server,
                "Adds a device: its token, and a link that signs it in",
                details:
                    "The new token may read, send and mark nodes (`read`, `send`, `nodes:write`), and does not expire. It "
                    + "goes on when the one that made it is revoked; `mesh-gateway token list` shows who made which. Needs "
                    + "a token with everything.",
                body: .object(["name": .text("What it is for: 1 to 64 printable characters")]),
                answers: [Answer(201, "Made. No other answer shows the token", .item(.named("NewToken")))],
                failures: [409: "The name is taken, this token has made nine that are active, or 200 are active in all"]
            ).ours,
            OpenAPIOperation(
                "GET P/problems", id: "problems", .server, "What is wrong with the source and the gateway",
                details: "The worst first, each with what to do about it.", answers: [.rows("Problem")]
            ).ours,
            OpenAPIOperation(
                "GET P/links", id: "links", .network, "Who hears whom, and how well",
                details:
                    "A row for each direction, from the packets, neighbour reports and routes of the time. Links with a "
                    + "node at one end that the token may not see are left out; names are for `nodes:read`.",
                query: [
                    .since,
                    Parameter(
                        "worst", .word(["true", "false"]), "`true`: the weakest first, else those with the most signals"
                    ),
                ], answers: [.rows("Link")]
            ).ours,
            OpenAPIOperation(
                "GET P/self", id: "self", .nodes, "Who the source's radio is, for giving to others",
                answers: [.item("OwnIdentity")]
            ).ours,
            OpenAPIOperation(
                "GET P/packets/{id}/explain", id: "explainPacket", .packets,
                "The bytes of a packet with their meaning, its way and its airtime",
                details:
                    "The bytes are put together from the log's columns: they are not those that came. For who may read the "
                    + "packet. Secrets are hidden. A packet that tells where nodes are needs "
                    + "`channel_N:viewOnMap`, too.",
                query: [Parameter("preset", .text(), "Of the modem, such as `LONG_FAST`; else as the radio is set")],
                answers: [.item("PacketExplanation")], failures: [404: "No such source, or no such packet in it"]
            ).needing(["channel_N:viewOnMap": "The packet tells on channel N where nodes are"]).ours,
            OpenAPIOperation(
                "GET P/shared-ports", id: "sharedPorts", .server,
                "Where the source's radio is shared, and with whom",
                answers: [.rows("SharedPort")]
            ).ours,
        ]
    }
}

extension Schemas {
    static var insight: [Named] {
        [
            (
                "Problem",
                .object([
                    "severity": .word(["fault", "warning"]), "name": .text("For programs"),
                    "advice": .text("What to do, for people"),
                    "command": .text("What to type on the gateway's computer; null where typing does not help").orNull,
                    "sourceId": .uuid("Null: the gateway's").orNull,
                ])
            ),
            (
                "SharedPort",
                .object([
                    "address": .text("Address and port; `*` for all addresses"),
                    "right": .word(["read", "send", "admin"], "What its clients may do"),
                    "problem": .text("Why nobody can connect, for people").orNull,
                    "clients": .list(
                        of: .object([
                            "address": .text(), "port": .integer("Its own end of the connection"),
                            "program": .text("Of this computer, where the service may see it").orNull,
                            "since": .milliseconds("Connected"), "sent": .count("Packets taken for the radio"),
                            "refused": .count("Packets answered with an error"),
                        ])),
                    "sent": .count("Packets of all clients since the start"),
                    "refusedPackets": .count("The same, answered with an error"),
                    "refusedConnections": .count("Connections that were not let in"),
                ])
            ),
            (
                "NodeName",
                .object([
                    "nodeId": .nodeID(), "nodeNum": .nodeNumber(), "longName": .text(), "shortName": .text(),
                ])
            ),
            (
                "Link",
                .object([
                    "from": .named("NodeName"), "to": .named("NodeName"), "count": .count("Signals"),
                    "packets": .count("Of these from packets"), "neighborReports": .count("Of these from reports"),
                    "traceroutes": .count("Of these from routes"),
                    "snr": .object(
                        "dB at `to`, that so many of a hundred signals do not exceed",
                        ["p10": .number().orNull, "p50": .number().orNull, "p90": .number().orNull]),
                    "grade": JSONSchema.word(["weak", "fair", "good"], "The median, for the modem's setting").orNull,
                    "lastHeard": .milliseconds("The last signal"),
                ])
            ),
            (
                "TokenView",
                .object([
                    "token": .object([
                        "name": .text().orNull, "scopes": .list(of: .text(), "As `token create` takes them"),
                        "permissions": .list(of: .text(), "The same, one by one, such as `channel_0:write`"),
                        "gap": .text("What the token lacks to be of use, for people").orNull,
                    ]),
                    "sources": .list(
                        of: .object([
                            "id": .uuid(), "name": .text(),
                            "signal": .object(
                                "dB for the modem's setting, the usual one while no radio has told it",
                                [
                                    "limit": .number("The weakest that a receiver reads"),
                                    "fair": .number("From here on a signal is fair"),
                                    "good": .number("From here on it is good"),
                                ]),
                            "nodeId?": .nodeID("The radio's own node").orNull, "longName?": .text().orNull,
                            "shortName?": .text().orNull, "connected?": .flag("As in `self`"), "link?": linkState,
                            "setup?": setupSteps,
                        ])),
                ])
            ),
            (
                "NewToken",
                .object([
                    "name": .text(), "token": .text("As clients send it"), "prefix": .text("Its first characters"),
                    "scopes": .list(of: .text(), "As `token create` takes them"),
                    "madeBy": .text("The name of the token that made it"),
                    "signIn": .object([
                        "url": .text(
                            "Opens the page and signs in: below `public-url`, else below the address that was asked"),
                        "svg": .text("The same as a QR code; null: it is too long for one").orNull,
                    ]),
                ])
            ),
            (
                "OwnIdentity",
                .object([
                    "nodeId": .nodeID().orNull, "nodeNum": .nodeNumber().orNull, "longName": .text().orNull,
                    "shortName": .text().orNull, "publicKey": .text("32 bytes in base64").orNull, "keyWords": keyWords,
                    "contactUrl": .text("A link with which others get this node as a contact").orNull,
                    "channelUrl?": .text(
                        "The link with which others get the channels, and their keys: only with `configuration:write`; "
                            + "null while the radio cannot be asked, or does not answer within five seconds"
                    ).orNull,
                    "connected": .flag("Whether the radio is connected and has told who it is"), "link": linkState,
                    "setup": setupSteps,
                    "channelUtilization": .number("Percent").orNull,
                    "airUtilTx": .number("Percent of the last hour that it has sent").orNull,
                    "heardNodes": .integer("Heard within a day; null without `nodes:read`").orNull,
                    "directNodes": .integer("Of these without a relay").orNull,
                    "queued": .integer("Texts that wait to be sent; null without `messages:read`").orNull,
                    "problems": .list(of: .named("Problem"), "As `GET problems` has them"),
                    "sourceId": .uuid(),
                ])
            ),
            ("PacketExplanation", explanation),
        ]
    }

    static var keyWords: JSONSchema {
        JSONSchema.list(of: .text(), "The same in groups of four, for reading out and comparing").orNull
    }

    private static var explanation: JSONSchema {
        .object([
            "id": .integer("The row's `id`"), "message": .text("What the bytes are in the protocol"),
            "length": .count("Bytes"), "unexplained": .count("Bytes that nobody can explain"),
            "fields": .list(
                of: .object([
                    "offset": .count("Of its first byte"), "length": .count("Bytes"),
                    "depth": .count("0: of the outermost message"),
                    "number": .integer("In the protocol; null: bytes that are no field").orNull, "name": .text(),
                    "type": .text(), "hex": .text("`**` for each hidden byte"), "value": .text("For people"),
                    "isHidden": .flag("It holds a secret, or may"),
                ]), "In the order of their bytes; those of a nested message follow it"),
            "hops": .object([
                "start": .integer().orNull, "limit": .integer().orNull, "away": .integer().orNull,
                "relayByte": .integer("The last byte of the relay's number").orNull, "nextHopByte": .integer().orNull,
                "relayCandidates": .list(of: .named("NodeName"), "Who may have relayed it"),
            ]),
            "airtime": .object([
                "preset": .text(), "isAssumed": .flag("Nobody knows how the radio is set"),
                "spreadingFactor": .integer(), "bandwidth": .number("kHz"), "codingRate": .integer(),
                "bytes": .count("On the air"), "milliseconds": .number(), "region": .text().orNull,
                "dutyCyclePercent": .number("Of an hour that a radio may send"),
                "sharePercent": .number("Of that, for this packet"),
            ]),
            "sourceId": .uuid(),
        ])
    }
}
