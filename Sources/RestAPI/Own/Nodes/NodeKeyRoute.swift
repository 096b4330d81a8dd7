import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes
import Store

// `GET P/nodes/{id}/key`, ours: a node's key for comparing, what was seen of it, whether it is in doubt, and what happened to
// it before. `POST` to the same path is a person's decision about it (NodeKeyDecision.swift).

extension RestAPI {
    func nodeKey(_ call: Call) throws(APIError) -> Response {
        let (node, history) = try read("the key") { reader in
            let node = try visibleNode(call, reader)
            return (node, try reader.keyHistory(of: node.number, in: call.source.id))
        }
        return .item(to: call.request) { json in
            json.object { $0.key(of: node, history, to: call) }
        }
    }
}

extension JSONWriter {
    /// The members of a node's key.
    mutating func key(of node: Node, _ history: [Happening], to call: Call) {
        name(node.number, node)
        member("state", node.keyState)
        member("publicKey", node.publicKey.map { Base64.encoded($0.bytes) })
        words("keyWords", of: node.publicKey)
        member("contactUrl", SharedContact.toShare(node).map { ContactLink.text(of: $0) })
        member("isVerified", node.isKeyManuallyVerified)
        member("isInDoubt", node.isKeyInDoubt)
        member("otherKey", node.announcedKey.map { Base64.encoded($0.bytes) })
        words("otherKeyWords", of: node.announcedKey)
        member("doubtedSince", node.keyDoubtedAt)
        member("successor", node.successor?.id)
        member("predecessor", node.predecessor?.id)
        member("sameKeySince", node.sameKeySince)
        member("isDuplicate", node.isKeyDuplicate)
        member("lastPKIPacket", node.lastPKIPacket)
        member("details", node.keyDetails)
        member("advice", node.keyAdvice)
        key("history")
        array { json in
            for one in history {
                json.object { json in
                    json.member("timestamp", one.at)
                    json.member("event", one.name)
                    json.member("text", one.text)
                    json.member("by", call.caller.shown(one.sender))
                }
            }
        }
        member("sourceId", call.source.source.uuid)
    }
}
