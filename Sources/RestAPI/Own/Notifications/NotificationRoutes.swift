import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Our own routes for the feed of notifications, in the shapes that clients of the claudiator family read: they ask `ping` whether
// `notification_version` differs, and fetch the rows after the last one that they have.

extension RestAPI {
    static let notificationEndpoints: [Endpoint] = [
        .v1(.get, "notifications", Permission(.notifications, .read), RestAPI.notifications),
        .v1(.post, "notifications/ack", Permission(.notifications, .read), RestAPI.acknowledgeNotifications),
    ]

    private static let day: Int64 = 86_400_000

    /// `notifications?after=&limit=`: oldest first.
    func notifications(_ call: Call) throws(APIError) -> Response {
        let limit = call.request.limit(default: 50, cap: 200)
        let after = try call.request.after()
        let shown = try read("notifications") { reader in
            var seen = try SeenFeed(call.caller, reader)
            let rows = try feed.rows(after: try time(after, reader), limit: limit, reader) { try seen.sees($0) }
            return try seen.shown(rows)
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.key("notifications")
                json.array { json in
                    for row in shown { json.notification(row) }
                }
            }
        }
    }

    /// The host time after which rows are wanted: a day ago unless `after` gives a usable one.
    private func time(_ after: FeedPlace?, _ reader: Reader) throws -> Int64 {
        let now = clock()
        switch after {
        case .row(let uuid):
            if let time = try feed.time(of: uuid, reader) { return time }
        case .time(let time):
            // A future time with no row at or after it came from a clock that was ahead and has been set right.
            if try time <= now || !reader.feed(after: time - 1, limit: 1).isEmpty { return time }
        case nil: break
        }
        return now - Self.day
    }

    /// More rows than `notifications` gives at once.
    private static let acknowledgedAtOnce = 200

    /// `notifications/ack {ids}`: this token has seen them, 200 at most. Unknown ids are ignored.
    func acknowledgeNotifications(_ call: Call) throws(APIError) -> Response {
        guard let named = (call.body?["ids"] ?? call.body?["notification_ids"])?.array else {
            throw .badRequest("ids must be a list of the ids of notifications")
        }
        let ids = named.compactMap(\.string)
        guard ids.count == named.count else { throw .badRequest("ids must be texts, as a notification's id is") }
        guard ids.count <= Self.acknowledgedAtOnce else {
            throw .badRequest("ids must be \(Self.acknowledgedAtOnce) at most")
        }
        let (token, known) = (call.caller.token ?? 0, ids.map { $0.lowercased() })
        return try commitShared(call, failing: "Failed to acknowledge notifications") {
            try $0.changes(acknowledging: known, by: token)
        } change: {
            try $0.acknowledge(known, by: token)
        } answer: {
            .json(to: call.request) { json in json.object { $0.member("status", "ok") } }
        }
    }
}

/// The place in the feed after which rows are wanted.
private enum FeedPlace {
    case row(String)
    /// Host milliseconds.
    case time(Int64)
}

extension Request {
    /// `after`: the id of a row, or a time. nil if it is absent or empty.
    fileprivate func after() throws(APIError) -> FeedPlace? {
        guard let text = queryValue("after"), !text.isEmpty else { return nil }
        if text.isUUID { return .row(text) }
        guard let time = ISO8601.milliseconds(text) ?? Int64(text) else {
            throw .badRequest(
                "after must be a notification's id or its created_at, such as 2026-08-22T09:21:35.120Z; this is neither: "
                    + text.quotedStart)
        }
        return .time(time)
    }
}

extension String {
    fileprivate var isUUID: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy { hexDigit($0) != nil } }
    }
}
