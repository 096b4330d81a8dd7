import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway conversations`: where something was said last, at a radio and over brokers.

extension ControlAPI {
    static let conversationPages: [LocalPage] = [
        LocalPage("/local/conversations", "conversations/1") { question, json in
            let source = try question.source()
            let limit = question.request.limit(default: 20, cap: 1000)
            let reader = question.reader
            let channels = try question.channelNames(of: source)
            var places = try reader.conversations(in: source.id, channels: nil).map { (source: source, place: $0) }
            if question.request.queryValue("source") ?? "" == "" {
                for one in try reader.placesOverBrokers() {
                    // The radio's are in their order: this one goes before the first one with less to tell.
                    let index = one.place.newest.flatMap { newest in
                        places.firstIndex { $0.place.newest.map { $0 < newest } ?? true }
                    }
                    places.insert(one, at: index ?? places.count)
                }
            }
            let now = WallClock.milliseconds()
            let mutes = try Dictionary(
                places.prefix(limit).map { ($0.source.id, $0.source.id) }, uniquingKeysWith: { first, _ in first }
            ).mapValues { try reader.mutes(by: 0, in: $0).filter { $0.value.holds(at: now) } }
            json.source(source)
            json.member("total", places.count)
            json.key("conversations")
            try json.array { json in
                for (source, place) in places.prefix(limit) {
                    try json.object { json in
                        try json.told(place, source, channels, reader)
                        let mute = mutes[source.id]?[place.conversation]
                        json.member("muted", mute != nil)
                        json.time("mutedUntil", milliseconds: mute?.end)
                    }
                }
            }
        }
    ]
}

extension Reader {
    /// Where something was said over brokers last, each with its source.
    fileprivate func placesOverBrokers() throws -> [(source: FoundSource, place: ConversationPlace)] {
        try brokerConversations().compactMap { found in
            guard let source = try source(found.source) else { return nil }
            let newest = try newest(of: .channel(0), in: found.source)
            return ((found.source, source), ConversationPlace(conversation: .channel(0), newest: newest))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func told(
        _ place: ConversationPlace, _ source: FoundSource, _ channels: ChannelNames, _ reader: Reader
    ) throws {
        member("id", source.source.brokerConversation ?? place.conversation.id)
        switch place.conversation {
        case _ where source.source.brokerConversation != nil:
            null("channel")
            member("channelName", source.source.name)
            null("node")
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
