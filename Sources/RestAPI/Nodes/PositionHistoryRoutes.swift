import HTTPServer
import JSON
import MeshModel
import Routes
import Store

extension RestAPI {
    static let positionHistoryEndpoints: [Endpoint] = [
        .perSource(.get, "nodes/{nodeId}/position-history", .nodes, .read, RestAPI.positionHistory)
    ]

    /// `P/nodes/{nodeId}/position-history`: a page is the newest `limit` positions, oldest first, as upstream's first
    /// page is. Upstream's further pages overlap: here the offset passes over so many of the newest, so that
    /// a client that goes on by it meets each position once, and `total` is all that match.
    func positionHistory(_ call: Call) throws(APIError) -> Response {
        guard let node = try viewableNode(call.parameters[0], call) else {
            return try page([Record<Position>](), total: 0, call, nil) { _, _ in }
        }
        let tag = tag(call, .positions)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        var query = TelemetryQuery(call, node: node)
        query.name = nil
        let (limit, offset) = (call.request.telemetryLimit, call.request.offset)
        let (positions, total) = try read("position history") { [query] reader in
            let positions = try reader.positionHistory(query, limit: limit, offset: offset)
            return (positions, try offset.total(positions.count, of: limit) ?? reader.positionTotal(query))
        }
        return try page(positions, total: total, call, tag) { json, slice in
            for position in slice { json.position(position) }
        }
    }
}

extension JSONWriter {
    /// One position of the past; what is unknown is left out (Contract 3.3).
    mutating func position(_ record: Record<Position>, prefix: (inout JSONWriter) -> Void = { _ in }) {
        let position = record.value
        object { json in
            prefix(&json)
            json.member("timestamp", record.at)
            json.member("latitude", position.latitudeI.map { Double($0) / 1e7 })
            json.member("longitude", position.longitudeI.map { Double($0) / 1e7 })
            if let altitude = position.altitude { json.member("altitude", altitude) }
            if let speed = position.groundSpeed { json.member("groundSpeed", speed) }
            if let course = position.course { json.member("groundTrack", course) }
            if let snr = record.rxSNR { json.float("snr", snr) }
            if let hopStart = record.hopStart { json.member("hopStart", hopStart) }
            if let hopLimit = record.hopLimit { json.member("hopLimit", hopLimit) }
            json.member("packetId", record.packetID)
        }
    }
}
