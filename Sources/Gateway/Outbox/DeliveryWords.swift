import MeshModel
import Store

extension OutboxItem.Hold {
    public var explanation: String {
        switch self {
        case .unheard: "stored; waits until the recipient is heard"
        case .keyInDoubt: "stored; waits until somebody has decided about the recipient's key (mesh-gateway keys)"
        }
    }
}

extension Delivery {
    /// What is known about the way of a message, for a person.
    public func explanation(of message: Message) -> String {
        // No node has this number: the text is one over a broker.
        if message.from.rawValue == 0 { return explanationOverBroker }
        let isDirect = !message.to.isBroadcast
        switch state {
        case .queued: return "stored; waits for the radio"
        case .handed: return "handed to the radio"
        case .accepted where !wantsAck: return "the radio has taken it; nobody asked whether it arrives"
        case .accepted: return "in the radio's transmit queue"
        case .relayed where isDirect: return "another node was heard repeating it; the recipient has not answered yet"
        case .relayed: return "another node was heard repeating it"
        case .confirmed where ackProof == .valid: return "the recipient acknowledged it, and its key proves that"
        case .confirmed where ackProof == .invalid:
            return "acknowledged in the recipient's name, but the proof is wrong: somebody else may have done that"
        case .confirmed: return "the recipient acknowledged it"
        case .failed where error == .noChannel && isDirect && message.pkiEncrypted:
            return "the recipient cannot read it: it may have a new key"
        case .failed:
            let why = isDirect ? error?.explanation : error?.explanationOnChannel
            return cause?.explanation(isDirect: isDirect) ?? why ?? "the radio did not send it"
        }
    }

    private var explanationOverBroker: String {
        switch (state, cause) {
        case (.queued, _): "stored; waits for the broker"
        case (.handed, _), (.accepted, _): "given to the broker"
        case (.relayed, _), (.confirmed, _): "the broker has it"
        case (.failed, .expired): "waited too long for the broker, and was not sent"
        case (.failed, _) where error == .notAuthorized: "the broker does not let the gateway write there"
        case (.failed, _) where error?.concernsKey == true:
            "not sent, because the conversation's key was forgotten before the broker had it"
        case (.failed, _): "the broker refused it"
        }
    }

    /// Finer than what the contract calls its state.
    public var detailName: String {
        switch (state, cause) {
        case (.queued, _): "queued"
        case (.handed, _): "handed"
        case (.accepted, _): wantsAck ? "accepted" : "sent"
        case (.failed, .noAnswer): "unknown"
        case (.failed, .uncertain): "uncertain"
        case (.failed, .expired): "expired"
        case (.failed, .cancelled): "cancelled"
        case (.failed, .earlierPart), (.failed, nil): "failed"
        case (.relayed, _): "relayed"
        case (.confirmed, _): "confirmed"
        }
    }
}

extension RoutingError {
    /// The same of a text on a channel, which has no recipient, and none's key.
    fileprivate var explanationOnChannel: String {
        switch self {
        case .maxRetransmit:
            "no other node was heard repeating it after three transmissions; some may have it all the same"
        case .noChannel: "the channel is disabled here"
        case let error where error.concernsKey || error.rawValue == 37: "the radio could not encrypt it"
        case RoutingError(rawValue: 1): "no other node was heard repeating it"
        case .noResponse, .notAuthorized: "the radio refused the request"
        default: explanation
        }
    }
}

extension MeshPacket.AckProof {
    /// Nil: there is none.
    public var publicName: String? {
        switch self {
        case .absent: nil
        case .valid: "valid"
        case .invalid: "invalid"
        case .noKey: "noKey"
        }
    }
}

extension Delivery.Cause {
    fileprivate func explanation(isDirect: Bool) -> String {
        switch self {
        case .noAnswer where isDirect:
            "sent, but no acknowledgement came; the recipient may have it all the same"
        case .noAnswer: "sent, but no other node was heard repeating it; some may have it all the same"
        case .uncertain: "given to the radio just before the connection broke: it may have been sent or not"
        case .expired: "waited too long for the radio or for its recipient, and was not sent"
        case .cancelled: "cancelled before it was sent"
        case .earlierPart: "not sent, because an earlier part of the same text was refused"
        }
    }
}
