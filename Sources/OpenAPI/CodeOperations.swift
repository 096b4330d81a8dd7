extension Operations {
    static var codes: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/nodes/{nodeId}/contact.svg", id: "contactCode", .nodes, "A node as a contact, as a QR code",
                details: "The `contactUrl` of `nodes/{nodeId}/key`, for scanning. Needs `channel_N:viewOnMap` of the "
                    + "channel on which the node was heard, too.",
                answers: [picture],
                failures: [
                    404: "No such source, no such node in it, or no key of it is known", 409: tooLong,
                ]
            ).ours,
            OpenAPIOperation(
                "GET P/channels.svg", id: "channelsCode", .channels, "The radio's channels, as a QR code",
                details:
                    "The `channelUrl` of `self`, for scanning: it holds the channels' keys. Needs `info:read`, too.",
                query: [
                    Parameter(
                        "channel", .channelIndex(), "A link that adds the channel of this slot alone; all without")
                ],
                answers: [picture],
                failures: [
                    404: "No such source, or no channel in that slot", 409: tooLong,
                    503: "The radio cannot be asked, or too many wait for it (`Retry-After`)",
                    504: "The radio has not answered within 20 seconds",
                ]
            ).ours,
        ]
    }

    private static var tooLong: String { "The link is too long for a QR code" }
    private static var picture: Answer { Answer(200, "SVG", .text(), type: "image/svg+xml") }
}
