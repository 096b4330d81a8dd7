extension Operations {
    static var notifications: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/notifications", id: "notifications", .notifications,
                "What rules have told, oldest first",
                details:
                    "A row is shown to a token that may see what it is about, and that has not muted its conversation. Kept "
                    + "for as long as `keep-notifications` says. Fetch when `notification_version` of `ping` differs.",
                query: [
                    Parameter(
                        "after", .text(),
                        "Only what is behind it: a row's `id`, or its `created_at`. Without it, and behind a row that is not "
                            + "there: the last 24 hours"),
                    .limit(50, cap: 200),
                ],
                answers: [.ok(.object(["notifications": .list(of: .named("Notification"))]))],
                failures: [400: "`after` is no id and no time"]
            ).ours,
            OpenAPIOperation(
                "POST /api/v1/notifications/ack", id: "acknowledgeNotifications", .notifications,
                "Marks notifications as seen by this token",
                details:
                    "Ids of rows that are not there are passed over. `notification_ids` is another word for `ids`.",
                body: .object([
                    "ids?": .list(of: .text("A row's `id`"), "At most 200"),
                    "notification_ids?": .list(of: .text("The same")),
                ]),
                answers: [.fresh(.object(["status": .constant("ok")]))],
                failures: [400: "No list of ids, or one of more than 200"]
            ).ours,
        ]
    }

    static var linkSessions: [OpenAPIOperation] {
        [
            OpenAPIOperation(
                "GET /api/v1/devices", id: "devices", .notifications, "The radios, the one that was seen last first",
                query: [sessionSource], answers: [.ok(.object(["devices": .list(of: .named("Device"))]))],
                failures: [404: "No such source"]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/devices/{deviceId}/sessions", id: "deviceSessions", .notifications,
                "The links to one radio, newest first", query: sessionPage, answers: [.ok(sessions)],
                failures: [400: noStatus, 404: "No such source"]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/sessions", id: "sessions", .notifications, "The links to all radios, newest first",
                query: sessionPage + [sessionSource], answers: [.ok(sessions)],
                failures: [400: noStatus, 404: "No such source"]
            ).ours,
            OpenAPIOperation(
                "GET /api/v1/sessions/{sessionId}/events", id: "sessionEvents", .notifications,
                "What happened to a link and its radio, and to the gateway meanwhile, newest first",
                details:
                    "What is about a node's key is shown to tokens that may see the node, the radio's own words to tokens "
                    + "that may see all nodes.",
                query: [.limit(100, cap: 200)],
                answers: [.ok(.object(["events": .list(of: .named("SessionEvent"))]))],
                failures: [404: "No such session"]
            ).ours,
        ]
    }

    private static let sessionSource = Parameter(
        "source", .text(), "A source's id, or `default`; without it all radios")
    private static let noStatus = "There is no such status"

    private static let sessionPage = [
        Parameter("status", .text(), "Only those of this status"), .limit(50, cap: 200), .offset,
        Parameter("exclude_ended", .word(["true", "false"]), "`true`: only those that go on"),
    ]

    private static let sessions: JSONSchema = .object([
        "sessions": .list(of: .named("Session")), "has_more": .flag(),
        "next_offset": .count("The `offset` of the next page"),
    ])
}

extension Schemas {
    static var notifications: [Named] {
        [
            (
                "Notification",
                .object([
                    "id": .uuid(), "event_id": .count("Grows from row to row"),
                    "session_id": .text("The link that its radio had"), "device_id": .text("Its radio's source"),
                    "title": .text(), "body": .text(), "notification_type": .text("The rule's trigger, for programs"),
                    "payload_json": .text(
                        "An object as text: `rule`, `episode` (null: what it tells has no end), `state` (`begins`, `lasts`, "
                            + "`ends`), `node`, `messageId`, `link` (below the web page)"),
                    "created_at": .time("No other row has it, and it never goes back"),
                    "acknowledged": .flag("By this token"),
                ])
            )
        ]
    }

    static var linkSessions: [Named] {
        [
            (
                "Device",
                .object([
                    "device_id": .uuid("A source's id"), "device_name": .text("Its name"),
                    "platform": .constant("linux"), "first_seen": .time(""),
                    "last_seen": .time("The last thing that happened, as far as the token may know"),
                    "active_sessions": .count("1 while the link is live"),
                ])
            ),
            (
                "Session",
                .object([
                    "session_id": .text("The source's id, a dot, a number"), "device_id": .uuid("The source's id"),
                    "started_at": .time(""), "last_event": .time(""),
                    "status": .word(
                        ["active", "idle", "waiting_for_input", "ended"],
                        "`idle`: nothing heard for 15 minutes, for a token that may read everything; `waiting_for_input`: keys in "
                            + "doubt, or no region"),
                    "cwd": .null, "title?": .text("The port, and the radio's firmware"), "device_name": .text(),
                    "platform": .constant("linux"),
                ])
            ),
            (
                "SessionEvent",
                .object([
                    "id": .count("Grows"), "hook_event_name": .word(["SessionStart", "SessionEnd", "Notification"]),
                    "timestamp": .time(""), "tool_name": .null,
                    "notification_type": .text("In kebab-case; null: `hook_event_name` says it").orNull,
                    "message": .text("For people").orNull,
                ])
            ),
        ]
    }
}

extension JSONSchema {
    fileprivate static func time(_ about: String) -> JSONSchema {
        .text(about, pattern: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#)
    }
}
