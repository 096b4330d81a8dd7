import JSON
import MeshModel
import Routes
import Store

extension JSONWriter {
    /// One row of `traceroutes` (contract 3.8): lists are texts that hold JSON (trap 19). A request that waits for its
    /// answer has none.
    ///
    /// - Parameter hops: those that may be named; nil: all. Another one is one that did not tell its name.
    mutating func traceroute(
        _ traceroute: Traceroute, source: String, hops: Set<NodeNumber>?,
        suffix: (inout JSONWriter) -> Void = { _ in }
    ) {
        let route = traceroute.route
        func list(_ way: [NodeNumber]) -> String {
            listText(way.knownHops.map { (hops?.contains($0) ?? true ? $0 : .broadcast).rawValue })
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
            json.null("routePositions")
            json.null("channel")
            json.member("packetId", traceroute.packetID)
            json.member("timestamp", traceroute.at)
            json.member("createdAt", traceroute.at)
            json.member("sourceId", source)
            suffix(&json)
        }
    }

    /// The row of `/api/traceroutes` tells the number of hops, 999 while nobody knows it.
    mutating func tracerouteWithHops(_ traceroute: Traceroute, source: String, hops: Set<NodeNumber>?) {
        self.traceroute(traceroute, source: source, hops: hops) { json in
            json.member("hopCount", traceroute.route?.route.knownHops.count ?? 999)
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

private func listText(_ values: [some BinaryInteger]) -> String {
    "[" + values.map { "\($0)" }.joined(separator: ",") + "]"
}
