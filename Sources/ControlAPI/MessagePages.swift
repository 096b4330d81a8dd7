import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway messages`: what was said, and how far own messages have come.

extension ControlAPI {
    static let messagePages: [LocalPage] = [
        LocalPage("/local/messages", "messages/1") { question, json in
            let selection = try MessageSelection(question)
            json.source(selection.source)
            json.key("messages")
            try json.array { json in
                for message in try selection.newest(question.reader) {
                    try json.object { try $0.told(message, selection.source, selection.channels, question.reader) }
                }
            }
        }
    ]
}

/// Which messages of a source: `?channel=` (number or name), `?with=` (a node: the direct messages with it), `?since=`
/// (milliseconds since 1970, exclusive), `?limit=` (50).
struct MessageSelection {
    let source: FoundSource
    let channels: ChannelNames
    private let channel: Int?
    private let node: NodeNumber?
    private let since: Int64?
    private let limit: Int

    /// Of a page that grows without end nobody reads the beginning.
    private static let longest: Int64 = 5000

    init(_ question: LocalQuestion) throws {
        let request = question.request
        source = try question.source()
        channels = try question.channelNames(of: source)
        if let word = request.queryValue("channel") {
            guard request.queryValue("with") == nil else {
                throw APIError.badRequest("Direct messages are on no channel; give either --channel or --with")
            }
            channel = try channels.index(named: word)
        } else {
            channel = nil
        }
        let source = source
        node = try request.queryValue("with").map {
            try question.node(named: $0, in: source, allowsStranger: true).number
        }
        since = request.queryValue("since").flatMap { Int64($0) }
        limit = request.limit(default: 50, cap: Self.longest)
    }

    /// The newest ones, in the order in which they came.
    func newest(_ reader: Reader) throws -> [Message] {
        var query = MessageQuery(source: source.id, since: since, limit: limit)
        var found: [Message]
        if let node {
            query.channel = -1
            query.from = node
            found = try reader.messages(query)
            (query.from, query.to) = (nil, node)
            // Notes to oneself would come twice.
            found += try reader.messages(query).filter { $0.from != node }
            found.sort { ($0.createdAt, $0.packetID) > ($1.createdAt, $1.packetID) }
        } else {
            query.channel = channel
            found = try reader.messages(query)
        }
        // The store also finds what was said before, and has changed since.
        return found.filter { message in since.map { message.createdAt > $0 } ?? true }.prefix(limit).reversed()
    }

    /// Whether a message that has just come belongs to them.
    func contains(_ message: Message) -> Bool {
        if let node { return message.channel < 0 && (message.from == node || message.to == node) }
        return channel.map { message.channel == $0 } ?? true
    }
}

extension JSONWriter {
    /// The members of a message as the command line shows it.
    mutating func told(
        _ message: Message, _ source: FoundSource, _ channels: ChannelNames, _ reader: Reader
    ) throws {
        // What became of it in detail is known of single messages only.
        let message = message.isOwn ? try reader.message(id: message.id, in: source.id) ?? message : message
        member("id", message.id)
        member("packetId", message.packetID)
        time("time", milliseconds: message.timestamp)
        key("from")
        try party(message.from, source, reader)
        key("to")
        if message.to.isBroadcast { null() } else { try party(message.to, source, reader) }
        member("channel", message.channel < 0 ? nil : message.channel)
        member("channelName", message.channel < 0 ? nil : channels[message.channel])
        member("text", message.text)
        member("port", message.port.name)
        member("replyTo", message.replyID)
        member("isTapback", message.isTapback)
        member("isAlert", message.isAlert)
        member("isOwn", message.isOwn)
        member("hopsAway", message.hopsAway)
        float("snr", message.isOwn ? nil : message.rxSNR)
        member("rssi", message.isOwn ? nil : message.rxRSSI)
        member("viaMqtt", message.viaMQTT)
        member("pkiEncrypted", message.pkiEncrypted)
        member("spoofSuspected", message.spoofSuspected)
        key("delivery")
        if let delivery = message.delivery { told(delivery, of: message) } else { null() }
    }

    mutating func party(_ number: NodeNumber, _ source: FoundSource, _ reader: Reader) throws {
        let node = try reader.node(number, in: source.id)
        object { $0.who(number, node) }
    }

    private mutating func told(_ delivery: Delivery, of message: Message) {
        object { json in
            json.member("state", delivery.detailName)
            json.member("reason", delivery.explanation(of: message))
            json.member("errorCode", delivery.error?.rawValue)
            json.time("acknowledgedAt", milliseconds: delivery.ackedAt)
            json.time("changedAt", milliseconds: message.updatedAt)
            json.member("part", message.part?.number)
            json.member("parts", message.part?.count)
        }
    }
}
