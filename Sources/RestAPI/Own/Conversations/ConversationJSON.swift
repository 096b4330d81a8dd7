import JSON
import MeshModel
import Routes
import Store

extension JSONWriter {
    mutating func conversation(_ row: ConversationRow, for call: Call) {
        object { json in
            json.member("id", row.broker?.id ?? row.conversation.id)
            switch row.conversation {
            case _ where row.broker != nil:
                json.member("type", "mqtt")
                json.member("channel", -1)
                json.null("nodeId")
            case .channel(let index):
                json.member("type", "channel")
                json.member("channel", index)
                json.null("nodeId")
            case .direct(let number):
                json.member("type", "direct")
                json.member("channel", -1)
                json.member("nodeId", number.id)
            case .allDirect: break
            }
            json.member("name", row.name)
            json.member("shortName", row.shortName)
            json.member("isPublic", row.isPublic)
            json.key("lastMessage")
            let source = row.broker?.uuid ?? call.source.source.uuid
            if let last = row.last {
                json.message(last, source: source, for: call.caller) {
                    if let broker = row.broker { $0.about(broker.last) }
                }
            } else {
                json.null()
            }
            json.member("lastSender", row.lastSender)
            json.member("unreadCount", row.unread)
            json.member("muted", row.mute != nil)
            json.member("mutedUntil", row.mute?.end)
            json.member("canSend", row.obstacle == nil)
            json.key("cannotSend")
            if let obstacle = row.obstacle { json.obstacle(obstacle) } else { json.null() }
            json.member("sourceId", source)
            if let broker = row.broker { json.connection(broker.connection) }
        }
    }

    private mutating func obstacle(_ obstacle: ConversationRow.Obstacle) {
        object { json in
            json.member("code", obstacle.code)
            json.member("message", obstacle.message)
            guard let required = obstacle.required else { return }
            json.key("required")
            json.object { json in
                json.member("resource", required.resource.name)
                json.member("action", required.action.rawValue)
            }
        }
    }
}
