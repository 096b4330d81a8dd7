import HTTPServer
import MeshModel
import Routes
import Store

extension RestAPI {
    /// Nodes that are read and printed at a time.
    private static let slice = 64
    /// More days than any radio has existed.
    private static let maximumDays: Int64 = 100_000

    static let nodeEndpoints: [Endpoint] = [
        .perSource(.get, "nodes", .nodes, .read, RestAPI.nodes),
        .perSource(.get, "nodes/{nodeId}", .nodes, .read, RestAPI.node),
    ]

    /// `P/nodes`, newest change first; with `active=true` those heard in the last `sinceDays` days, last heard first.
    /// A token sees the nodes of the channels that it may view.
    func nodes(_ call: Call) throws(APIError) -> Response {
        let fields = try SelectedNodeFields(call.request)
        if call.request.queryValue("active") == "true" { return try activeNodes(call, fields) }
        let (source, channels) = (call.source.id, call.caller.channels(for: .viewOnMap))
        let tag = tag(call, .nodes, .positions)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let numbers = try read("nodes") {
            try $0.nodeNumbers(in: source, order: .updatedDescending, channels: channels)
        }
        return try list(numbers, call, fields, tag)
    }

    private func activeNodes(_ call: Call, _ fields: SelectedNodeFields?) throws(APIError) -> Response {
        let (source, channels) = (call.source.id, call.caller.channels(for: .viewOnMap))
        let since = heardSince(call.request.queryValue("sinceDays"))
        let numbers = try read("nodes") { reader in
            guard let since else { return [] as [NodeNumber] }
            return try reader.nodeNumbers(
                in: source, order: .lastHeardDescending, heardSince: since, channels: channels)
        }
        // A node falls out of this list by the mere passing of time: the tag covers who is in it, too.
        let listed = EntityTag.fingerprint(of: numbers.map(\.rawValue))
        let tag = tag(call, .nodes, .positions, with: [UInt64(numbers.count), listed])
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        return known.status == 304 ? known : try list(numbers, call, fields, tag)
    }

    private func list(
        _ numbers: [NodeNumber], _ call: Call, _ fields: SelectedNodeFields?, _ tag: EntityTag
    ) throws(APIError) -> Response {
        let (store, uuid, id, caller) = (store, call.source.source.uuid, call.source.id, call.caller)
        do {
            return try .list(numbers, slice: Self.slice, tag: tag) { json, slice in
                let (nodes, mobility) = try store.readCommitted { reader in
                    let nodes = try reader.nodes(slice, in: id)
                    return (nodes, try reader.isMobile(nodes.map(\.number), in: id))
                }
                for (node, isMobile) in zip(nodes, mobility) {
                    if let fields {
                        fields.write(node, isMobile: isMobile, source: uuid, for: caller, to: &json)
                    } else {
                        json.node(node, isMobile: isMobile, source: uuid, for: caller)
                    }
                }
            }
        } catch {
            throw .failed("Failed to retrieve nodes")
        }
    }

    /// Seconds since 1970 after which a node must have been heard; nil when no node can be.
    private func heardSince(_ days: String?) -> Int64? {
        guard let days, !days.isEmpty else { return clock() / 1000 - 7 * 86_400 }
        guard let number = parseInt(days), number >= 0 else { return nil }
        return clock() / 1000 - min(number, Self.maximumDays) * 86_400
    }

    /// `P/nodes/{id}`: the id exactly as rows show it, in lower case.
    func node(_ call: Call) throws(APIError) -> Response {
        let found = call.source
        let fields = try SelectedNodeFields(call.request)
        let (node, isMobile) = try read("node") { reader in
            let node = try visibleNode(call, reader)
            return (node, try reader.isMobile([node.number], in: found.id)[0])
        }
        return .item(to: call.request) { json in
            if let fields {
                return fields.write(
                    node, isMobile: isMobile, source: found.source.uuid, for: call.caller, to: &json)
            }
            json.node(node, isMobile: isMobile, source: found.source.uuid, for: call.caller)
        }
    }

    /// The node that the path names, when the token may see it.
    func visibleNode(_ call: Call, _ reader: Reader) throws -> Node {
        let (text, found) = (call.parameters[0], call.source)
        guard let number = NodeNumber(id: text), number.id == text, !number.isBroadcast,
            let node = try reader.node(number, in: found.id)
        else {
            throw APIError.notFound("Node \(text) not found in source \(found.source.uuid)")
        }
        guard call.caller.mayView(node.channel) else {
            throw APIError.insufficient(
                "No permission to view this node", resource: "channel_\(node.channel ?? 0)", action: .viewOnMap)
        }
        return node
    }
}
