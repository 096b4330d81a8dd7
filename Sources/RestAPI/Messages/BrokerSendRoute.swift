import HTTPServer
import JSON
import MeshModel
import Routes
import Store
import Synchronization

// `POST messages` to a conversation over a broker. The text and its row in the outbox are on disk when the answer goes
// out. Texts that come within a fifth of a second share a commit.

/// The body of such a request.
struct PostedBrokerText {
    let text: TextForBroker

    /// The name of the conversation that a body is for; nil: it is for a radio.
    static func conversation(in body: JSONValue) -> String? {
        guard let id = body["conversation"]?.string, id.hasPrefix(BrokerConversation.idPrefix) else { return nil }
        return String(id.dropFirst(BrokerConversation.idPrefix.count))
    }

    init(_ body: JSONValue, for name: String, as port: PortNumber) throws(APIError) {
        guard body["channel"] == nil, body["toNodeId"] == nil else {
            throw .badRequest("Provide only one of conversation, channel and toNodeId")
        }
        guard port == .textMessage else { throw .badRequest("An alert rings at radios only") }
        for name in ["replyId", "emoji"] where body[name] != nil {
            throw .badRequest("\(name) is of radios: there are no replies and no reactions over a broker")
        }
        for name in ["queue", "expiresIn"] where body[name] != nil {
            throw .badRequest("\(name) is of radios: a text waits for its broker for a day")
        }
        text = try TextForBroker(body["text"]?.string ?? "", for: name)
    }
}

extension RestAPI {
    /// - Parameter name: of the conversation.
    func send(_ call: Call, _ body: JSONValue, to name: String, as port: PortNumber) throws(APIError) -> Response {
        let text = try PostedBrokerText(body, for: name, as: port).text
        guard !call.namesSource else { throw .noBrokerConversation(name) }
        guard call.caller.may(.write, .messages) else {
            throw .insufficient(resource: Resource.messages.name, action: .write)
        }
        let once = try call.request.idempotencyKey.map { key in
            // Its body names the conversation, which belongs to no radio.
            (key: key, token: call.caller.token ?? 0, asked: AskedText(body: body, port: port, source: "").digest)
        }
        let (caller, now, outcome) = (call.caller, clock(), Outcome())
        return try commitShared(call, failing: "Failed to send message", isNews: { _ in true }) { writer in
            // A text that is refused must not make the others of the commit fail.
            outcome.set(
                try Self.refusing {
                    if let once, let known = try writer.acceptedSend(once.key, by: once.token, at: now) {
                        guard known.digest == once.asked else { throw APIError.keyUsedForAnother }
                        return known
                    }
                    let (message, _) = try text.accept(writer, by: caller, at: now)
                    let send = AcceptedSend(
                        digest: once?.asked ?? [], status: 201, answer: Self.answer(to: text, as: message))
                    if let once { try writer.insert(send, under: once.key, by: once.token, at: now) }
                    return send
                })
        } answer: { [conversationDoor] () throws(APIError) in
            let send = try outcome.get()
            conversationDoor.textWaits()
            return .json(.bytes(send.answer), status: send.status)
        }
    }

    private static func refusing(_ accept: () throws -> AcceptedSend) throws -> Result<AcceptedSend, APIError> {
        do { return .success(try accept()) } catch let refusal as APIError { return .failure(refusal) }
    }

    private static func answer(to text: TextForBroker, as sent: Message) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("messageId", sent.id)
                json.member("requestId", sent.packetID)
                json.member("deliveryState", "pending")
                json.member("messageCount", 1)
                json.member("text", text.text)
                json.member("channel", -1)
                json.member("toNodeId", "broadcast")
                json.member("conversation", BrokerConversation.idPrefix + text.name)
            }
        }
        return json.bytes
    }

    /// What became of a text: set on the writer's thread, read by the one that answers. A commit that is tried again
    /// sets it again.
    private final class Outcome: Sendable {
        private let result = Mutex<Result<AcceptedSend, APIError>?>(nil)

        func set(_ result: Result<AcceptedSend, APIError>) { self.result.withLock { $0 = result } }

        func get() throws(APIError) -> AcceptedSend {
            switch result.withLock({ $0 }) {
            case .success(let send): return send
            case .failure(let refusal): throw refusal
            case nil: throw .failed("Failed to send message")
            }
        }
    }
}
