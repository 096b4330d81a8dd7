import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `PATCH P/nodes/{id} {nickname?, notes?}`, ours: what people here call a node and have written down about it. It is sent to
// nobody.

extension RestAPI {
    static let ownNodeEndpoints: [Endpoint] = [
        .perSource(.patch, "nodes/{nodeId}", .nodes, .write, RestAPI.noteNode),
        .perSource(.get, "nodes/{nodeId}/key", .nodes, .read, RestAPI.nodeKey),
        .perSource(.get, "nodes/{nodeId}/details", .nodes, .read, RestAPI.nodeDetails),
        .perSourceForAdmins(.post, "nodes/{nodeId}/key", RestAPI.decideKey),
    ]

    func noteNode(_ call: Call) throws(APIError) -> Response {
        let notes = try NodeNotes(call.body)
        let found = call.source
        let number = try read("node") { try visibleNode(call, $0) }.number
        let changed: Node?
        do {
            changed = try gateway.note(notes, of: number, in: found.id)
        } catch {
            throw .failed("Failed to change the node")
        }
        // Somebody else may have deleted it meanwhile.
        guard let node = changed else {
            throw .notFound("Node \(number.id) not found in source \(found.source.uuid)")
        }
        // A token that may write need not be able to read the rest.
        return .item(to: call.request) { json in
            json.object { json in
                json.member("nodeId", number.id)
                json.member("nodeNum", number.rawValue)
                json.member("nickname", node.nickname)
                json.member("notes", node.notes)
            }
        }
    }
}
