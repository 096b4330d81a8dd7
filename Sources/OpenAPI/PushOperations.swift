extension Operations {
    static var pushes: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/push/key", id: "pushKey", .notifications,
                "The key by which push services know this gateway (VAPID)",
                details: "The `applicationServerKey` of the Push API, and what a UnifiedPush distributor is given.",
                answers: [
                    .ok(
                        .item(.object(["key": .text("A point of P-256 in base64url", pattern: "^B[0-9A-Za-z_-]{86}$")]))
                    )
                ]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/push/register", id: "registerPush", .notifications,
                "Asks to be told by a push service what this token sees of the feed",
                details:
                    "`endpoint` and `keys` as a browser or UnifiedPush gives them, or `platform` and `push_token` of an Apple device; "
                    + "neither goes without the other. Who registers an address last has it; a registration ends with its token. A token has 8, of which a ninth takes "
                    + "the place of the oldest. Unless `push-hosts` names it, an endpoint is an https address of the public "
                    + "internet, on port 443, of 1,000 bytes at most.",
                body: .object([
                    "endpoint?": .text("Where the push service takes messages for this client; a secret"),
                    "keys?": .object([
                        "p256dh": .text("The client's point of P-256, 65 bytes in base64url"),
                        "auth": .text("16 bytes in base64url"),
                    ]),
                    "platform?": .constant("ios"),
                    "push_token?": .text("The device token", pattern: "^([0-9A-Fa-f]{2}){32,100}$"),
                    "sandbox?": .flag("The app was built for development; false without it"),
                    "rules?": .list(of: .text("A rule's name"), "Those of which it is told, 1 to 64; without it all"),
                    "name?": .text("What lists call it: 1 to 64 printable characters"),
                ]).withOne(of: ["endpoint", "push_token"], only: true),
                answers: [
                    .fresh(
                        .object([
                            "status": .constant("ok"), "id": .count("The registration's number"), "state": state,
                        ]))
                ],
                failures: [503: "There are 64 registrations already"]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/push/registrations", id: "pushRegistrations", .notifications,
                "What this token has registered; for a token with everything, all registrations",
                details: "Of an address only its host is shown: what stands behind it is a secret.",
                answers: [.ok(answer)]
            ).ours,
            OpenAPIOperation(
                "DELETE /api/v1/push/registrations/{registrationId}", id: "deletePushRegistration", .notifications,
                "Ends a registration; what waits for it is not sent",
                answers: [.fresh(.object(["success": .constant(true)]))],
                failures: [404: "No such registration of this token's"]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/push/registrations/{registrationId}/test", id: "testPushRegistration", .notifications,
                "Sends one notification to a registration",
                details: "It is on its way when this is answered; `test` of the list says what became of it.",
                answers: [.fresh(answer)],
                failures: [
                    404: "No such registration of this token's", 409: "APNs is not set up on this gateway",
                    429: "Too many requests, or one of this token's was tried less than ten seconds ago",
                ],
                failureShape: .brief
            ).ours,
        ]
    }

    fileprivate static let state = JSONSchema.word(
        ["ready", "no-apns"], "`no-apns`: APNs is not set up on this gateway, and nothing is sent there: poll")

    private static var answer: JSONSchema {
        .object([
            "success": .constant(true), "count": .count("Those in `registrations`"),
            "data": .object([
                "rules": .list(
                    of: .object([
                        "name": .text("As `rules` of a registration has it"),
                        "builtIn": .flag("In force while there is a registration, because no file has its name"),
                    ]), "Those that tell"),
                "registrations": .list(of: .named("PushRegistration")),
            ]),
        ])
    }
}

extension Schemas {
    static var pushes: [Named] {
        [
            (
                "PushRegistration",
                .object([
                    "id": .count("Its number, never given twice"),
                    "kind": .word(["web", "apple"], "`web`: Web Push, which UnifiedPush is, too"),
                    "name": .text().orNull, "address": .text("As far as its host"),
                    "rules": .list(of: .text(), "Those of which it is told; null: all").orNull,
                    "token": .object(["id": .count("Its number"), "name": .text()]), "state": Operations.state,
                    "registeredAt": .text("ISO 8601: when it was registered last"),
                    "toldAt": .text("ISO 8601: when it was told last; null: never").orNull,
                    "waiting": .count("Notifications that are to be sent to it"),
                    "failingSince": .text("ISO 8601").orNull, "error": .text("Why the last attempt failed").orNull,
                    "test": .named("TargetTest").orNull,
                ])
            )
        ]
    }
}
