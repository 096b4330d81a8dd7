import Gateway
import HTTPServer
import MeshModel
import Routes
import Store

// Sending an own message once more, and taking one back. MeshMonitor has neither.

extension RestAPI {
    static let resendEndpoints: [Endpoint] = [
        .perSource(.post, "messages/{messageId}/resend", .messages, .read, RestAPI.resend),
        .perSource(.post, "messages/{messageId}/cancel", .messages, .read, RestAPI.cancel),
    ]

    /// `POST P/messages/{id}/resend {queue?, expiresIn?}`: the message goes out as a new packet and is pending again.
    func resend(_ call: Call) throws(APIError) -> Response {
        try counted(call) { (call: Call) throws(APIError) -> Response in
            let waiting = try Waiting(call.body ?? .object([:]), standard: queueing, isDirect: false)
            let message = try ownMessage(call)
            do {
                let sent = try gateway.resend(
                    messageID: message.id, waits: waiting.waits, lifetime: waiting.lifetime, in: call.source.id)
                return try details(of: sent, call)
            } catch let error as APIError {
                throw error
            } catch {
                throw APIError(error as? ResendRefusal ?? .notFound)
            }
        }
    }

    /// `POST P/messages/{id}/cancel`: what the radio does not have yet is not sent. It stays in the list, as failed.
    func cancel(_ call: Call) throws(APIError) -> Response {
        let message = try ownMessage(call)
        do {
            return try details(of: gateway.cancel(messageID: message.id, in: call.source.id), call)
        } catch let error as APIError {
            throw error
        } catch {
            throw APIError(error as? ResendRefusal ?? .notFound)
        }
    }

    /// The message that the path names, if the token may write where it went.
    private func ownMessage(_ call: Call) throws(APIError) -> Message {
        let message = try read("message") {
            try $0.message(call.parameters[0], to: call.caller, in: call.source.id)
        }
        let needed: Resource = (0...7).contains(message.channel) ? .channel(message.channel) : .messages
        guard call.caller.may(.write, needed) else { throw .insufficient(resource: needed.name, action: .write) }
        return message
    }
}

extension APIError {
    fileprivate init(_ refusal: ResendRefusal) {
        self =
            switch refusal {
            case .notFound: .notFound("Message not found")
            case .notOwn: .badRequest("Only a text that was sent from here can be sent again or cancelled")
            case .underWay:
                .coded(409, "The message is still under way: wait for its delivery state", code: "MESSAGE_UNDER_WAY")
            case .delivered: .coded(409, "The recipient already has the message", code: "MESSAGE_DELIVERED")
            case .tooLate: .coded(409, "The radio already has the message", code: "MESSAGE_SENT")
            case .refused(let refusal): APIError(refusal)
            }
    }
}
