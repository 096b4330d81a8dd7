import HTTPServer
import MeshModel
import Routes
import Store

extension RestAPI {
    /// Rows that are printed at a time.
    static let telemetrySlice = 256

    static let telemetryEndpoints: [Endpoint] = [
        .perSource(.get, "telemetry", .nodes, .read, RestAPI.telemetry),
        .perSource(.get, "telemetry/count", .nodes, .read, RestAPI.telemetryCount),
        .perSource(.get, "telemetry/{nodeId}", .nodes, .read, RestAPI.telemetryOfNode),
    ]

    /// `P/telemetry`: one row a value, newest first.
    ///
    /// Without a node, upstream shows ten nodes and ignores the offset, so that a client that pages through it never comes to
    /// an end (Contract 7.29). Here it is all that the source has, and behind the last row pages are empty.
    func telemetry(_ call: Call) throws(APIError) -> Response {
        if let id = call.request.queryValue("nodeId"), !id.isEmpty { return try telemetry(call, ofNode: id) }
        let channels = call.caller.channels(for: .viewOnMap)
        // Which nodes may be seen changes with the channels that they are heard on.
        let tag =
            channels == nil
            ? tag(call, .telemetry, .positions, .paxcounts)
            : tag(call, .telemetry, .positions, .paxcounts, .nodes)
        return try telemetry(call, TelemetryQuery(call, node: nil), isCounted: false, tag)
    }

    /// `P/telemetry/{nodeId}`
    func telemetryOfNode(_ call: Call) throws(APIError) -> Response { try telemetry(call, ofNode: call.parameters[0]) }

    private func telemetry(_ call: Call, ofNode id: String) throws(APIError) -> Response {
        guard let node = try viewableNode(id, call) else {
            return try page([TelemetryPoint](), total: 0, call, nil) { _, _ in }
        }
        let tag = tag(call, .telemetry, .positions, .paxcounts)
        return try telemetry(call, TelemetryQuery(call, node: node), isCounted: true, tag)
    }

    private func telemetry(
        _ call: Call, _ query: TelemetryQuery, isCounted: Bool, _ tag: EntityTag
    ) throws(APIError) -> Response {
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let (limit, offset) = (call.request.telemetryLimit, call.request.offset)
        let (points, total) = try read(query.node == nil ? "telemetry data" : "node telemetry") { reader in
            let points = try reader.telemetryPoints(query, limit: limit, offset: offset)
            guard isCounted else { return (points, nil as Int?) }
            return (points, try offset.total(points.count, of: limit) ?? reader.telemetryTotal(query))
        }
        let uuid = call.source.source.uuid
        return try page(points, total: total, call, tag) { json, slice in
            for point in slice { json.telemetry(point, source: uuid) }
        }
    }

    /// `P/telemetry/count`: of all sources, as upstream counts.
    func telemetryCount(_ call: Call) throws(APIError) -> Response {
        let count = try read("telemetry count") { try $0.telemetryCount() }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", count)
            }
        }
    }

    // MARK: for series

    /// A node that the source knows, by its id; nil when there is none. Throws when the token may not see it: then no
    /// permission is named (Contract 3.7).
    func viewableNode(_ id: String, _ call: Call) throws(APIError) -> NodeNumber? {
        guard let number = NodeNumber(id: id), !number.isBroadcast,
            let node = try read("node", { try $0.node(number, in: call.source.id) })
        else { return nil }
        guard call.caller.mayView(node.channel) else { throw .forbidden("Insufficient permissions") }
        return number
    }

    /// The envelope of a page: success, count, total, offset, limit, data.
    ///
    /// - Parameter total: nil leaves it out.
    func page<Row: Sendable>(
        _ rows: [Row], total: Int?, _ call: Call, _ tag: EntityTag?, write: @escaping ListStream<Row>.Write
    ) throws(APIError) -> Response {
        let (offset, limit) = (call.request.offset, call.request.telemetryLimit)
        do {
            return try .list(
                rows, slice: Self.telemetrySlice, tag: tag,
                head: { json in
                    if let total { json.member("total", total) }
                    json.member("offset", offset)
                    json.member("limit", limit)
                }, write: write)
        } catch {
            throw .failed("Failed to print a list")
        }
    }
}

extension Request {
    /// Of telemetry and positions.
    var telemetryLimit: Int { limit(default: 1000, cap: 10_000) }
}

extension Int {
    /// How many rows there are when a page at this offset already tells: it is not full, and not behind the end.
    func total(_ count: Int, of limit: Int) -> Int? {
        count < limit && (count > 0 || self == 0) ? self + count : nil
    }
}

extension TelemetryQuery {
    init(_ call: Call, node: NodeNumber?) {
        let name = call.request.queryValue("type").flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            source: call.source.id, node: node, name: name, since: call.request.since, before: call.request.before,
            channels: call.caller.channels(for: .viewOnMap))
    }
}
