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
                            "airtime": .count("Milliseconds that all rules have sent in the last hour"),
                        ]))
                ]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/rules/{ruleName}/log", id: "ruleLog", .notifications, "What a rule has told, newest first",
                details: "Only rows that the token may see, as in the feed.", query: [.limit(50, cap: 1_000)],
                answers: [
                    .ok(
                        .object([
                            "schema": .constant("rule-log/1"), "via": .constant("daemon"), "rule": .text("Its name"),
                            "firings": .list(of: .named("RuleFiring")),
                            "nearMisses": .list(of: .named("NearMiss")),
                        ]))
                ], failures: [404: "No such rule"]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/rules/{ruleName}/test", id: "ruleTest", .notifications,
                "What a rule would have told, newest first",
                details:
                    "Applies the rule, as its file is now, to what the change log holds, as if it had told nothing before. "
                    + "Shows what the token may see. Nothing is told or written.",
                query: [.limit(50, cap: 1_000)],
                answers: [
                    .ok(
                        .object([
                            "schema": .constant("rule-test/1"), "via": .constant("daemon"), "rule": .text("Its name"),
                            "type": .text("Its trigger in kebab-case"),
                            "since": .text("From when on the history is known; ISO 8601; null: none is").orNull,
                            "reach": .text("How far that goes, in words"),
                            "count": .count("Times that it would have fired"),
                            "firings": .list(of: .object(firing, followedBy: ["body": .text("The message")])),
                            "nearMisses": .list(of: .named("NearMiss")),
                            "acts": .list(of: .named("TestedAct")),
                        ]))
                ], failures: [404: "No such rule", 409: "Its file has a mistake"]
            ).ours,
            OpenAPIOperation(
                "GET P/nodes/{nodeId}/rules", id: "rulesOfNode", .notifications,
                "What rules have told about a node, and why others have not",
                details: "\(saidDetails) Needs `nodes:read` and `channel_N:viewOnMap`, too.",
                answers: [.item("RulesSaid")], failures: [404: "No such source, or no such node in it"]
            ).ours,
            OpenAPIOperation(
                "GET P/messages/{messageId}/rules", id: "rulesOfMessage", .notifications,
                "What rules have told about a message, and why others have not",
                details: "\(saidDetails) Needs `messages:read` and the channel, too.",
                answers: [.item("RulesSaid")], failures: [404: "No such source, or no such message in it"]
            ).ours,
        ]
    }
}

private let saidDetails =
    "Newest first, at most 50 of each. Near misses are there since the service has started: the trigger came, and a condition "
    + "failed."

private let firing: KeyValuePairs<String, JSONSchema> = [
    "id": .text("That of the feed's row, if it was told"), "rule": .text("Its name"), "at": .text("ISO 8601"),
    "fate": .word(["told", "counted", "old", "sent", "skipped"]), "type": .text("In kebab-case"), "title": .text(),
    "state": .word(["begins", "lasts", "ends"]).orNull, "episode": .text().orNull, "nodeId": .text().orNull,
    "messageId": .text().orNull, "sourceId": .text().orNull,
    "why": .text("Why an act was skipped, in kebab-case").orNull, "reason": .text("The same in words").orNull,
    "sentId": .text("The message that the act has sent").orNull,
    "delivery": .text("How far that has come, as `delivery.state` of a message").orNull,
    "airtime": .count("Milliseconds of an act on the air").orNull,
]

extension Schemas {
    static var rules: [Named] {
        [
            (
                "RulesSaid",
                .object([
                    "firings": .list(of: .named("RuleFiring")), "nearMisses": .list(of: .named("NearMiss")),
                ])
            ),
            (
                "NearMiss",
                .object([
                    "rule": .text("Its name"), "at": .text("ISO 8601"),
                    "condition": .text("Which one failed, in words"), "nodeId": .text().orNull,
                    "messageId": .text().orNull, "sourceId": .text().orNull,
                ])
            ),
            (
                "Rule",
                .object([
                    "name": .text("That of its file"),
                    "type": .text("Its trigger in kebab-case; null: not known").orNull,
                    "settings": .list(of: .object(["key": .text(), "value": .text()])),
                    "enabled": .flag(), "inForce": .flag("It may be so although its file has mistakes by now"),
                    "builtIn": .flag("It has no file, and is in force while an app or a browser is registered"),
                    "since": .text("Since when it sees what happens; ISO 8601").orNull,
                    "open": .count("States that last"), "lastFiredAt": .text("ISO 8601; null: never").orNull,
                    "mistakes": .list(of: .named("RuleMistake")),
                    "states": .list(
                        of: .object([
                            "name": .text("Of the node, radio or problem"), "since": .text("ISO 8601"),
                            "told": .flag("False: it was so already when the rule was read"),
                        ]), "The states that last, as far as the token may see what they are about"),
                    "watched": .text("Null here").orNull,
                    "acts": .object([
                        "sent": .count("In the last day"), "skipped": .count("In the last day"),
                        "lastSentAt": .text("ISO 8601; null: not in the last day").orNull,
                        "nodes": .count("For how many nodes it has acted; null: not `once = node`").orNull,
                    ]).orNull,
                    "cost": .text("Null here").orNull,
                ])
            ),
            (
                "RuleMistake",
                .object([
                    "file": .text(), "line": .count("Null: it is about the whole file").orNull, "message": .text(),
                ])
            ),
            ("RuleFiring", .object(firing)),
            (
                "TestedAct",
                .object([
                    "at": .text("ISO 8601"), "nodeId": .text().orNull, "messageId": .text().orNull,
                    "sourceId": .text().orNull, "why": .text("Why nothing would leave; null: it would").orNull,
                    "packets": .list(
                        of: .object([
                            "key": .text("Of the rule's file, such as `reply`"),
                            "to": .text("Where it would go, in words"),
                            "text": .text("As it would leave; null: a request").orNull,
                            "textBytes": .count("Of at most 200").orNull,
                            "bytes": .count("On the air"), "milliseconds": .count("On the air"),
                        ])),
                ])
            ),
        ]
    }
}
