import Gateway
import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

extension RestAPI {
    /// `POST P/messages` (Contract 3.6). The limit counts requests that then fail, too.
    func send(_ call: Call) throws(APIError) -> Response { try send(call, as: .textMessage) }

    /// - Parameter port: of a text, or of an alert.
    func send(_ call: Call, as port: PortNumber) throws(APIError) -> Response {
        try counted(call) { (call: Call) throws(APIError) -> Response in
            guard let body = call.body else {
                throw .badRequest("The request body must be JSON (Content-Type: application/json)")
            }
            if let name = PostedBrokerText.conversation(in: body) { return try send(call, body, to: name, as: port) }
            let posted = try PostedMessage(body)
            let waiting = try Waiting(body, standard: queueing, isDirect: posted.destination.isDirect)
            guard let key = try call.request.idempotencyKey else {
                return Self.answer(
                    to: posted, as: try accept(posted, port, waiting, from: call.caller, in: call.source)
                )
                .response
            }
            let asked = AskedText(body: body, port: port, source: call.source.source.uuid)
            let once = SendOnce(key: key, token: call.caller.token ?? 0) { messages in
                let answer = Self.answer(to: posted, as: messages)
                return AcceptedSend(digest: asked.digest, status: answer.status, answer: answer.body)
            }
            let send = try accept(posted, port, waiting, from: call.caller, in: call.source, once: once)
            guard send.digest == asked.digest else { throw .keyUsedForAnother }
            return Answered(status: send.status, body: send.answer).response
        }
    }

    /// `POST /api/messages/send` (Contract 4): upstream's only way to send a reaction.
    func sendFromPage(_ call: Call) throws(APIError) -> Response {
        try counted(call) { (call: Call) throws(APIError) -> Response in
            let posted = try PostedMessage(fromPage: call.body ?? .object([:]))
            let source = try source(call.request.sourceAsked(call.body))
            do throws(APIError) {
                let waiting = Waiting(standard: queueing)
                _ = try accept(posted, .textMessage, waiting, from: call.caller, in: source)
            } catch .insufficient {
                throw .insufficientForSession(Permission(posted.destination.resource, .write))
            }
            var json = JSONWriter()
            json.object { $0.member("success", true) }
            return .json(.bytes(json.bytes))
        }
    }

    func counted(
        _ call: Call, _ answer: (Call) throws(APIError) -> Response
    ) throws(APIError) -> Response {
        let standing = messageLimit.count(proxies.client(of: call.request), now: BootTimeClock.milliseconds())
        var response: Response
        do throws(APIError) {
            if let standing, standing.isRefused {
                throw APIError.tooManyRequests(.messages, retryAfter: standing.reset)
            }
            response = try answer(call)
        } catch {
            response = error.response
        }
        response.headers += standing?.headers ?? []
        return response
    }

    private func accept(
        _ posted: PostedMessage, _ port: PortNumber, _ waiting: Waiting, from caller: Caller, in source: FoundSource
    ) throws(APIError) -> [Message] {
        let text = try text(posted, port, waiting, from: caller)
        do {
            return try gateway.send(text, by: caller.sender, to: source.id)
        } catch {
            throw APIError(error, of: port)
        }
    }

    private func accept(
        _ posted: PostedMessage, _ port: PortNumber, _ waiting: Waiting, from caller: Caller, in source: FoundSource,
        once: SendOnce
    ) throws(APIError) -> AcceptedSend {
        let text = try text(posted, port, waiting, from: caller)
        do {
            return try gateway.send(text, by: caller.sender, to: source.id, once: once)
        } catch {
            throw APIError(error, of: port)
        }
    }

    private func text(
        _ posted: PostedMessage, _ port: PortNumber, _ waiting: Waiting, from caller: Caller
    ) throws(APIError) -> OutgoingText {
        let needed = posted.destination.resource
        guard caller.may(.write, needed) else { throw .insufficient(resource: needed.name, action: .write) }
        return OutgoingText(
            text: posted.text, destination: posted.destination.forRadio, replyID: posted.replyID,
            isTapback: posted.isTapback, port: port, waits: waiting.waits, untilHeard: waiting.untilHeard,
            lifetime: waiting.lifetime)
    }

