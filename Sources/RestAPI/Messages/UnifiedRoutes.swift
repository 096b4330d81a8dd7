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
        let tag = tag(call, .messages, .channels, .sources)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let sources = try knownSources.all(of: store).filter(\.source.isEnabled)
        let rows = try read("messages") { reader -> [UnifiedMessage] in
            var receptions: [(source: Source, message: Message)] = []
            for (id, source) in sources {
                guard let query = try MessageQuery(unified: call, limit: limit, in: id, reader) else { continue }
                receptions += try reader.messages(query).map { (source, $0) }
            }
            return UnifiedMessage.merged(receptions, limit: limit)
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
    fileprivate init?(unified call: Call, limit: Int, in source: SourceID, _ reader: Reader) throws {
        guard let before = call.request.number("before") else { return nil }
        var channel: Int?
        if let text = call.request.queryValue("channel"), !text.isEmpty {
            // The same channel has another index in each radio, but the same name.
            guard
                let index = try parseInt(text).map({ Int(clamping: $0) })
                    ?? reader.channels(in: source).first(where: { $0.name == text })?.index
            else { return nil }
            channel = index
        }
        self.init(
            source: source, channel: channel, channels: call.caller.readableChannels, before: before, limit: limit)
    }
}

/// One message, however many radios heard it.
private struct UnifiedMessage {
    var receptions: [(source: Source, message: Message)]

    /// The one that came first.
    var first: (source: Source, message: Message) { receptions[0] }

    /// Sender and packet, as python-meshmonitor counts messages.
    static func key(_ message: Message) -> String { "mt:\(message.from.id):p\(message.packetID)" }

    static func merged(_ receptions: [(source: Source, message: Message)], limit: Int) -> [UnifiedMessage] {
        let newestFirst = receptions.sorted { $0.message.createdAt > $1.message.createdAt }
        var places: [String: Int] = [:]
        var rows: [UnifiedMessage] = []
        for reception in newestFirst {
            let key = key(reception.message)
            if let place = places[key], !rows[place].receptions.contains(where: { $0.source == reception.source }) {
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
        message(row.first.message, source: row.first.source.uuid, for: caller) { json in
            json.member("dedupKey", UnifiedMessage.key(row.first.message))
            json.key("receptions")
            json.array { json in
                for (source, message) in row.receptions {
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
