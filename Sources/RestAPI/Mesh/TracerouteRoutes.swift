import HTTPServer
import MeshModel
import Routes
import Store

extension RestAPI {
    /// Rows that are printed at a time.
    private static let slice = 256
    /// More hours than anybody has traced routes.
    private static let maximumHours: Int64 = 1_000_000

    static let tracerouteEndpoints: [Endpoint] = [
        .perSource(.get, "traceroutes", .traceroute, .read, RestAPI.traceroutes),
        .perSource(.get, "traceroutes/{fromNodeId}/{toNodeId}", .traceroute, .read, RestAPI.newestTraceroute),
        .session(.get, "/api/traceroutes/recent", Permission(.traceroute, .read), RestAPI.recentTraceroutes),
        .session(
            .get, "/api/traceroutes/history/{fromNum}/{toNum}", Permission(.traceroute, .read),
            RestAPI.tracerouteHistory),
        .session(.get, "/api/sources/{id}/traceroutes", Permission(.traceroute, .read), RestAPI.tracerouteArray),
    ]

    /// `P/traceroutes`: newest first, both filters before the limit.
    func traceroutes(_ call: Call) throws(APIError) -> Response {
        let tag = tag(call, .traceroutes)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let request = call.request
        let limit = request.limit(default: 100, cap: 10_000)
        let source = call.source
        let ids = try read("traceroutes") { reader -> [Int64] in
            guard let from = request.node("fromNodeId"), let to = request.node("toNodeId") else { return [] }
            return try reader.tracerouteIDs(in: source.id, from: from, to: to, limit: limit)
        }
        do {
            return try .list(ids, slice: Self.slice, tag: tag) { [store] json, slice in
                let rows = try store.readCommitted { reader in
                    let rows = try slice.compactMap { try reader.traceroute(id: $0, in: source.id) }
                    return try reader.traced(rows, in: source.id, for: call.caller)
                }
                for row in rows { json.traceroute(row, source: source.source.uuid) }
            }
        } catch {
            throw .failed("Failed to retrieve traceroutes")
        }
    }

    /// `P/traceroutes/{from}/{to}`: the newest one in this direction.
    func newestTraceroute(_ call: Call) throws(APIError) -> Response {
        let (from, to, source) = (call.parameters[0], call.parameters[1], call.source)
        let row = try read("traceroute") { reader in
            guard let a = NodeNumber(id: from), let b = NodeNumber(id: to),
                case let rows = try reader.traceroutes(in: source.id, from: a, to: b, limit: 1),
                let row = try reader.traced(rows, in: source.id, for: call.caller).first
            else { throw APIError.notFound("No traceroute found from \(from) to \(to)") }
            return row
        }
        return .item(to: call.request) { $0.traceroute(row, source: source.source.uuid) }
    }

    // MARK: outside v1

    /// `/api/traceroutes/recent`: those of the last `hours`.
    func recentTraceroutes(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.request.sourceAsked(nil))
        let asked = call.request.queryValue("hours").flatMap { parseInt($0) } ?? 0
        let hours = asked <= 0 ? 24 : min(asked, Self.maximumHours)
        let limit = call.request.limit(default: 100, cap: 1_000)
        let rows = try read("traceroutes") {
            let rows = try $0.traceroutes(in: source.id, since: clock() - hours * 3_600_000, limit: limit)
            return try $0.traced(rows, in: source.id, for: call.caller)
        }
        return .array(rows, to: call.request) { $0.tracerouteWithHops($1, source: source.source.uuid) }
    }

    /// `/api/traceroutes/history/{a}/{b}`: those between two nodes, in both directions.
    func tracerouteHistory(_ call: Call) throws(APIError) -> Response {
        let numbers = call.parameters.map { parseInt($0).flatMap { UInt32(exactly: $0) } }
        guard case (let a?, let b?) = (numbers[0], numbers[1]) else {
            throw .uncoded(400, "Invalid node numbers provided")
        }
        let text = call.request.queryValue("limit") ?? ""
        guard let limit = text.isEmpty ? 50 : parseInt(text), (1...1000).contains(limit) else {
            throw .uncoded(400, "Limit must be between 1 and 1000")
        }
        let source = try sessionSource(call.request.sourceAsked(nil))
        let rows = try read("traceroutes") {
            let rows = try $0.traceroutes(between: NodeNumber(a), and: NodeNumber(b), in: source.id, limit: Int(limit))
            return try $0.traced(rows, in: source.id, for: call.caller)
        }
        return .array(rows, to: call.request) { $0.tracerouteWithHops($1, source: source.source.uuid) }
    }

    /// `/api/sources/{id}/traceroutes`.
    func tracerouteArray(_ call: Call) throws(APIError) -> Response {
        let source = try sessionSource(call.parameters[0])
        let limit = call.request.limit(default: 100, cap: 1_000)
        let rows = try read("traceroutes") {
            try $0.traced($0.traceroutes(in: source.id, limit: limit), in: source.id, for: call.caller)
        }
        return .array(rows, to: call.request) { $0.traceroute($1, source: source.source.uuid) }
    }
}
