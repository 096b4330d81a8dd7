extension Operations {
    static var targets: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/targets", id: "targets", .notifications, "Where notifications go, by name",
                details: "Of an address only its host is shown: what stands behind it is a secret.",
                answers: [.ok(answer)]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/targets/{targetName}/test", id: "testTarget", .notifications,
                "Sends one notification to a target",
                details: "It is on its way when this is answered; `test` of the list says what became of it.",
                answers: [.fresh(answer)],
                failures: [
                    404: "No such target in force",
                    429: "Too many requests, or this target was tried less than ten seconds ago",
                ],
                failureShape: .brief
            ).ours,
        ]
    }

    private static var answer: JSONSchema {
        .object([
            "schema": .constant("targets/1"), "via": .constant("daemon"), "folder": .text("Null here").orNull,
            "obstacle": .text("Why nothing can be sent at all").orNull, "targets": .list(of: .named("Target")),
            "mistakes": .list(of: .named("RuleMistake")),
        ])
    }
}

extension Schemas {
    static var targets: [Named] {
        [
            (
                "Target",
                .object([
                    "name": .text("That of its file"), "kind": .text("webhook, ntfy, apprise or alive").orNull,
                    "url": .text("As far as its host").orNull,
                    "fallback": .text("The target that gets what this one does not take").orNull,
                    "inForce": .flag("It may be so although its file has mistakes by now"),
                    "waiting": .count("Notifications that are to be sent to it; not those that are held"),
                    "held": .count("Notifications that quiet hours of rules hold until they end"),
                    "summaryAt": .text("ISO 8601: when what is over its allowance goes as a summary").orNull,
                    "failing": .flag(),
                    "failingSince": .text("ISO 8601").orNull, "succeededAt": .text("ISO 8601; null: never").orNull,
                    "error": .text("Why the last attempt failed").orNull, "test": .named("TargetTest").orNull,
                    "mistakes": .list(of: .named("RuleMistake")),
                ])
            ),
            (
                "TargetTest",
                .object([
                    "at": .text("ISO 8601"), "state": .word(["underway", "arrived", "failed"]),
                    "error": .text("Why it failed").orNull,
                ])
            ),
        ]
    }
}