    /// The answer for messages that were accepted.
    private struct Answered {
        var status: Int
        var body: [UInt8]

        var response: Response { .json(.bytes(body), status: status) }
    }

    /// 201 for one packet, 202 for a text in parts.
    private static func answer(to posted: PostedMessage, as sent: [Message]) -> Answered {
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                if sent.count == 1 { json.one(sent[0], posted) } else { json.several(sent, posted) }
            }
        }
        return Answered(status: sent.count == 1 ? 201 : 202, body: json.bytes)
    }
}

extension JSONWriter {
    /// `messageId` is the row's id, which upstream promises and does not keep.
    fileprivate mutating func one(_ sent: Message, _ posted: PostedMessage) {
        member("messageId", sent.id)
        member("requestId", sent.packetID)
        member("deliveryState", "pending")
        member("messageCount", 1)
        member("text", posted.text)
        destination(of: posted, as: sent)
    }

    /// The rows exist already; `messageIds`, which upstream does not have, tells which.
    fileprivate mutating func several(_ sent: [Message], _ posted: PostedMessage) {
        member("deliveryState", "queued")
        member("messageCount", sent.count)
        key("queueIds")
        array { json in for message in sent { json.value(message.queueID) } }
        member("text", posted.text)
        destination(of: posted, as: sent[0])
        member("note", "Message split into \(sent.count) parts, queued for delivery one after the other")
        key("messageIds")
        array { json in for message in sent { json.value(message.id) } }
    }

    /// A node is named as it was in the request, for clients that compare; but when it has come back under another number,
    /// by the one that the message goes to.
    private mutating func destination(of posted: PostedMessage, as sent: Message) {
        switch posted.destination {
        case .channel(let index):
            member("channel", index)
            member("toNodeId", "broadcast")
        case .node(let number):
            member("channel", -1)
            member("toNodeId", number == sent.to ? posted.recipient ?? number.id : sent.to.id)
        }
    }
}

extension Message {
    /// `<milliseconds>-<nine digits to base 36>`: the form of upstream's queue ids, made from what is known anyway.
    fileprivate var queueID: String {
        // A multiplication by an odd number spreads the 32 bits over nine digits and keeps ids different.
        let spread = UInt64(packetID) &* 0x9E37_79B9_7F4A_7C15 % 101_559_956_668_416  // 36^9
        let digits = String(spread, radix: 36)
        return "\(createdAt)-" + String(repeating: "0", count: 9 - digits.count) + digits
    }
}

extension APIError {
    private static var alertTooLong: APIError {
        .badRequest("An alert is one packet: at most \(MessageSplitter.maximumBytes) bytes")
    }

    fileprivate init(_ refusal: SendRefusal, of port: PortNumber) {
        if case .tooLong = refusal, port == .alert { self = .alertTooLong } else { self.init(refusal) }
    }

    init(_ refusal: SendRefusal) {
        self =
            switch refusal {
            case .notConnected: .notConnected
            case .transmitDisabled: .transmitDisabled
            case .tooLong(let parts): .tooManyParts(parts)
            case .keyInDoubt(let node): .keyInDoubt(node)
            case .storage: .failed("Failed to send message")
            }
    }
}

extension PostedMessage.Destination {
    fileprivate var isDirect: Bool { if case .node = self { true } else { false } }

    /// What one must be allowed to write to.
    fileprivate var resource: Resource {
        switch self {
        case .channel(let index): .channel(index)
        case .node: .messages
        }
    }

    fileprivate var forRadio: OutgoingText.Destination {
        switch self {
        case .channel(let index): .channel(index)
        case .node(let number): .node(number)
        }
    }
}
