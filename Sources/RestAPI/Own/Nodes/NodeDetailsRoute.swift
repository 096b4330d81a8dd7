import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `GET P/nodes/{id}/details`, ours: what a row of `nodes` has no room for. Looking for what a node has not sent costs two
// questions of the tables, which a list of a thousand nodes would ask a thousand times.

extension RestAPI {
    func nodeDetails(_ call: Call) throws(APIError) -> Response {
        let (found, isWhole) = (call.source, call.caller.channels(for: .viewOnMap) == nil)
        let (node, quiet) = try read("the node") { reader in
            let node = try visibleNode(call, reader)
            guard node.number != found.source.nodeNumber else { return (node, nil as QuietNode?) }
            let since = clock() - QuietNode.patience
            return (node, try reader.quietNodes(since: since, in: found.id, of: node.number).first)
        }
        return .item(to: call.request) { json in
            json.object { json in
                json.name(node.number, node)
                json.member("favoriteMissingSince", node.favoriteMissingSince)
                // What it has sent on a channel that the token may not see would be told by what is missing.
                json.member("sendsNoTelemetry", isWhole ? quiet?.hasNoTelemetry ?? false : nil)
                json.member("sendsNoPosition", isWhole ? quiet?.hasNoPosition ?? false : nil)
                json.member("sourceId", found.source.uuid)
            }
        }
    }
}
