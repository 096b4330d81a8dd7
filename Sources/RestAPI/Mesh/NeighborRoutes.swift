import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Who says to hear whom (Contract 4). These routes have no counterpart in v1.

extension RestAPI {
    static let neighborEndpoints: [Endpoint] = [
        .session(
            .get, "/api/sources/{id}/neighbor-info", Permission(.nodes, .read), RestAPI.neighborsOfSource),
        .session(.get, "/api/neighbor-info", Permission(.info, .read), RestAPI.neighbors),
        .session(.get, "/api/neighbor-info/{nodeNum}", Permission(.info, .read), RestAPI.neighborsOfNode),
    ]

    /// Links that are read and printed at a time.
    private static let slice = 64

    /// `/api/sources/{id}/neighbor-info`: one row for each pair of nodes, of the reports of the last day.
    func neighborsOfSource(_ call: Call) throws(APIError) -> Response {
        let (source, since) = (try sessionSource(call.parameters[0]), clock() - 86_400_000)
        let places = try read("neighbor info") { reader in
            try reader.neighborPlaces(in: source.id, since: since, channels: call.caller.channels(for: .viewOnMap))
        }
        return try neighbors(NeighborPlace.pairs(places), in: source, call) { json, link, nodes, reader in
            let reverse = try reader.neighborLink(link.neighbor, to: link.node, in: source.id)
            let transport = nodes.transportClass(of: link)
            json.neighbor(link, nodes, source: source, for: call.caller) { json in
                json.float("reverseSnr", reverse?.snr)
                json.member("reverseTimestamp", reverse?.at)
                json.member("transportClass", transport)
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
        let places = try read("neighbor info") { reader in
            try reader.neighborPlaces(in: source.id, of: node, channels: call.caller.channels(for: .viewOnMap))
        }
        return try neighbors(places, in: source, call) { json, link, nodes, _ in
            json.neighbor(link, nodes, source: source, for: call.caller)
        }
    }

    /// The links at these places that are still there, read while they are sent.
    private func neighbors(
        _ places: [NeighborPlace], in source: FoundSource, _ call: Call,
        write: @escaping @Sendable (inout JSONWriter, NeighborLink, EndNodes, Reader) throws -> Void
    ) throws(APIError) -> Response {
        let (keys, store, caller) = (places.map(\.key), store, call.caller)
        let listed = [UInt64(keys.count), EntityTag.fingerprint(of: keys), UInt64(source.id.rawValue)]
        do {
            return try .list(
                keys, slice: Self.slice, isBare: true, to: call.request,
                tag: tag(call, .neighbors, .nodes, with: listed)
            ) { json, slice in
                try store.readCommitted { reader in
                    let links = try slice.compactMap { key in
                        let (node, place) = NeighborPlace.parts(of: key)
                        return try reader.neighborLink(node, at: place, in: source.id)
                    }
                    let nodes = try EndNodes(links, in: source.id, reader)
                    for link in links where nodes.areSeen(link, by: caller) { try write(&json, link, nodes, reader) }
                }
            }
        } catch {
            throw .failed("Failed to retrieve neighbor info")
        }
    }
}

extension NeighborPlace {
    /// As which a long list keeps it.
    fileprivate var key: UInt64 { UInt64(node.rawValue) << 8 | UInt64(place) }

    fileprivate static func parts(of key: UInt64) -> (node: NodeNumber, place: UInt8) {
        (NodeNumber(UInt32(truncatingIfNeeded: key >> 8)), UInt8(truncatingIfNeeded: key))
    }

    private struct Pair: Hashable {
        let (lower, higher): (UInt32, UInt32)

        init(_ link: NeighborPlace) {
            lower = min(link.node.rawValue, link.neighbor.rawValue)
            higher = max(link.node.rawValue, link.neighbor.rawValue)
        }
    }

    /// One of each pair of nodes: the newest report's, the newest first.
    fileprivate static func pairs(_ places: [NeighborPlace]) -> [NeighborPlace] {
        var known: Set<Pair> = []
        return
            places.sorted { ($1.at, $0.node.rawValue, $0.place) < ($0.at, $1.node.rawValue, $1.place) }
            .filter { known.insert(Pair($0)).inserted }
    }
}

/// What is known of the nodes at the ends of some links.
private struct EndNodes: Sendable {
    private var nodes: [NodeNumber: Node] = [:]

    init(_ links: [NeighborLink], in source: SourceID, _ reader: Reader) throws {
        for number in Set(links.flatMap { [$0.node, $0.neighbor] }) {
            nodes[number] = try reader.node(number, in: source)
        }
    }

    subscript(_ number: NodeNumber) -> Node? { nodes[number] }

    /// A node without a row counts as heard on the primary channel, like one that was heard on none.
    func areSeen(_ link: NeighborLink, by caller: Caller) -> Bool {
        caller.mayView(nodes[link.node]?.channel) && caller.mayView(nodes[link.neighbor]?.channel)
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
        _ row: NeighborLink, _ nodes: EndNodes, source: FoundSource, for caller: Caller,
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
