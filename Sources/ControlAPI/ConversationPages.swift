import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway conversations`: where something was said last.

extension ControlAPI {
    static let conversationPages: [LocalPage] = [
        LocalPage("/local/conversations", "conversations/1") { question, json in
            let source = try question.source()
            let limit = question.request.limit(default: 20, cap: 1000)
            let reader = question.reader
            let channels = try question.channelNames(of: source)
            let places = try reader.conversations(in: source.id, channels: nil)
            let mutes = try reader.mutes(by: 0, in: source.id).filter { $0.value.holds(at: WallClock.milliseconds()) }
            json.source(source)
            json.member("total", places.count)
            json.key("conversations")
            try json.array { json in
                for place in places.prefix(limit) {
                    try json.object { json in
                        try json.told(place, source, channels, reader)
                        let mute = mutes[place.conversation]
                        json.member("muted", mute != nil)
                        json.time("mutedUntil", milliseconds: mute?.end)
                    }
                }
            }
        }
    ]
}

extension JSONWriter {
    fileprivate mutating func told(
        _ place: ConversationPlace, _ source: FoundSource, _ channels: ChannelNames, _ reader: Reader
    ) throws {
        member("id", place.conversation.id)
        switch place.conversation {
        case .channel(let index):
            member("channel", index)
            member("channelName", channels[index])
            null("node")
        case .direct(let number):
            null("channel")
            null("channelName")
            key("node")
            try party(number, source, reader)
        case .allDirect: break
        }
        // Users of this machine have the marks of no token.
        member("unread", try reader.unread(place.conversation, by: 0, in: source.id, limit: 100))
        key("lastMessage")
        guard let message = try place.newest.flatMap({ try reader.message(at: $0, in: source.id) }) else {
            return null()
        }
        try object { try $0.told(message, source, channels, reader) }
    }
}
