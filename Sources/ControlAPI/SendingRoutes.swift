import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway send`: a text into the outbox, and what becomes of it.

extension ControlAPI {
    static let sendingEndpoints: [Endpoint] = [
        .local(.post, "/local/messages", ControlAPI.sendLocally),
        .local(.get, "/local/sent/follow", ControlAPI.followSent),
    ]

    /// `GET /local/sent?id=…`: how far these messages have come, the parts of one text.
    static let sendingPages: [LocalPage] = [sentPage]

    private static let sentPage = LocalPage("/local/sent", "send/1") { question, json in
        try SentText(question).write(question.reader, &json)
    }

    /// `POST /local/messages {text, channel | to, replyTo?, alert?, queue?, expiresIn?}`: a channel by number or name, a
    /// node by id, number or name, or a conversation over a broker; a message by its id or packet id; `queue` and
    /// `expiresIn` as ``Waiting`` has them.
    private func sendLocally(_ call: Call) throws(APIError) -> Response {
        guard let body = call.body else { throw .badRequest("The request body must be JSON") }
        if let id = body["to"]?.string, id.hasPrefix(BrokerConversation.idPrefix) {
            return try sendOverBroker(call, body, to: id)
        }
        let (source, text) = try question(call) { question in
            let source = try question.source()
            return (source, try outgoing(body, in: source, question))
        }
        let messages: [Message]
        do {
            messages = try gateway.send(text, by: call.caller.sender, to: source.id)
        } catch {
            throw refusal(error, source)
        }
        let ids = messages.map { "&id=\($0.id)" }.joined()
        let sent = Request(target: "/local/sent?source=\(source.source.uuid)\(ids)", peer: call.request.peer)
        return try read("the message") { try Self.sentPage.render(question(sent, $0)) }
    }

    private func sendOverBroker(_ call: Call, _ body: JSONValue, to id: String) throws(APIError) -> Response {
        for name in ["channel", "replyTo", "alert", "queue", "expiresIn"] where body[name] != nil {
            throw .badRequest(
                "\(name) is of radios: over a broker there are texts alone, each of which waits for a day")
        }
        try call.request.checkNamesNoSource()
        let name = String(id.dropFirst(BrokerConversation.idPrefix.count))
        let text = try TextForBroker(body["text"]?.string ?? "", for: name)
        let (caller, now) = (call.caller, clock())
        let message: Message
        do {
            message = try store.commit { try text.accept($0, by: caller, at: now).0 }
        } catch let error as APIError {
            throw error
        } catch {
            throw .failed("The text could not be stored: \(error)")
        }
        conversationDoor.textWaits()
        let sent = Request(
            target: "/local/sent?with=\(PercentEncoding.segment(id))&id=\(message.id)", peer: call.request.peer)
        return try read("the message") { try Self.sentPage.render(question(sent, $0)) }
    }

    private func outgoing(
        _ body: JSONValue, in source: FoundSource, _ question: LocalQuestion
    ) throws -> OutgoingText {
        let text = (body["text"]?.string ?? "").withoutControlCharacters.trimmed
        guard !text.isEmpty else { throw APIError.badRequest("There is no text to send") }
        let isAlert = body["alert"]?.bool == true
        guard !isAlert || text.utf8.count <= MessageSplitter.maximumBytes else {
            throw APIError.badRequest(
                "An alert is one packet of \(MessageSplitter.maximumBytes) bytes at most; shorten it")
        }
        let destination = try destination(body, in: source, question)
        let isDirect = if case .node = destination { true } else { false }
        let waiting = try Waiting(body, standard: queueing, isDirect: isDirect)
        let replyID = try body["replyTo"].map { try answered($0, in: source, question.reader) }
        return OutgoingText(
            text: text, destination: destination, replyID: replyID, isTapback: replyID != nil && text.isOneEmoji,
            port: isAlert ? .alert : .textMessage,
            waits: waiting.waits, untilHeard: waiting.untilHeard, lifetime: waiting.lifetime)
    }

    private func destination(
        _ body: JSONValue, in source: FoundSource, _ question: LocalQuestion
    ) throws -> OutgoingText.Destination {
        switch (body["channel"]?.word, body["to"]?.word) {
        case (let word?, nil):
            let names = try question.channelNames(of: source)
            let index = try names.index(named: word)
            guard (0...7).contains(index) else {
                throw APIError.conflict(
                    "The gateway only listens on channel \(index), whose key the radio does not have")
            }
            guard names[index] != nil || index == 0 else {
                throw APIError.notFound("The radio has no channel \(index); mesh-gateway channels lists them")
            }
            return .channel(index)
        case (nil, let word?):
            let number = try question.node(named: word, in: source, allowsStranger: true).number
            guard !number.isBroadcast else {
                throw APIError.badRequest("\"\(word)\" is everybody; send it to a channel: --channel 0")
            }
            return .node(number)
        default: throw APIError.badRequest("Say where it goes: either --channel or --to")
        }
    }

    /// The message that is answered.
    private func answered(_ value: JSONValue, in source: FoundSource, _ reader: Reader) throws -> PacketID {
        let word = value.word ?? ""
        if let known = try reader.message(id: word, in: source.id) { return known.packetID }
        // Of a message that went by before the gateway was there.
        if let id = PacketID(word), id != 0 { return id }
        throw APIError.notFound("There is no message \"\(word)\" to reply to; mesh-gateway messages shows their ids")
    }

    private func refusal(_ refusal: SendRefusal, _ source: FoundSource) -> APIError {
        switch refusal {
        case .notConnected:
            let advice = gateway.status(of: source.id).link.problem.map { ": " + $0.advice.withoutFullStop } ?? ""
            return .coded(
                503, "The radio is not connected\(advice). With --queue the text waits for it", code: "NOT_CONNECTED")
        case .transmitDisabled:
            return .coded(
                409, "The radio's transmitter is switched off; set lora.tx_enabled to true, and send it again",
                code: "TX_DISABLED")
        case .tooLong(let parts):
            return .coded(
                413,
                "The text needs \(parts) packets, and \(MessageSplitter.maximumParts) of "
                    + "\(MessageSplitter.maximumBytes) bytes are the most; shorten it, or send it in several messages",
                code: "TOO_LONG")
        case .keyInDoubt(let node): return .keyInDoubt(node)
        case .storage(let reason): return .failed("The text could not be stored: \(reason)")
        }
    }

    /// `GET /local/sent/follow?id=…`: the page `sent` as a line, and again whenever it has changed, until nothing more is
    /// to be expected.
    private func followSent(_ call: Call) throws(APIError) -> Response {
        let listener = gateway.events.listen(to: [.message, .delivery])
        let sent = try question(call) { try SentText($0) }
        let stream = LiveStream(listener, store) { reader in
            try sent.line(reader)
        } next: { told, reader in
            let concerns = told.events.contains { $0.what.message.map { sent.ids.contains($0.id) } ?? false }
            return concerns || told.missed > 0 ? try sent.line(reader) : LiveStream.Lines()
        }
        return stream.response
    }
}

/// A text that was sent, as one message or several.
private struct SentText {
    let source: FoundSource
    let ids: [String]
    private let channels: ChannelNames

    /// What became of it; of several parts the first of these that is true of one.
    enum Outcome: String, CaseIterable {
        case failed
        /// It waited too long, or was taken back: it was not sent.
        case expired
        /// Nobody has said a word about it in time.
        case unknown
        case pending
        /// Another node was heard repeating it: all that there is for a channel.
        case relayed
        /// The recipient has it.
        case confirmed
    }

    init(_ question: LocalQuestion) throws {
        source = try question.brokerSource() ?? question.source()
        channels = try question.channelNames(of: source)
        let ids = question.request.query.filter { $0.key == "id" }.map(\.value)
        guard !ids.isEmpty else { throw APIError.badRequest("No message is named (id)") }
        let source = source
        self.ids = try ids.map { id in
            guard let message = try question.reader.message(id: id, in: source.id), message.isOwn else {
                throw APIError.notFound("There is no own message \"\(id)\"")
            }
            return message.id
        }
    }

    func line(_ reader: Reader) throws -> LiveStream.Lines {
        var lines = LiveStream.Lines()
        var isSettled = false
        try lines.add { json in
            json.member("schema", "send/1")
            isSettled = try write(reader, &json)
        }
        lines.areLast = isSettled
        return lines
    }

    /// - Returns: whether nothing more is to be expected.
    @discardableResult
    func write(_ reader: Reader, _ json: inout JSONWriter) throws -> Bool {
        // What was deleted meanwhile is nobody's business any more.
        let messages = try ids.compactMap { try reader.message(id: $0, in: source.id) }
        let outcomes = messages.map { Outcome($0.delivery ?? Delivery()) }
        let isSettled = messages.allSatisfy { $0.delivery?.isSettled(isDirect: $0.channel < 0) ?? true }
        json.source(source)
        json.member("outcome", (Outcome.allCases.first { outcomes.contains($0) } ?? .expired).rawValue)
        json.member("isSettled", isSettled)
        json.key("messages")
        try json.array { json in
            for message in messages { try json.object { try $0.told(message, source, channels, reader) } }
        }
        return isSettled
    }
}

extension SentText.Outcome {
    fileprivate init(_ delivery: Delivery) {
        switch (delivery.state, delivery.cause) {
        case (.queued, _), (.handed, _), (.accepted, _): self = .pending
        case (.relayed, _): self = .relayed
        case (.confirmed, _): self = .confirmed
        case (.failed, .noAnswer), (.failed, .uncertain): self = .unknown
        case (.failed, .expired), (.failed, .cancelled): self = .expired
        case (.failed, .earlierPart), (.failed, nil): self = .failed
        }
    }
}

extension JSONValue {
    /// A text, or a number as it would be typed.
    fileprivate var word: String? { string ?? integer.map { String($0) } }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
