import RestAPI

extension Operations {
    static var radioSettings: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET P/radio/settings", id: "radioSettings", .radio, "The radio's settings, as it has them now",
                details:
                    "Asked of the radio, unless that was done in the last five seconds. A secret's value is null, and "
                    + "`secretBytes` says how long it is.",
                query: [
                    Parameter(
                        "section", .word(RestAPI.settingsSections), "Only these; all of them without")
                ],
                answers: [
                    .ok(
                        .item(
                            .object([
                                "firmware": .text("Its version").orNull, "settings": .list(of: .named("RadioSetting")),
                                "missing": .list(of: .text(), "Sections that the radio does not have"),
                                "regions": .list(of: .named("RadioRegion"), "Those that the radio knows"),
                            ])))
                ],
                failures: [409: "The radio refused the question", 503: away, 504: silent]
            ).ours,
            OpenAPIOperation(
                "PATCH P/radio/settings", id: "changeRadioSettings", .radio,
                "Changes settings and channels of the radio, in one edit and with one restart at most",
                details:
                    "Merged into what the radio has then, and read again. All or nothing is written, unless the radio refuses "
                    + "a part: each row says what it has taken. What is refused is said with 400 and 409, row by row. "
                    + "A field in `changes` counts more than the link's.",
                body: .object([
                    "changes?": .list(
                        of: .object([
                            "path": .text(), "value": .anything("As its type has it; null: the secret stays"),
                            "was?": .anything("What the radio must still have, or nothing is written"),
                        ]), "At most 32"),
                    "channels?": .list(
                        of: .object(["index": .channelIndex("Its slot")], followedBy: channel), "At most eight"),
                    "link?": .object(link), "preview?": preview,
                ]), answers: [.fresh(.item(.named("RadioChange")))], failures: changed
            ).ours,
            OpenAPIOperation(
                "PUT P/channels/{channelId}", id: "changeChannel", .channels, "Changes a channel of the radio",
                details: "What is left out stays. Messages that are stored stay with the slot, and so do rights.",
                body: .object(["preview?": preview], followedBy: channel),
                answers: [.fresh(.item(.named("RadioChange")))], failures: changed
            ).ours,
            OpenAPIOperation(
                "DELETE P/channels/{channelId}", id: "removeChannel", .channels, "Switches a channel of the radio off",
                details: "The slot stays empty.", answers: [.fresh(.item(.named("RadioChange")))], failures: changed
            ).ours,
            OpenAPIOperation(
                "POST P/channels/import", id: "importChannels", .channels, "Takes over the channels of a link",
                body: .object(link, followedBy: ["preview?": preview]),
                answers: [.fresh(.item(.named("RadioChange")))], failures: changed
            ).ours,
            OpenAPIOperation(
                "PUT P/radio/position", id: "fixPosition", .radio, "Tells the radio where it is",
                details: "It tells the mesh at once, as exactly as its channels are set to.",
                body: .object([
                    "latitude": .number("Degrees", in: -90...90), "longitude": .number("Degrees", in: -180...180),
                    "altitude?": .integer("Metres above mean sea level", in: -100_000...100_000).orNull,
                ]), answers: [place], failures: [409: "The radio refused it", 503: away, 504: silent]
            ).ours,
            OpenAPIOperation(
                "DELETE P/radio/position", id: "freePosition", .radio, "Lets the radio go by its GPS again",
                answers: [place], failures: [409: "The radio refused it", 503: away, 504: silent]
            ).ours,
            OpenAPIOperation(
                "POST P/radio/restart", id: "restartRadio", .radio, "Restarts the radio",
                details: "The answer comes when the order is on its way.",
                body: .object(["seconds?": .integer("From now; 5 without", in: 0...86_400)]),
                answers: [.fresh(.item(.object(["seconds": .count("From now")])))], failures: [503: away]
            ).ours,
        ]
    }

    private static var away: String { "The radio is not connected, or too many wait for it (`Retry-After`)" }
    private static var silent: String { "The radio has not answered within 20 seconds" }
    private static var changed: KeyValuePairs<Int, String> {
        [
            409:
                "The radio refused it, or has another value than `was`, or a program at a shared port changes settings",
            413: "A body of more than 16 kB", 503: away, 504: "\(silent); the change may have been written",
        ]
    }

    private static var place: Answer {
        .fresh(
            .item(
                .object([
                    "latitude": .number("Degrees; null: none is fixed").orNull, "longitude": .number("Degrees").orNull,
                    "altitude": .integer("Metres").orNull,
                ])))
    }
    private static var preview: JSONSchema { .flag("Nothing is written") }
    private static var link: KeyValuePairs<String, JSONSchema> {
        [
            "url": .text("A link with channels: https://meshtastic.org/e/#…"),
            "replace?": .flag("In place of the channels that are there, and with its LoRa settings; else beside them"),
        ]
    }
    private static var channel: KeyValuePairs<String, JSONSchema> {
        [
            "name?": .text("At most 11 bytes").orNull,
            "psk?": .text("`none`, `public`, `new`, or 1, 16 or 32 bytes in base64").orNull,
            "uplinkEnabled?": .flag().orNull, "downlinkEnabled?": .flag().orNull,
            "positionPrecision?": .integer("Bits", in: 0...32).orNull,
        ]
    }
}

