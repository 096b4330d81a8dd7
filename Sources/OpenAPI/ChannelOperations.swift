extension Operations {
    static var channels: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/channels", id: "channels", .channels, "The radio's channels",
                details: "All slots, including unused ones, of the channels that the token may read.",
                answers: [.rows("Channel")]),
            OpenAPIOperation(
                "GET P/channels/{channelId}", id: "channel", .channels, "One channel",
                details: "Needs `channel_N:read`, too.", answers: [.item("Channel")],
                failures: [400: "Not a number between 0 and 7", 404: "The radio has not reported this channel"]),
        ]
    }
}

extension Schemas {
    static var channels: [Named] {
        [
            (
                "Channel",
                .object([
                    "id": .channelIndex("Slot"), "name": .text("The preset's name if the primary channel has none"),
                    "displayName": .text(), "role": .integer("0 disabled, 1 primary, 2 secondary", in: 0...2),
                    "roleName": .word(["Disabled", "Primary", "Secondary"]), "uplinkEnabled": .flag(),
                    "downlinkEnabled": .flag(),
                    "positionPrecision": .integer("Bits of a position that are shared", in: 0...32).orNull,
                    "scope": .constant(.null), "pskSet": .flag("Whether the channel has a key"),
                    "encryptionStatus": .word(
                        ["none", "default", "secure"], "`default` is the public default key"),
                    "psk?": .text("The key in base64, shown only with configuration:write").orNull,
                ])
            )
        ]
    }
}
