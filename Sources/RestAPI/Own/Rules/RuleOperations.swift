extension Operations {
    static var rules: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/rules", id: "rules", .notifications, "The rules of this gateway, by name",
                details: "What their files say, whether they are in force, and what is wrong with a file.",
                answers: [
                    .ok(
                        .object([
                            "schema": .constant("rules/1"), "via": .constant("daemon"),
                            "folder": .text("Null here").orNull, "rules": .list(of: .named("Rule")),
                            "mistakes": .list(of: .named("RuleMistake")),
                        ]))
                ]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/rules/{ruleName}/log", id: "ruleLog", .notifications, "What a rule has told, newest first",
                details: "Of these the rows that the token may see, as in the feed.", query: [.limit(50, cap: 1_000)],
                answers: [
                    .ok(
                        .object([
                            "schema": .constant("rule-log/1"), "via": .constant("daemon"), "rule": .text("Its name"),
                            "firings": .list(of: .named("RuleFiring")),
                        ]))
                ], failures: [404: "No such rule"]
            ).ours,
        ]
    }
}

extension Schemas {
    static var rules: [Named] {
        [
            (
                "Rule",
                .object([
                    "name": .text("That of its file"),
                    "type": .text("Its trigger in kebab-case; null: not known").orNull,
                    "settings": .list(of: .object(["key": .text(), "value": .text()])),
                    "enabled": .flag(), "inForce": .flag("It may be so although its file has mistakes by now"),
                    "since": .text("Since when it sees what happens; ISO 8601").orNull,
                    "open": .count("States that last"), "lastFiredAt": .text("ISO 8601; null: never").orNull,
                    "mistakes": .list(of: .named("RuleMistake")),
                ])
            ),
            (
                "RuleMistake",
                .object([
                    "file": .text(), "line": .count("Null: it is about the whole file").orNull, "message": .text(),
                ])
            ),
            (
                "RuleFiring",
                .object([
                    "id": .text("That of the feed's row, if it was told"), "at": .text("ISO 8601"),
                    "fate": .word(["told", "counted", "old"]), "type": .text("In kebab-case"), "title": .text(),
                    "state": .word(["begins", "lasts", "ends"]).orNull, "episode": .text().orNull,
                    "nodeId": .text().orNull,
                    "messageId": .text().orNull, "sourceId": .text().orNull,
                ])
            ),
        ]
    }
}
