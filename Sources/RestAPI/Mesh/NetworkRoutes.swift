import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// The mesh as a whole. Nodes that a token may not see are in no list, no number, and no route (Contract 2.3).

extension RestAPI {
    /// Nodes that are read at a time.
    private static let slice = 64
    /// Routes whose hops become edges.
    private static let edges = 500

    static let networkEndpoints: [Endpoint] = [
        .perSource(.get, "network", .nodes, .read, RestAPI.network),
        .perSource(.get, "network/topology", .nodes, .read, RestAPI.topology),
        .perSource(.get, "network/direct-neighbors", .nodes, .read, RestAPI.directNeighbors),
    ]

    /// `P/network`: totals. The count of traceroutes ends at 100, as upstream's does; a token that may not read them has none.
    func network(_ call: Call) throws(APIError) -> Response {
        let (source, channels) = (call.source.id, call.caller.channels(for: .viewOnMap))
        let (now, most) = (clock(), call.caller.may(.read, .traceroute) ? 100 : 0)
        let (all, active, traceroutes) = try read("network statistics") { reader in
            (
                try reader.nodeCount(in: source, channels: channels),
                try reader.nodeCount(in: source, heardSince: now / 1000 - 7 * 86_400, channels: channels),
                try reader.tracerouteCount(in: source, limit: most)
            )
        }
        // The tag is weak, and leaves out the time of the answer: a client that has these numbers misses nothing.
        let tag = tag(call, with: [all, active, traceroutes].map { UInt64($0) })
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("totalNodes", all)
                json.member("activeNodes", active)
                json.member("tracerouteCount", traceroutes)
                json.member("lastUpdated", now)
            }
        }
        return Response.json(.bytes(json.bytes), tag: tag).unlessKnown(to: call.request)
    }

    /// `P/network/topology`: the nodes, and the newest traceroutes as edges between them.
    func topology(_ call: Call) throws(APIError) -> Response {
        let tag = tag(call, .nodes, .traceroutes)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let (source, channels) = (call.source.id, call.caller.channels(for: .viewOnMap))
        var json = JSONWriter(capacity: 64 * 1024)
        try read("network topology") { reader in
            let numbers = try reader.nodeNumbers(in: source, channels: channels)
            let edges = try reader.traceroutes(in: source, limit: Self.edges)
            try json.object { json in
                json.member("success", true)
                json.key("data")
                try json.object { json in
                    json.key("nodes")
                    try json.array { json in
                        var rest = numbers[...]
                        while !rest.isEmpty {
                            for node in try reader.nodes(rest.prefix(Self.slice), in: source) {
                                json.place(of: node, for: call.caller)
                            }
                            rest = rest.dropFirst(Self.slice)
                        }
                    }
                    json.key("edges")
                    json.edges(edges, among: channels == nil ? nil : Set(numbers))
                }
            }
        }
        return .json(.bytes(json.bytes), tag: tag)
    }

    /// `P/network/direct-neighbors`: who was received without a relay in the last `hours`, as the packet log tells.
    func directNeighbors(_ call: Call) throws(APIError) -> Response {
        let (source, channels) = (call.source, call.caller.channels(for: .viewOnMap))
        let asked = call.request.queryValue("hours").flatMap { parseInt($0) } ?? 0
        // More than a hundred years could not be counted in milliseconds.
        let hours = asked <= 0 ? 24 : min(asked, 876_000)
        let rows = try read("direct neighbor statistics") { reader in
            let rows = try reader.directNeighbors(
                in: source.id, since: clock() - hours * 3_600_000, own: source.source.nodeNumber)
            guard let channels else { return rows }
            let visible = Set(try reader.nodeNumbers(in: source.id, channels: channels))
            return rows.filter { visible.contains($0.number) }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.key("data")
                json.object { json in
                    for row in rows {
                        json.key(text: String(row.number.rawValue))
                        json.object { json in
                            json.member("avgRssi", row.averageRSSI)
                            json.member("packetCount", row.packets)
                            json.member("lastHeard", row.lastHeard)
                        }
                    }
                }
                json.member("count", rows.count)
            }
        }
    }
}

extension JSONWriter {
    /// A node of the topology. Its place is left out when the position's channel may not be seen.
    fileprivate mutating func place(of node: Node, for caller: Caller) {
        object { json in
            json.member("nodeId", node.number.id)
            json.member("nodeNum", node.number.rawValue)
            json.member("longName", node.shownLongName)
            json.member("shortName", node.shownShortName)
            json.member("role", node.role)
            json.member("hopsAway", node.hopsAway)
            if caller.mayView(node.positionChannel ?? node.channel) {
                json.member("latitude", node.latitude)
                json.member("longitude", node.longitude)
            }
            json.member("lastHeard", node.lastHeard)
        }
    }

    /// Edges with real arrays, empty while no answer has come (Contract 7.19).
    ///
    /// - Parameter visible: the nodes that may be named; nil: all. Another one's hop is one that did not tell its name.
    fileprivate mutating func edges(_ traceroutes: [Traceroute], among visible: Set<NodeNumber>?) {
        let isVisible = { (number: NodeNumber) in visible?.contains(number) ?? true }
        array { json in
            for traceroute in traceroutes where isVisible(traceroute.from) && isVisible(traceroute.to) {
                json.object { json in
                    json.member("from", traceroute.from.id)
                    json.member("to", traceroute.to.id)
                    json.key("route")
                    json.array { json in
                        for hop in traceroute.route?.route.knownHops ?? [] {
                            json.value(isVisible(hop) ? hop.rawValue : NodeNumber.broadcast.rawValue)
                        }
                    }
                    json.key("snr")
                    json.array { json in
                        for snr in traceroute.route?.snrTowards ?? [] { json.value(snr) }
                    }
                }
            }
        }
    }
}
