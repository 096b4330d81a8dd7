import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `POST /api/nodes/{id}/favorite` and `/ignored` (Contract 4).

extension RestAPI {
    static let nodeMarkEndpoints: [Endpoint] = [
        .session(.post, "/api/nodes/{nodeId}/favorite", Permission(.nodes, .write), mark(.favorite)),
        .session(.post, "/api/nodes/{nodeId}/ignored", Permission(.nodes, .write), mark(.ignored)),
    ]

    private static func mark(_ mark: NodeMark) -> Endpoint.Handler {
        { api in
            { (call: Call) throws(APIError) -> Response in try api.set(mark, call) }
        }
    }

    private func set(_ mark: NodeMark, _ call: Call) throws(APIError) -> Response {
        let key = mark == .favorite ? "isFavorite" : "isIgnored"
        guard let isSet = call.body?[key]?.bool else {
            throw .coded(400, "\(key) must be a boolean", code: "INVALID_PARAMETER_TYPE")
        }
        guard let node = NodeNumber(id: call.parameters[0]), !node.isBroadcast else {
            throw .coded(400, "Invalid nodeId format", code: "INVALID_NODE_ID")
        }
        guard let asked = call.request.sourceAsked(call.body) else {
            throw .coded(400, "sourceId is required", code: "MISSING_SOURCE_ID")
        }
        let onRadio = call.body?["syncToDevice"]?.bool ?? true
        let source = try source(asked)
        let isKnown: Bool
        do {
            isKnown = try gateway.set(mark, isSet, of: node, in: source.id, onRadio: onRadio)
        } catch {
            throw .coded(500, "Failed to set the node \(mark.rawValue)", code: "INTERNAL_ERROR")
        }
        guard isKnown else { throw .coded(404, "Node not found", code: "NODE_NOT_FOUND") }
        let notice = mark == .favorite && isSet && onRadio ? gateway.favoriteNotice(in: source.id) : nil
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("nodeNum", node.rawValue)
            if mark == .favorite { json.member("isFavorite", isSet) } else { json.member("isIgnored", isSet) }
            json.key("deviceSync")
            // The radio is told as soon as it is there; its next node list shows that it has understood.
            json.object { $0.member("status", onRadio ? "pending" : "skipped") }
            if let notice { json.member("notice", notice) }
        }
        return .json(.bytes(json.bytes))
    }
}
