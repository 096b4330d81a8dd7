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

    /// `/api/sources/{id}/neighbor-info`: one row for each pair of nodes, of the reports of the last day.
    func neighborsOfSource(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.parameters[0])
        let reports = try reports(in: source, for: call.caller)
        let told = reports.byEnds
        return .array(reports.pairs(since: clock() - 86_400_000), to: call.request) { json, link in
            json.neighbor(link, reports.nodes, source: source, for: call.caller) { json in
                let reverse = told[.init(node: link.neighbor, neighbor: link.node)]
                json.float("reverseSnr", reverse?.snr)
                json.member("reverseTimestamp", reverse?.at)
                json.member("transportClass", reports.transportClass(of: link))
            }
        }
    }

    /// `/api/neighbor-info`: what each node says, whenever it did.
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
        let reports = try reports(in: source, for: call.caller, of: node)
        return .array(reports.links, to: call.request) { json, link in
            json.neighbor(link, reports.nodes, source: source, for: call.caller)
        }
    }

    private func reports(
        in source: FoundSource, for caller: Caller, of node: NodeNumber? = nil
    ) throws(APIError) -> NeighborReports {
        var reports = try read("neighbor info") { reader in
            var reports = NeighborReports(links: try reader.neighborLinks(in: source.id))
            if let node { reports.links = reports.links.filter { $0.node == node } }
            for number in Set(reports.links.flatMap { [$0.node, $0.neighbor] }) {
                reports.nodes[number] = try reader.node(number, in: source.id)
            }
            return reports
        }
        // A node without a row counts as heard on the primary channel, like one that was heard on none.
        reports.links = reports.links.filter { link in
            caller.mayView(reports.nodes[link.node]?.channel) && caller.mayView(reports.nodes[link.neighbor]?.channel)
        }
        return reports
    }
}

/// What nodes say of whom they hear, and what is known of these nodes.
private struct NeighborReports {
    var links: [NeighborLink]
    var nodes: [NodeNumber: Node] = [:]

    private struct Pair: Hashable {
        let (lower, higher): (UInt32, UInt32)

        init(_ link: NeighborLink) {
            let numbers = [link.node.rawValue, link.neighbor.rawValue].sorted()
            (lower, higher) = (numbers[0], numbers[1])
        }
    }

    /// One link of each pair of nodes: the newest report's, the newest first.
    func pairs(since: Int64) -> [NeighborLink] {
        var known: Set<Pair> = []
        return links.filter { $0.at >= since }
            .sorted { ($1.at, $0.node.rawValue, $0.place) < ($0.at, $1.node.rawValue, $1.place) }
            .filter { known.insert(Pair($0)).inserted }
    }

    struct Ends: Hashable { var node: NodeNumber, neighbor: NodeNumber }

    /// What each node says of each other one.
    var byEnds: [Ends: NeighborLink] {
        Dictionary(
            links.map { (Ends(node: $0.node, neighbor: $0.neighbor), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// By how the two nodes were heard last. The report itself does not say how they hear each other.
    func transportClass(of link: NeighborLink) -> String {
        let ends = [nodes[link.node], nodes[link.neighbor]].compactMap { $0 }
        let transports = ends.compactMap { $0.transport.map { MeshPacket.Transport(rawValue: $0) } }
        if ends.contains(where: { $0.viaMQTT == true }) || transports.contains(.mqtt) { return "mqtt" }
        return transports.contains(.multicastUDP) ? "udp" : "rf"
    }
}

extension JSONWriter {
    /// - Parameter more: members that stand between `bidirectional` and the places.
    fileprivate mutating func neighbor(
        _ row: NeighborLink, _ nodes: [NodeNumber: Node], source: FoundSource, for caller: Caller,
        _ more: (inout JSONWriter) -> Void = { _ in }
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
            more(&json)
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
