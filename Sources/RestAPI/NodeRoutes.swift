import HTTPServer
import MeshModel
import Store

extension RestAPI {
    /// Nodes that are read and printed at a time.
    private static let slice = 64
    /// More days than any radio has existed.
    private static let maximumDays: Int64 = 100_000

    /// `P/nodes`, newest change first; with `active=true` those heard in the last `sinceDays` days, last heard first.
    func nodes(of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let found = try read("nodes") { try self.source(name, $0) }
        // Taken before the rows: a tag may be older than what it stands for, never newer.
        let revision = store.revision(.nodes)
        let isActive = request.queryValue("active") == "true"
        if !isActive {
            let tag = EntityTag(parts: revision, UInt64(bitPattern: found.id.rawValue))
            let known = Response.json(.empty, tag: tag).unlessKnown(to: request)
            if known.status == 304 { return known }
            return try nodes(tag, of: found) {
                try $0.nodeNumbers(in: found.id, order: .updatedDescending, heardSince: nil)
            }
        }
        let since = Self.heardSince(request.queryValue("sinceDays"))
        // No tag by revision: a node falls out of this list by the mere passing of time.
        return try nodes(nil, of: found) { reader in
            guard let since else { return [] }
            return try reader.nodeNumbers(in: found.id, order: .lastHeardDescending, heardSince: since)
        }
    }

    private func nodes(
        _ tag: EntityTag?, of found: (id: SourceID, source: Source), _ numbers: (Reader) throws -> [NodeNumber]
    ) throws(APIError) -> Response {
        let numbers = try read("nodes", numbers)
        let (store, uuid, id) = (store, found.source.uuid, found.id)
        do {
            return try .list(numbers, slice: Self.slice, tag: tag) { json, slice in
                for node in try store.read({ try $0.nodes(slice, in: id) }) { json.node(node, source: uuid) }
            }
        } catch {
            throw .failed("Failed to retrieve nodes")
        }
    }

    /// Seconds since 1970 after which a node must have been heard; nil when no node can be.
    private static func heardSince(_ days: String?) -> Int64? {
        guard let days, !days.isEmpty else { return Clock.wall() / 1000 - 7 * 86_400 }
        guard let number = parseInt(days), number >= 0 else { return nil }
        return Clock.wall() / 1000 - min(number, maximumDays) * 86_400
    }

    /// `P/nodes/{id}`: the id exactly as rows show it, in lower case.
    func node(_ text: String, of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let (source, node) = try read("node") { reader in
            let found = try self.source(name, reader)
            guard let number = NodeNumber(id: text), number.id == text, !number.isBroadcast,
                let node = try reader.node(number, in: found.id)
            else {
                throw APIError.notFound("Node \(text) not found in source \(found.source.uuid)")
            }
            return (found.source, node)
        }
        return .item(to: request) { json in json.node(node, source: source.uuid) }
    }
}
