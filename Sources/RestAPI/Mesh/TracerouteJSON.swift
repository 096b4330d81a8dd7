import JSON
import MeshModel
import Routes
import Store

extension JSONWriter {
    /// One row of `traceroutes` (Contract 3.8): lists are texts that hold JSON (Contract 7.19). A request that waits
    /// for its answer has none.
    mutating func traceroute(
        _ traced: TracedRoute, source: String, suffix: (inout JSONWriter) -> Void = { _ in }
    ) {
        let traceroute = traced.traceroute
        let route = traceroute.route
        func list(_ way: [NodeNumber]) -> String {
            listText(way.knownHops.map { (traced.hops?.contains($0) ?? true ? $0 : .broadcast).rawValue })
        }
        object { json in
            json.member("id", traceroute.id)
            json.member("fromNodeNum", traceroute.from.rawValue)
            json.member("toNodeNum", traceroute.to.rawValue)
            json.member("fromNodeId", traceroute.from.id)
            json.member("toNodeId", traceroute.to.id)
            json.member("route", route.map { list($0.route) })
            json.member("routeBack", route.map { list($0.routeBack) })
            json.member("snrTowards", route.map { listText($0.snrTowards) })
            json.member("snrBack", route.map { listText($0.snrBack) })
            json.member("routePositions", traced.places.isEmpty ? nil : placesText(traced.places))
            json.member("channel", traced.channel)
            json.member("packetId", traceroute.packetID)
            json.member("timestamp", traceroute.at)
            json.member("createdAt", traceroute.at)
            json.member("sourceId", source)
            suffix(&json)
        }
    }

    /// The row of `/api/traceroutes` tells the number of hops, 999 while nobody knows it.
    mutating func tracerouteWithHops(_ traced: TracedRoute, source: String) {
        traceroute(traced, source: source) { json in
            json.member("hopCount", traced.traceroute.route?.route.knownHops.count ?? 999)
        }
    }
}

extension Reader {
    /// The hops of these routes that a token may be told: nodes that lists of nodes show it. Nil: all.
    func shownHops(
        of rows: [Traceroute], to caller: Caller, in source: SourceID
    ) throws -> Set<NodeNumber>? {
        guard caller.may(.read, .nodes) else { return [] }
        if caller.channels(for: .viewOnMap) == nil { return nil }
        let hops = Set(rows.compactMap(\.route).flatMap { $0.route + $0.routeBack })
        return try hops.filter { caller.mayShow(try node($0, in: source)) }
    }
}

extension [NodeNumber] {
    /// The hops without numbers that no node has. 4294967295 stands for a hop that did not tell its name, and stays.
    var knownHops: [NodeNumber] { filter { $0.rawValue > 3 && $0.rawValue != 255 && $0.rawValue != 65535 } }
}

/// A JSON object by node number, as clients draw it: latitude, longitude, and the altitude where it is known.
private func placesText(_ places: [TracedRoute.Place]) -> String {
    var json = JSONWriter(capacity: 64 * places.count)
    json.object { json in
        for place in places {
            json.key(text: "\(place.node.rawValue)")
            json.object { json in
                json.member("lat", place.latitude)
                json.member("lng", place.longitude)
                if let altitude = place.altitude { json.member("alt", altitude) }
            }
        }
    }
    return String(decoding: json.bytes, as: UTF8.self)
}

private func listText(_ values: [some BinaryInteger]) -> String {
    "[" + values.map { "\($0)" }.joined(separator: ",") + "]"
}
