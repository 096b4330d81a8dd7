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

/// Which messages of a source: `?channel=` (number or name), `?with=` (a node: the direct messages with it; or a
/// conversation over a broker, which is a source of its own), `?since=` (milliseconds since 1970, exclusive), `?limit=`
/// (50).
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
        let broker = try question.brokerSource()
        source = try broker ?? question.source()
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
        node = try request.queryValue("with").flatMap { name in
            try broker == nil ? question.node(named: name, in: source, allowsStranger: true).number : nil
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

extension Reader {
    /// What a message has besides as a text over a broker; nil: it is a radio's.
    fileprivate func textOverBroker(_ message: Message, in source: FoundSource) throws -> BrokerText? {
        guard source.source.brokerConversation != nil else { return nil }
        // One that was deleted meanwhile has nothing.
        return try brokerTexts(of: [message.packetID], in: source.id)[message.packetID]
            ?? BrokerText(topic: "", writer: "")
    }
}

extension JSONWriter {
    /// The members of a message as the command line shows it.
    mutating func told(
        _ message: Message, _ source: FoundSource, _ channels: ChannelNames, _ reader: Reader
    ) throws {
        let text = try reader.textOverBroker(message, in: source)
        // What became of it in detail is known of single messages only.
        let message = message.isOwn ? try reader.message(id: message.id, in: source.id) ?? message : message
        member("id", message.id)
        member("packetId", message.packetID)
        time("time", milliseconds: message.timestamp)
        key("from")
        if let text { object { $0.writer(text) } } else { try party(message.from, source, reader) }
        key("to")
        if message.to.isBroadcast { null() } else { try party(message.to, source, reader) }
        let channel = text != nil || message.channel < 0 ? nil : message.channel
        member("channel", channel)
        member("channelName", channel.flatMap { channels[$0] })
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
        member("topic", text?.topic)
        member("writer", text?.writer)
        member("sender", message.sender?.text)
    }

    /// In the place of a node: who writes over a broker is none.
    private mutating func writer(_ text: BrokerText) {
        let nobody = NodeNumber(0)
        member("nodeId", nobody.id)
        member("nodeNum", nobody.rawValue)
        member("longName", text.writer)
        member("shortName", "")
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
