import HTTPServer
import JSON
import MeshModel
import MeshProtocol
import Nettle
import Routes
import Store

// `GET P/nodes/{id}/key`, ours: a node's key for comparing, what was seen of it, and whether it is in doubt. To decide is a
// person's business on the gateway: `mesh-gateway keys`.

extension RestAPI {
    func nodeKey(_ call: Call) throws(APIError) -> Response {
        let node = try read("the key") { try visibleNode(call, $0) }
        return .item(to: call.request) { json in
            json.object { json in
                json.name(node.number, node)
                json.member("state", node.keyState)
                json.member("publicKey", node.publicKey.map { Base64.encoded($0.bytes) })
                json.keyWords(node.publicKey)
                json.member("contactUrl", SharedContact.toShare(node).map { ContactLink.text(of: $0) })
                json.member("isVerified", node.isKeyManuallyVerified)
                json.member("isInDoubt", node.isKeyInDoubt)
                json.member("otherKey", node.announcedKey.map { Base64.encoded($0.bytes) })
                json.member("doubtedSince", node.keyDoubtedAt)
                json.member("successor", node.successor?.id)
                json.member("predecessor", node.predecessor?.id)
                json.member("sameKeySince", node.sameKeySince)
                json.member("isDuplicate", node.isKeyDuplicate)
                json.member("lastPKIPacket", node.lastPKIPacket)
                json.member("details", node.keyDetails)
                json.member("advice", node.keyAdvice)
                json.member("sourceId", call.source.source.uuid)
            }
        }
    }
}
