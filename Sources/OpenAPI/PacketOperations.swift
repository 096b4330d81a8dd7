extension Operations {
    static var packets: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/packets", id: "packets", .packets, "The packet log, newest first",
                details: """
                    Decoded packets are those of channels that the token may read. Routing and administration from or to \
                    the own node, and what the radio tells the gateway alone, are not listed.
                    """,
                query: [
                    Parameter("offset", JSONSchema.integer().with("default", 0).with("minimum", 0), "Rows to skip"),
                    Parameter(
                        "limit", JSONSchema.integer().with("default", 100).with("minimum", 1),
                        "Rows at most; 1000 is the most"),
                    Parameter("portnum", .integer(), "Only this port"),
                    Parameter("from_node", .nodeNumber(), "Only from this node"),
                    Parameter("to_node", .nodeNumber(), "Only to this node"),
                    Parameter("channel", .integer(), "Only on this channel"),
                    Parameter("encrypted", .word(["true", "false"]), "`true`: only those that could not be decrypted"),
                    .since,
                ], answers: [.ok(.page(of: "Packet"))], failures: [400: "An offset below 0, or a limit below 1"]),
            OpenAPIOperation(
                "GET P/packets/{id}", id: "packet", .packets, "One packet", answers: [.item("Packet")],
                failures: [400: "No number", 404: "No such source, or no such packet in it"]),
        ]
    }
}

extension Schemas {
    static var packets: [Named] {
        [
            (
                "Packet",
                .object([
                    "id": .integer("Of the row"), "packet_id": .packetID("Null for a sent broadcast").orNull,
                    "timestamp": .milliseconds("Received or sent"), "from_node": .nodeNumber(),
                    "from_node_id": .nodeID(),
                    "to_node": .nodeNumber(), "to_node_id": .text("`broadcast` for a sent broadcast"),
                    "channel": .integer("Channel index, or the channel's hash if it could not be decrypted"),
                    "portnum": .integer("Meshtastic's PortNum; 0: it could not be decrypted"), "portnum_name": .text(),
                    "encrypted": .integer("1: it could not be decrypted", in: 0...1), "snr": .number("dB").orNull,
                    "rssi": .integer("dBm").orNull, "hop_limit": .integer().orNull, "hop_start": .integer().orNull,
                    "relay_node": .integer("The last byte of the node number of the relay").orNull,
                    "payload_size": .count("Bytes"), "want_ack": .integer("", in: 0...1), "priority": .integer().orNull,
                    "payload_preview": .text("Its content, for people").orNull,
                    "metadata": .text(
                        "JSON; `decoded_payload` in it is the content as protobuf's JSON, a text, or a member a byte"),
                    "direction": .word(["rx", "tx"]), "created_at": .milliseconds("Stored"),
                    "decrypted_by": .word(["node", "server"]).orNull,
                    "decrypted_channel_id": .integer("An entry of the channel database").orNull,
                    "transport_mechanism": .integer("Meshtastic's MeshPacket.TransportMechanism").orNull,
                    "sourceId": .uuid(),
                    "spoof_suspected": .constant(1).orNull,
                    "xeddsa_signed": .flag("Whether the radio has verified a signature"),
                    "from_node_longName": .text().orNull, "to_node_longName": .text().orNull,
                ])
            )
        ]
    }
}
