import HTTPServer
import JSON
import MeshModel
import Routes
import Store

extension RestAPI {
    static let unifiedEndpoints: [Endpoint] = [
        .session(.get, "/api/unified/messages", Permission(.messages, .read), RestAPI.unifiedMessages)
    ]

    /// `/api/unified/messages`: the messages of all enabled sources, newest first. What several radios heard is one row
    /// that names them all.
    func unifiedMessages(_ call: Call) throws(APIError) -> Response {
        let limit = call.request.limit(default: 100, cap: 500)
        let tag = tag(call, .messages, .channels, .sources, .nodes)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let sources = try knownSources.all(of: store).filter(\.source.isEnabled)
        let rows = try read("messages") { reader -> [UnifiedMessage] in
            var receptions: [UnifiedMessage.Reception] = []
            for source in sources {
                let channels = try ChannelNames(source, reader, lora: gateway.status(of: source.id).lora)
                guard let query = MessageQuery(unified: call, limit: limit, in: source.id, channels) else { continue }
                receptions += try reader.messages(query).map { UnifiedMessage.Reception(source, $0, channels) }
            }
            var rows = UnifiedMessage.merged(receptions, limit: limit)
            for place in rows.indices {
                let first = rows[place].first
                rows[place].sender = try reader.node(first.message.from, in: first.source.id)
                    .flatMap { call.caller.mayShow($0) ? $0 : nil }
            }
            return rows
        }
        var json = JSONWriter(capacity: 1024 * (rows.count + 1))
        json.array { json in
            for row in rows { json.unified(row, for: call.caller) }
        }
        return .json(.bytes(json.bytes), tag: tag)
    }
}

extension MessageQuery {
    /// Nil when nothing can match in this source.
    fileprivate init?(unified call: Call, limit: Int, in source: SourceID, _ channels: ChannelNames) {
        guard let before = call.request.number("before") else { return nil }
        var channel: Int?
        if let text = call.request.queryValue("channel"), !text.isEmpty {
            // The same channel has another index in each radio, but the same name; "2m" is one, "2" a number.
            guard let index = channels.index(called: text) ?? Int(wholeNumber: text) else { return nil }
            channel = index
        }
        self.init(
            source: source, channel: channel, channels: call.caller.readableChannels, before: before, limit: limit)
    }
}

extension Int {
    /// Digits with a sign or `0x` before them, and nothing else.
    fileprivate init?(wholeNumber text: String) {
        let digits = text.lowercased()
        guard let number = digits.hasPrefix("0x") ? Int(digits.dropFirst(2), radix: 16) : Int(text) else { return nil }
        self = number
    }
}

/// One message, however many radios heard it.
private struct UnifiedMessage {
    struct Reception {
        var source: FoundSource
        var message: Message
        /// Nil for a direct message.
        var channelName: String?

        init(_ source: FoundSource, _ message: Message, _ channels: ChannelNames) {
            (self.source, self.message) = (source, message)
            channelName = message.channel < 0 ? nil : channels[message.channel]
        }
    }

    var receptions: [Reception]
    /// Nil: it has no row, or may not be seen.
    var sender: Node?

    /// The one that came first.
    var first: Reception { receptions[0] }

    /// Sender and packet, as python-meshmonitor counts messages.
    static func key(_ message: Message) -> String { "mt:\(message.from.id):p\(message.packetID)" }

    static func merged(_ receptions: [Reception], limit: Int) -> [UnifiedMessage] {
        let newestFirst = receptions.sorted { $0.message.createdAt > $1.message.createdAt }
        var places: [String: Int] = [:]
        var rows: [UnifiedMessage] = []
        for reception in newestFirst {
            let key = key(reception.message)
            if let place = places[key], !rows[place].receptions.contains(where: { $0.source.id == reception.source.id })
            {
                rows[place].receptions.insert(reception, at: 0)
            } else {
                places[key] = rows.count
                rows.append(UnifiedMessage(receptions: [reception]))
            }
        }
        return Array(rows.prefix(limit))
    }
}

extension JSONWriter {
    fileprivate mutating func unified(_ row: UnifiedMessage, for caller: Caller) {
        let first = row.first
        message(first.message, source: first.source.source.uuid, for: caller) { json in
            json.member("channelName", first.channelName)
            json.member("fromNodeLongName", row.sender?.shownLongName)
            json.member("fromNodeShortName", row.sender?.shownShortName)
            json.member("dedupKey", UnifiedMessage.key(first.message))
            json.key("receptions")
            json.array { json in
                for reception in row.receptions {
                    let (source, message) = (reception.source.source, reception.message)
                    json.object { json in
                        json.member("sourceId", source.uuid)
                        json.member("sourceName", source.name)
                        json.member("messageId", message.id)
                        json.member("timestamp", message.timestamp)
                        json.float("rxSnr", message.rxSNR)
                        json.member("rxRssi", message.rxRSSI)
                        json.member("hopStart", message.hopStart)
                        json.member("hopLimit", message.hopLimit)
                    }
                }
            }
        }
    }
}
