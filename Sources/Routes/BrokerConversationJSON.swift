import JSON
import MeshModel
import Store

extension JSONWriter {
    /// The members of a conversation over a broker: what it is made of, and how it is connected.
    ///
    /// - Parameter waiting: texts that the broker has not taken yet.
    public mutating func members(of conversation: BrokerConversation, _ door: ConversationDoor, waiting: Int) {
        let connection = door.connection(conversation)
        member("name", conversation.name)
        member("title", conversation.title)
        member("broker", conversation.broker)
        key("filters")
        array { json in for filter in conversation.filters { json.value(filter.text) } }
        member("topic", conversation.topic)
        member("canSend", conversation.canSend)
        member("qos", conversation.qos)
        member("json", conversation.isJSON)
        member("from", conversation.writer)
        member("sealed", conversation.isSealed)
        member("keyId", conversation.keyID)
        self.connection(connection)
        member("waiting", waiting)
        member("unopened", connection.unopened)
        member("unsealed", connection.unsealed)
        key("bridge")
        if let bridge = conversation.bridge { self.bridge(bridge, door.bridge(conversation)) } else { null() }
        key("channels")
        array { json in for channel in conversation.channels.sorted() { json.value(channel) } }
    }

    private mutating func bridge(_ bridge: ConversationBridge, _ report: ConversationBridge.Report) {
        object { json in
            json.member("channel", bridge.channel)
            json.member("source", bridge.source)
            json.member("up", bridge.goesUp)
            json.member("down", bridge.goesDown)
            json.member("textsPerHour", bridge.textsPerHour)
            json.member("reason", bridge.stop)
            json.member("dropped", report.dropped)
            json.member("lastReason", report.lastReason)
            json.key("warnings")
            json.array { json in for warning in report.warnings { json.value(warning) } }
        }
    }

    /// The member `connection`.
    public mutating func connection(_ connection: ConversationDoor.Connection) {
        key("connection")
        object { json in
            json.member("state", connection.state.rawValue)
            json.member("since", connection.since.map { ISO8601.text($0) })
            json.member("reason", connection.reason)
        }
    }
}
