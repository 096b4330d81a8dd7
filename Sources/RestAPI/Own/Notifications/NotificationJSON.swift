import JSON
import MeshModel
import Routes
import Store

/// A row of the feed, as one reader gets it.
struct ShownNotification {
    let row: FeedRow
    /// Its source's UUID; nil if it has no source.
    let device: String?
    let isAcknowledged: Bool
}

extension SeenFeed {
    func shown(_ rows: [FeedRow]) throws -> [ShownNotification] {
        let acknowledged = try reader.acknowledged(rows, by: token)
        return rows.map { row in
            let device = sources.first { $0.id == row.source }?.source.uuid
            return ShownNotification(
                row: shown(row), device: device, isAcknowledged: acknowledged.contains(row.id))
        }
    }
}

extension FeedRow.State {
    var name: String {
        switch self {
        case .begins: "begins"
        case .lasts: "lasts"
        case .ends: "ends"
        }
    }
}

extension JSONWriter {
    /// One row of `notifications`, in the shape of the claudiator family's server.
    mutating func notification(_ shown: ShownNotification) {
        let row = shown.row
        object { json in
            json.member("id", row.uuid)
            // The row's number would show how many rows the reader may not see.
            json.member("event_id", row.createdAt)
            json.member("session_id", shown.device.map { sessionID($0, row.session) } ?? "gateway")
            json.member("device_id", shown.device ?? "gateway")
            json.member("title", row.title)
            json.member("body", row.body)
            json.member("notification_type", row.type)
            json.member("payload_json", row.payload(shown.device))
            json.member("created_at", ISO8601.text(row.createdAt))
            json.member("acknowledged", shown.isAcknowledged)
        }
    }
}

/// A link to a radio, as clients name it: the source's UUID, and the row of the journal with which the link began.
func sessionID(_ source: String, _ row: Int64) -> String { "\(source).\(row)" }

extension FeedRow {
    /// For programs: an object as text.
    fileprivate func payload(_ source: String?) -> String {
        var json = JSONWriter(capacity: 200)
        json.object { json in
            json.member("rule", rule)
            json.member("episode", episode)
            json.member("state", state?.name)
            json.member("node", node?.id)
            json.member("messageId", messageID)
            json.member("link", link ?? source.flatMap(view))
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Where the web page shows what it is about; nil if nowhere.
    private func view(in source: String) -> String? {
        if let messageID, let conversation { return "#/\(source)/c/\(conversation.id)?m=\(messageID)" }
        return node.map { "#/\(source)/n/\($0.id)" }
    }
}
