import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `DELETE /api/messages/nodes/{nodeNum}` (Contract 4): the path speaks of messages, and what it deletes is the node.

extension RestAPI {
    static let nodeDeletionEndpoints: [Endpoint] = [
        .session(.delete, "/api/messages/nodes/{nodeNum}", Permission(.nodes, .write), RestAPI.deleteNode)
    ]

    /// The node with everything that is stored of it, whatever of that the token may read. One that it may not see is
    /// unknown to it.
    func deleteNode(_ call: Call) throws(APIError) -> Response {
        guard let asked = call.request.sourceAsked(call.body) else { return Self.badDeletion("sourceId is required") }
        guard let number = NodeNumber(.string(call.parameters[0])), !number.isBroadcast else {
            return Self.badDeletion("Invalid node number")
        }
        let source = try source(asked)
        let missing = APIError.coded(404, "Node not found", code: "NODE_NOT_FOUND")
        let node = try read("node") { try $0.node(number, in: source.id) }
        guard let node, call.caller.mayView(node.channel) else { throw missing }
        let deleted: DeletedNode
        do throws(DeletionRefusal) {
            deleted = try gateway.deleteNode(number, in: source.id)
        } catch {
            switch error {
            case .noSuchNode: throw missing
            case .ownNode: throw .coded(409, "The radio's own node cannot be deleted", code: "OWN_NODE")
            case .storage: throw .failed("Failed to delete node")
            }
        }
        var json = JSONWriter()
        json.object { json in
            json.member("message", "Node deleted successfully")
            json.member("nodeNum", number.rawValue)
            json.member("nodeName", node.shortName ?? node.longName ?? "Node \(number.rawValue)")
            json.member("messagesDeleted", deleted.messages)
            json.member("traceroutesDeleted", deleted.traceroutes)
            json.member("telemetryDeleted", deleted.points)
            json.member("nodeDeleted", true)
        }
        return .json(.bytes(json.bytes))
    }

    /// Upstream's words, which differ from those of any other failure.
    private static func badDeletion(_ message: String) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("error", "Bad request")
            json.member("message", message)
        }
        return .json(.bytes(json.bytes), status: 400)
    }
}
