import MeshModel
import Routes
import Store

/// A traced route with what it is drawn by.
struct TracedRoute: Sendable {
    /// Where one of its nodes was when the answer came.
    struct Place: Sendable {
        var node: NodeNumber
        var latitude: Double
        var longitude: Double
        var altitude: Int32?
    }

    var traceroute: Traceroute
    /// Those that may be named; nil: all. Another one is shown as one that did not tell its name.
    var hops: Set<NodeNumber>?
    /// Of the answer.
    var channel: Int?
    /// Of the nodes whose place was known then, and may be seen by who asks.
    var places: [Place] = []
}

extension Reader {
    func traced(_ rows: [Traceroute], in source: SourceID, for caller: Caller) throws -> [TracedRoute] {
        let hops = try shownHops(of: rows, to: caller, in: source)
        var visible: [NodeNumber: Bool] = [:]
        return try rows.map { row in
            var traced = TracedRoute(
                traceroute: row, hops: hops, channel: try channel(ofAnswerTo: row, in: source))
            guard let route = row.route, caller.scopes.allows(Permission(.nodes, .read)) else { return traced }
            var known: Set<NodeNumber> = []
            for number in [row.from] + route.route.knownHops + [row.to] + route.routeBack.knownHops
            where !number.isBroadcast && known.insert(number).inserted {
                let isVisible =
                    try visible[number] ?? node(number, in: source).map { caller.mayView($0.channel) } ?? false
                visible[number] = isVisible
                guard isVisible,
                    let place = try place(of: number, at: row.answeredAt ?? row.at, in: source, for: caller)
                else { continue }
                traced.places.append(place)
            }
            return traced
        }
    }

    private func place(
        of node: NodeNumber, at time: Int64, in source: SourceID, for caller: Caller
    ) throws -> TracedRoute.Place? {
        guard let record = try position(of: node, at: time, in: source),
            caller.mayView(record.channel.map { Int($0) }),
            let latitude = record.value.latitudeI, let longitude = record.value.longitudeI
        else { return nil }
        return TracedRoute.Place(
            node: node, latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7,
            altitude: record.value.altitude)
    }
}
