import Glibc
import JSON
import MeshModel
import MeshProtocol
import Platform
import Routes
import Store

// `mesh-gateway nodes` and `node`: who is out there, and everything known of one.

extension ControlAPI {
    static let nodePages: [LocalPage] = [
        LocalPage("/local/nodes", "nodes/1", NodePages.list), LocalPage("/local/nodes/{node}", "node/2", NodePages.one),
    ]
}

private enum NodePages {
    /// `?sort=heard|name|hops|snr|battery|distance`, `?filter=…`, which may be repeated: see ``NodeFilter``.
    static func list(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let filters = try question.request.query.filter { $0.key == "filter" }.map { try NodeFilter($0.value) }
        let order = try NodeSorting(question.request.queryValue("sort") ?? "heard")
        let reader = question.reader
        let all = try reader.nodes(reader.nodeNumbers(in: source.id, order: .lastHeardDescending), in: source.id)
        let own = question.ownNumber(of: source)
        let here = all.first { $0.number == own }
        let now = WallClock.milliseconds()
        let nodes = order.sorted(all.filter { node in filters.allSatisfy { $0.passes(node, at: now) } }, from: here)
        json.source(source)
        json.member("known", all.count)
        json.key("nodes")
        json.array { json in
            for node in nodes { json.object { $0.listed(node, own: own, from: here) } }
        }
    }

    static func one(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let name = question.parameters[0]
        guard let node = try question.node(named: name, in: source).node else { throw APIError.noNode(called: name) }
        let own = question.ownNumber(of: source)
        let here = try own.flatMap { try question.reader.node($0, in: source.id) }
        json.source(source)
        let lately = try Lately(node, own, source, question.reader)
        json.key("node")
        json.object { json in
            json.listed(node, own: own, from: here)
            json.detailed(node)
            json.lately(lately)
        }
    }
}

/// Along a great circle of the mean Earth; nil unless both have told where they are.
func kilometres(from a: Node?, to b: Node) -> Double? {
    guard let aLatitude = a?.latitude, let aLongitude = a?.longitude, let bLatitude = b.latitude,
        let bLongitude = b.longitude
    else { return nil }
    let degree = Double.pi / 180
    let (x, y) = (sin((bLatitude - aLatitude) * degree / 2), sin((bLongitude - aLongitude) * degree / 2))
    let haversine = x * x + cos(aLatitude * degree) * cos(bLatitude * degree) * y * y
    return 2 * 6371.0088 * asin(min(1, haversine.squareRoot()))
}

extension JSONWriter {
    fileprivate mutating func listed(_ node: Node, own: NodeNumber?, from here: Node?) {
        who(node.number, node)
        member("isOwn", node.number == own)
        member("hardware", node.hardwareModel.map { EnumNames.hardwareModel($0) ?? "\($0)" })
        member("role", node.role.map { EnumNames.deviceRole($0) ?? "\($0)" })
        time("lastHeard", seconds: node.lastHeard)
        member("hopsAway", node.hopsAway)
        member("viaMqtt", node.viaMQTT)
        float("snr", node.snr)
        member("rssi", node.rssi)
        member("channel", node.channel)
        member("batteryLevel", node.batteryLevel)
        float("voltage", node.voltage)
        member("latitude", node.latitude)
        member("longitude", node.longitude)
        member("altitude", node.altitude)
        member("distance", kilometres(from: here, to: node).map { ($0 * 1000).rounded() / 1000 })
        member("isFavorite", node.isFavorite)
        member("isIgnored", node.isIgnored)
        member("keyState", node.keyState)
    }
}
