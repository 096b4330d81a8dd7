import HTTPServer
import MeshModel
import Routes
import Store

// Nodes as MeshMonitor lists them outside v1 (Contract 4). There `/api/nodes` counts a token as nobody; here it is
// asked with one, because bots do.

extension RestAPI {
    /// Nodes that are read and printed at a time.
    private static let slice = 64

    static let nodeListEndpoints: [Endpoint] = [
        .session(.get, "/api/sources/{id}/nodes", Permission(.nodes, .read), RestAPI.nodeArray),
        .session(.get, "/api/nodes", Permission(.nodes, .read), RestAPI.nestedNodes),
    ]

    /// Where the row of a node is, in the eight bytes of each that a stream keeps.
    private struct NodePlace: Sendable {
        /// The place of its source among those asked.
        let source: UInt32
        let number: NodeNumber
    }

    /// What decides which one of several is shown.
    private struct HeardNode {
        let place: NodePlace
        let lastHeard: Int64
        let updatedAt: Int64
    }

    /// `/api/sources/{id}/nodes`: the rows of v1, newest change first.
    func nodeArray(_ call: Call) throws(APIError) -> Response {
        let tag = tag(call, .nodes, .positions, .sources)
        let source = try sessionSource(call.parameters[0])
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let channels = call.caller.channels(for: .viewOnMap)
        let numbers = try read("nodes") { try $0.nodeNumbers(in: source.id, channels: channels) }
        let (store, caller) = (store, call.caller)
        do {
            return try .array(numbers, slice: Self.slice, tag: tag) { json, slice in
                let (nodes, mobility) = try store.readCommitted { reader in
                    let nodes = try reader.nodes(slice, in: source.id)
                    return (nodes, try reader.isMobile(nodes.map(\.number), in: source.id))
                }
                for (node, isMobile) in zip(nodes, mobility) {
                    json.node(node, isMobile: isMobile, source: source.source.uuid, for: caller, hasUptime: false)
                }
            }
        } catch {
            throw .failed("Failed to retrieve nodes")
        }
    }

    /// `/api/nodes`: nested, newest change first; of all enabled sources, or of `sourceId`.
    func nestedNodes(_ call: Call) throws(APIError) -> Response {
        let tag = tag(call, .nodes, .positions, .sources)
        let sources: [FoundSource]
        if let asked = call.request.sourceAsked(nil) {
            sources = [try sessionSource(asked)]
        } else {
            sources = try knownSources.all(of: store).filter(\.source.isEnabled)
        }
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let (store, caller) = (store, call.caller)
        let channels = caller.channels(for: .viewOnMap)
        let ids = sources.map(\.id)
        let nodes = try read("nodes") { try Self.nodes(of: ids, channels: channels, $0) }
        do {
            return try .array(nodes, slice: Self.slice, tag: tag) { json, slice in
                try store.readCommitted { reader in
                    for place in slice {
                        let source = ids[Int(place.source)]
                        guard let node = try reader.node(place.number, in: source) else { continue }
                        let isMobile = try reader.isMobile([place.number], in: source)[0]
                        json.nestedNode(node, isMobile: isMobile, for: caller)
                    }
                }
            }
        } catch {
            throw .failed("Failed to retrieve nodes")
        }
    }

    /// Each node once: as the source knows it that has heard it last.
    private static func nodes(
        of sources: [SourceID], channels: [Int]?, _ reader: Reader
    ) throws -> [NodePlace] {
        if sources.count == 1 {
            return try reader.nodeNumbers(in: sources[0], channels: channels).map { NodePlace(source: 0, number: $0) }
        }
        var newest: [NodeNumber: HeardNode] = [:]
        for (place, source) in sources.enumerated() {
            for number in try reader.nodeNumbers(in: source, channels: channels) {
                guard let node = try reader.node(number, in: source) else { continue }
                let heard = HeardNode(
                    place: NodePlace(source: UInt32(place), number: number), lastHeard: node.lastHeard ?? 0,
                    updatedAt: node.updatedAt)
                let other = newest[number]
                if let other, (other.lastHeard, other.updatedAt) >= (heard.lastHeard, heard.updatedAt) { continue }
                newest[number] = heard
            }
        }
        return newest.values
            .sorted { ($1.updatedAt, $0.place.number.rawValue) < ($0.updatedAt, $1.place.number.rawValue) }.map(\.place)
    }
}
