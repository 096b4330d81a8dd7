extension Operations {
    static var channelDatabase: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/channel-database", id: "channelEntries", .channelDatabase,
                "Keys with which the gateway decrypts channels that the radio does not have",
                answers: [.rows("ChannelEntry")]),
            OpenAPIOperation(
                "POST /api/v1/channel-database", id: "addChannelEntry", .channelDatabase, "Adds a key",
                details: "The gateway tries it on the packet log.",
                body: .object(fields(isNew: true)),
                answers: [Answer(201, "Added", done(.named("ChannelEntry")))]),
            OpenAPIOperation(
                "PUT /api/v1/channel-database/reorder", id: "reorderChannelEntries", .channelDatabase,
                "Changes the order in which keys are tried",
                body: .object([
                    "channels": JSONSchema.list(
                        of: .object(["id": .integer("Of an entry"), "sortOrder": .integer("Its place")])
                    )
                    .with("minItems", 1)
                ]), answers: [.fresh(.object(["success": .constant(true), "message": .text()]))]),
            OpenAPIOperation(
                "GET /api/v1/channel-database/retroactive-decrypt/progress", id: "redecryption", .channelDatabase,
                "Progress of decrypting the packet log",
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "isRunning": .flag(),
                            "progress": JSONSchema.named("Redecryption").orNull,
                        ]))
                ]),
            OpenAPIOperation(
                "GET /api/v1/channel-database/{id}", id: "channelEntry", .channelDatabase, "One key",
                details: "For a token without `channel_database:read` there is none.",
                answers: [.item("ChannelEntry")], failures: missing),
            OpenAPIOperation(
                "PUT /api/v1/channel-database/{id}", id: "changeChannelEntry", .channelDatabase, "Changes a key",
                details: "What the body does not name is kept.",
                body: JSONSchema.object(fields(isNew: false), followedBy: ["sortOrder?": .integer("Its place")])
                    .with("minProperties", 1),
                answers: [.fresh(done(.named("ChannelEntry")))], failures: missing),
            OpenAPIOperation(
                "DELETE /api/v1/channel-database/{id}", id: "removeChannelEntry", .channelDatabase, "Deletes a key",
                details: "What it has decrypted is kept.",
                answers: [.fresh(.object(["success": .constant(true), "message": .text()]))], failures: missing),
            OpenAPIOperation(
                "POST /api/v1/channel-database/{id}/retroactive-decrypt", id: "redecrypt", .channelDatabase,
                "Tries a key on the packet log",
                details:
                    "Needs messages:read, too, while there are packets to try it on: without that the answer is 403 "
                    + "with the code `FORBIDDEN_SOURCE_SCOPE`.",
                answers: [
                    .fresh(
                        .object([
                            "success": .constant(true), "progress": JSONSchema.named("Redecryption").orNull,
                            "message": .text(),
                        ]))
                ], failures: [404: "No such entry", 409: "The log is already being decrypted"]),
            OpenAPIOperation(
                "GET /api/v1/channel-database/{id}/permissions", id: "channelEntryPermissions", .channelDatabase,
                "What users may do with a key", details: "This server has tokens and no users: the list is empty.",
                answers: [
                    .ok(
                        .object([
                            "success": .constant(true), "channelId": .integer(), "channelName": .text(),
                            "count": .count("Rows in `data`"), "data": .list(of: .object([:])),
                        ]))
                ], failures: missing),
            permission("PUT", id: "changeChannelEntryPermission", "Changes what a user may do"),
            permission("DELETE", id: "removeChannelEntryPermission", "Removes what a user may do"),
        ]
    }

    /// Base64 of as many bytes as a key can have, in either alphabet, with no bit beside them; with padding or without,
    /// and with white space around it.
    private static let key =
        "^\\s*([A-Za-z0-9+/_-][AQgw](==)?|[A-Za-z0-9+/_-]{21}[AQgw](==)?|[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?)\\s*$"

    private static var missing: KeyValuePairs<Int, String> { [404: "No such entry"] }

    /// The body of a new entry, and of a change.
    private static func fields(isNew: Bool) -> KeyValuePairs<String, JSONSchema> {
        let mark = isNew ? "" : "?"
        return [
            "name\(mark)": JSONSchema.text("At most 100 bytes, without control characters").with("minLength", 1),
            "psk\(mark)": .text("1, 16 or 32 bytes in base64", pattern: key), "pskLength?": .integer("Bytes of `psk`"),
            "description?": .text("At most 1000 bytes").orNull, "isEnabled?": .flag("Whether it is tried"),
            "enforceNameValidation?": .flag("Whether the name must fit the packet's channel, too"),
        ]
    }

    private static func done(_ data: JSONSchema) -> JSONSchema {
        .object(["success": .constant(true), "data": data, "message": .text("For people")])
    }

    private static func permission(_ method: String, id: String, _ summary: String) -> OpenAPIOperation {
        OpenAPIOperation(
            "\(method) /api/v1/channel-database/{id}/permissions/{userId}", id: id, .channelDatabase, summary,
            details: "This server has tokens and no users: every number is unknown.", answers: [],
            failures: [404: "No such entry, or no such user"])
    }
}

extension Schemas {
    static var channelDatabase: [Named] {
        [
            (
                "ChannelEntry",
                .object([
                    "id": .integer(), "name": .text(), "pskLength": .integer("Bytes"),
                    "pskPreview": .text("`********`, unless the key is shown or is public"),
                    "psk?": .text(
                        "The key in base64; shown to tokens with both channel_database:write and configuration:write"),
                    "description": .text().orNull, "isEnabled": .flag("Whether it is tried"),
                    "enforceNameValidation": .flag("Whether the name must fit the packet's channel, too"),
                    "sortOrder": .integer("Lower ones are tried first"),
                    "decryptedPacketCount": .count("Packets that it has decrypted"),
                    "lastDecryptedAt": .milliseconds("When it last decrypted one").orNull,
                    "createdBy": .constant(.null),
                    "createdAt": .milliseconds("Added"), "updatedAt": .milliseconds("Last change"),
                ])
            ),
            (
                "Redecryption",
                .object([
                    "channelDatabaseId": .integer("The entry"), "channelName": .text(),
                    "total": .count("Packets to try"),
                    "processed": .count("Packets that were tried"),
                    "decrypted": .count("Packets that it has decrypted"),
                    "status": .word(["pending", "running", "completed", "failed"]), "error?": .text(),
                    "startedAt": .milliseconds("When"), "completedAt?": .milliseconds("When"),
                ])
            ),
        ]
    }
}
