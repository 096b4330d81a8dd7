import Gateway
import HTTPServer
import JSON
import MeshModel
import Nettle
import Routes
import Store

// `POST P/nodes/{id}/key {decision, key}`, ours: a person has compared two keys with their owner, and says which one counts.
// It counts for everybody who writes to the node, so that it takes a token with everything. The words are those of
// `mesh-gateway keys`.

extension RestAPI {
    func decideKey(_ call: Call) throws(APIError) -> Response {
        let decision: KeyDecision
        switch call.body?["decision"] {
        case .string("accept"): decision = .accept
        case .string("verify"): decision = .verify
        default: throw .badRequest("decision must be \"accept\" or \"verify\"")
        }
        guard let key = call.body?["key"]?.string.flatMap({ Base64.decoded($0) }).flatMap({ PublicKey($0) }) else {
            throw .badRequest("key must be the other key that was seen (otherKey): 32 bytes in base64")
        }
        let number = try read("the key") { try visibleNode(call, $0) }.number
        let outcome: DecidedKey
        do {
            outcome = try gateway.decide(
                decision, of: number, besides: key, by: call.caller.sender, in: call.source.id)
        } catch {
            throw APIError(error, of: number, in: call.source)
        }
        let history = try read("the key") { try $0.keyHistory(of: number, in: call.source.id) }
        return .item(to: call.request) { json in
            json.object { json in
                json.key("key")
                json.object { $0.key(of: outcome.node, history, to: call) }
                json.member("messagesSent", outcome.sent)
                json.member("messagesRefused", outcome.refused)
            }
        }
    }
}

extension APIError {
    fileprivate init(_ refusal: KeyRefusal, of node: NodeNumber, in source: FoundSource) {
        switch refusal {
        case .noSuchNode: self = .notFound("Node \(node.id) not found in source \(source.source.uuid)")
        case .nothingToAccept, .noKey:
            self = .codedFailure(409, "No key of \(node.id) is in doubt", code: "KEY_NOT_IN_DOUBT")
        case .anotherKey:
            self = .codedFailure(409, "Another key has been seen for \(node.id) since: look again", code: "KEY_CHANGED")
        case .storage: self = .failed("Failed to store the decision")
        }
    }
}
