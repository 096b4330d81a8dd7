import Gateway
import HTTPServer
import MeshModel
import Routes
import Store
import Synchronization

extension ControlAPI {
    static let messageStreamEndpoints: [Endpoint] = [
        .local(.get, "/local/messages/follow", ControlAPI.followMessages)
    ]

    /// `GET /local/messages/follow`: the messages of the page with the same query, then each one that is stored, and own
    /// ones again whenever more is known of how far they have come.
    private func followMessages(_ call: Call) throws(APIError) -> Response {
        let listener = gateway.events.listen(to: [.message, .delivery])
        let selection = try question(call) { try MessageSelection($0) }
        @Sendable func add(_ message: Message, _ event: String, _ reader: Reader, to lines: inout LiveStream.Lines)
            throws
        {
            try lines.add { json in
                json.member("schema", "message/1")
                json.member("event", event)
                json.source(selection.source)
                json.key("message")
                try json.object { try $0.told(message, selection.source, selection.channels, reader) }
            }
        }
        // What came while the page was read is on it, and is told besides.
        let known = Mutex<Set<String>>([])
        let stream = LiveStream(listener, store) { reader in
            var lines = LiveStream.Lines()
            for message in try selection.newest(reader) {
                known.withLock { _ = $0.insert(message.id) }
                try add(message, "known", reader, to: &lines)
            }
            return lines
        } next: { told, reader in
            var lines = LiveStream.Lines()
            // A reader that was too slow reads again: none of the last ones is to be missing.
            if told.missed > 0 {
                for message in try selection.newest(reader) { try add(message, "known", reader, to: &lines) }
            }
            for event in told.events where event.source == selection.source.id {
                guard let (id, name) = event.what.message,
                    let message = try reader.message(id: id, in: selection.source.id), selection.contains(message)
                else { continue }
                if name == "stored", known.withLock({ $0.remove(id) }) != nil { continue }
                try add(message, name, reader, to: &lines)
            }
            return lines
        }
        return stream.response
    }
}

extension Event.What {
    /// Which message it is about, and in a word what has become of it.
    var message: (id: String, name: String)? {
        switch self {
        case .message(let id): (id, "stored")
        case .delivery(let id, _): (id, "delivery")
        default: nil
        }
    }
}