extension Schemas {
    static var radioSettings: [Named] {
        let types = ["flag", "integer", "number", "text", "choice", "bytes", "address"]
        return [
            (
                "RadioSetting",
                .object([
                    "path": .text("With its section, such as `lora.region`"),
                    "type": .word(types + types.map { "\($0)[]" }, "With `[]` behind it for a list"),
                    "value": settingValue, "secretBytes": .count("How long a secret is").orNull,
                    "choices": .list(of: .text(), "Of a `choice`").orNull,
                    "min": .integer("The least that the radio takes").orNull,
                    "max": .integer("The greatest that the radio takes").orNull,
                    "unit": .text("Such as `s`").orNull,
                    "since": .text("The first firmware that has it; null: 2.3 has it").orNull,
                    "restarts": .flag("The radio restarts some seconds after a change"),
                    "writable": .flag("The token may change it, and it can be changed"),
                    "help": .text("For a person").orNull,
                ])
            ),
            (
                "RadioRegion",
                .object([
                    "region": .text("Its name"), "from": .number("Megahertz").orNull, "to": .number("Megahertz").orNull,
                    "dutyCycle": .number("Per cent of an hour that a radio may send").orNull,
                    "licensed": .flag("Only for licensed amateurs"), "presets": .list(of: .text(), "That it allows"),
                    "defaultPreset": .text("The one that a radio falls back to"),
                ])
            ),
            (
                "RadioChange",
                .object([
                    "isDone": .flag("The radio has all of it"),
                    "changes": .list(
                        of: .object([
                            "path": .text(), "old": settingValue, "new": settingValue,
                            "taken": .anything("What the radio has made of it; null: that is not known"),
                            "oldSecretBytes": .count("How long a secret is").orNull,
                            "newSecretBytes": .count("How long a secret is").orNull,
                            "isChange": .flag(), "isTaken": .flag().orNull,
                            "error": .text("Why it is refused").orNull,
                        ])),
                    "channels": .list(
                        of: .object([
                            "index": .channelIndex("Its slot"),
                            "change": .word(["none", "added", "changed", "removed"]),
                            "old": slot, "new": slot,
                        ]), "The slots in use, where channels were to be changed"),
                    "restarts": .flag("The radio restarts some seconds later"),
                    "warnings": .list(of: .text(), "For a person, before it is written"),
                ])
            ),
        ]
    }

    private static var slot: JSONSchema {
        .object([
            "index": .channelIndex("Its slot"), "role": .word(["disabled", "primary", "secondary"]),
            "name": .text(), "key": .word(["none", "public", "own", "primary's"]), "keyBytes": .count("Of the key"),
            "authenticated": .flag(), "uplinkEnabled": .flag(), "downlinkEnabled": .flag(),
            "positionPrecision": .integer("Bits").orNull,
        ]).orNull
    }

    private static var settingValue: JSONSchema {
        .anything("As its type has it; bytes in base64; null: a secret, or unknown")
    }
}
