import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Who says to hear whom (contract 4). These routes have no counterpart in v1.

extension RestAPI {
    static let neighborEndpoints: [Endpoint] = [
        .session(
            .get, "/api/sources/{id}/neighbor-info", Permission(.nodes, .read), RestAPI.neighborsOfSource),
        .session(.get, "/api/neighbor-info", Permission(.info, .read), RestAPI.neighbors),
        .session(.get, "/api/neighbor-info/{nodeNum}", Permission(.info, .read), RestAPI.neighborsOfNode),
    ]

    func neighborsOfSource(_ call: Call) throws(APIError) -> Response {
        try neighbors(call, of: call.parameters[0], node: nil)
    }

    func neighbors(_ call: Call) throws(APIError) -> Response {
        try neighbors(call, of: call.request.sourceAsked(nil), node: nil)
    }

    /// `/api/neighbor-info/{nodeNum}`: the only one that must be told the source.
    func neighborsOfNode(_ call: Call) throws(APIError) -> Response {
        guard let number = parseInt(call.parameters[0]).flatMap({ UInt32(exactly: $0) }) else {
            throw .coded(400, "Invalid node number", code: "INVALID_NODE_NUM")
        }
        guard let source = call.request.sourceAsked(nil) else {
            throw .coded(400, "sourceId is required", code: "MISSING_SOURCE_ID")
        }
        return try neighbors(call, of: source, node: NodeNumber(number))
    }

    private func neighbors(_ call: Call, of name: String?, node: NodeNumber?) throws(APIError) -> Response {
        let source = try sessionSource(name)
        let (rows, nodes) = try read("neighbor info") { reader in
            var rows = try reader.neighborLinks(in: source.id)
            if let node { rows = rows.filter { $0.node == node } }
            var nodes: [NodeNumber: Node] = [:]
            for number in Set(rows.flatMap { [$0.node, $0.neighbor] }) {
                nodes[number] = try reader.node(number, in: source.id)
            }
            return (rows, nodes)
        }
        // A node without a row counts as heard on the primary channel, like one that was heard on none.
        let shown = rows.filter { row in
            call.caller.mayView(nodes[row.node]?.channel) && call.caller.mayView(nodes[row.neighbor]?.channel)
        }
        return .array(shown, to: call.request) { json, row in
            json.neighbor(row, nodes, source: source, for: call.caller)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func neighbor(
        _ row: NeighborLink, _ nodes: [NodeNumber: Node], source: FoundSource, for caller: Caller
    ) {
        let (node, neighbor) = (nodes[row.node], nodes[row.neighbor])
        object { json in
            // A report has at most a hundred places.
            json.member("id", source.id.rawValue << 40 | Int64(row.node.rawValue) << 8 | Int64(row.place & 255))
            json.member("nodeNum", row.node.rawValue)
            json.member("neighborNodeNum", row.neighbor.rawValue)
            json.float("snr", row.snr)
            json.member("lastRxTime", row.lastRxTime == 0 ? nil : row.lastRxTime)
            json.member("timestamp", row.at)
            json.member("createdAt", row.at)
            json.member("sourceId", source.source.uuid)
            json.member("nodeId", row.node.id)
            json.member("nodeName", node?.shownLongName ?? row.node.placeholderLongName)
            json.member("neighborNodeId", row.neighbor.id)
            json.member("neighborName", neighbor?.shownLongName ?? row.neighbor.placeholderLongName)
            json.member("bidirectional", row.isBidirectional)
            let place = node.flatMap { caller.place(of: $0) }, other = neighbor.flatMap { caller.place(of: $0) }
            json.member("nodeLatitude", place?.latitude)
            json.member("nodeLongitude", place?.longitude)
            json.member("neighborLatitude", other?.latitude)
            json.member("neighborLongitude", other?.longitude)
        }
    }
}

extension Caller {
    /// Degrees; nil when it is not known, or not to be seen.
    fileprivate func place(of node: Node) -> (latitude: Double, longitude: Double)? {
        guard mayView(node.positionChannel ?? node.channel), let latitude = node.latitude,
            let longitude = node.longitude
        else { return nil }
        return (latitude, longitude)
    }
}
