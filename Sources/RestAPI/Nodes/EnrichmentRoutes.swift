import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

// What one source knows of a node and another one does not (Contract 3.3).

extension RestAPI {
    static let enrichmentEndpoints: [Endpoint] = [
        .perSource(.get, "nodes/enrichment/analysis", .nodes, .read, RestAPI.analyseEnrichment),
        .perSource(.post, "nodes/enrichment/apply", .nodes, .read, RestAPI.applyEnrichment),
    ]

    /// `P/nodes/enrichment/analysis`: what each source could learn from the one that knows most of it.
    func analyseEnrichment(_ call: Call) throws(APIError) -> Response {
        let sources = try knownSources.all(of: store).filter(\.source.isEnabled)
        let gaps = sources.count < 2 ? [] : try read("nodes") { try $0.gaps(among: sources, for: call.caller) }
        return .item(to: call.request) { json in
            json.object { json in
                json.key("nodes")
                json.array { json in
                    for gap in gaps { json.gap(gap) }
                }
                json.key("summary")
                json.object { json in
                    json.member("nodeCount", gaps.count)
                    json.member("targetCount", gaps.reduce(0) { $0 + $1.targets.count })
                    json.member("fieldCount", gaps.flatMap(\.targets).reduce(0) { $0 + $1.fields.count })
                }
            }
        }
    }

    /// `P/nodes/enrichment/apply {items: [{nodeNum, targetSourceId, donorSourceId, fields?}]}`: fills gaps only; what a
    /// source knows already it keeps.
    func applyEnrichment(_ call: Call) throws(APIError) -> Response {
        guard let items = call.body?["items"]?.array, !items.isEmpty else {
            throw .coded(400, "items must be a non-empty array", code: "INVALID_REQUEST")
        }
        var parsed: [EnrichmentItem] = []
        for item in items {
            guard let item = EnrichmentItem(item) else {
                throw .coded(
                    400, "Each item needs nodeNum, targetSourceId and donorSourceId", code: "INVALID_ITEM")
            }
            parsed.append(item)
        }
        guard call.caller.may(.write, .nodes) else { return Self.mayNotEnrich(parsed) }
        let applied = try fill(parsed, for: call.caller)
        return .item(to: call.request) { json in
            json.object { json in
                json.key("applied")
                json.array { json in
                    for (item, fields) in applied { json.applied(item, fields) }
                }
                json.member("totalFieldsCopied", applied.reduce(0) { $0 + $1.fields.count })
            }
        }
    }

    /// All of them, or none.
    private func fill(
        _ items: [EnrichmentItem], for caller: Caller
    ) throws(APIError) -> [(item: EnrichmentItem, fields: [NodeField])] {
        var wishes: [(item: EnrichmentItem, donor: SourceID, target: SourceID)] = []
        for item in items { wishes.append((item, try source(item.donor).id, try source(item.target).id)) }
        do {
            return try store.commit { [wishes] writer in
                try wishes.compactMap { item, donor, target in
                    guard let known = try writer.node(item.number, in: donor), caller.mayView(known.channel),
                        let node = try writer.node(item.number, in: target)
                    else { return nil }
                    let gaps = NodeField.gaps(of: node, against: known).filter { item.fields.contains($0) }
                    guard !gaps.isEmpty else { return nil }
                    try writer.updateNode(item.number, in: target, at: WallClock.milliseconds()) { node in
                        for field in gaps { field.copy(from: known, to: &node) }
                    }
                    return (item, gaps)
                }
            }
        } catch {
            throw .failed("Failed to apply enrichment")
        }
    }

    private static func mayNotEnrich(_ items: [EnrichmentItem]) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("error", "Insufficient permissions")
            json.member("code", "FORBIDDEN")
            json.key("missing")
            json.array { json in
                for target in Set(items.map(\.target)).sorted() {
                    json.object { json in
                        json.member("resource", Resource.nodes.name)
                        json.member("action", Action.write.rawValue)
                        json.member("sourceId", target)
                    }
                }
            }
        }
        return .json(.bytes(json.bytes), status: 403)
    }
}

/// One wish of `enrichment/apply`.
private struct EnrichmentItem: Sendable {
    let number: NodeNumber
    let target: String
    let donor: String
    let fields: [NodeField]

    init?(_ json: JSONValue) {
        guard let number = json["nodeNum"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let target = json["targetSourceId"]?.string, let donor = json["donorSourceId"]?.string,
            let fields = NodeField.list(json["fields"])
        else { return nil }
        (self.number, self.target, self.donor, self.fields) = (NodeNumber(number), target, donor, fields)
    }
}

/// A node of which at least one source knows less than another one.
private struct NodeGap {
    struct Target {
        let target: Source
        let donor: Source
        let fields: [NodeField]
    }

    let node: Node
    let targets: [Target]
}

extension Reader {
    fileprivate func gaps(among sources: [FoundSource], for caller: Caller) throws -> [NodeGap] {
        try sharedNodeNumbers().compactMap { number in
            let known = try sources.compactMap { source in
                try node(number, in: source.id).map { (source: source.source, node: $0) }
            }
            .filter { caller.mayView($0.node.channel) }
            let targets = known.compactMap { target -> NodeGap.Target? in
                let offers = known.map { ($0.source, NodeField.gaps(of: target.node, against: $0.node)) }
                guard let best = offers.max(by: { $0.1.count < $1.1.count }), !best.1.isEmpty else { return nil }
                return NodeGap.Target(target: target.source, donor: best.0, fields: best.1)
            }
            guard let named = known.first(where: { $0.node.longName != nil }) ?? known.first, !targets.isEmpty else {
                return nil
            }
            return NodeGap(node: named.node, targets: targets)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func gap(_ gap: NodeGap) {
        object { json in
            json.member("nodeNum", gap.node.number.rawValue)
            json.member("nodeId", gap.node.number.id)
            json.member("displayName", gap.node.shownLongName)
            json.key("targets")
            json.array { json in
                for target in gap.targets {
                    json.object { json in
                        json.member("targetSourceId", target.target.uuid)
                        json.member("targetSourceName", target.target.name)
                        json.key("fillableFields")
                        json.array { json in
                            for field in target.fields { json.value(field.rawValue) }
                        }
                        json.member("donorSourceId", target.donor.uuid)
                        json.member("donorSourceName", target.donor.name)
                    }
                }
            }
        }
    }

    fileprivate mutating func applied(_ item: EnrichmentItem, _ fields: [NodeField]) {
        object { json in
            json.member("nodeNum", item.number.rawValue)
            json.member("targetSourceId", item.target)
            json.member("donorSourceId", item.donor)
            json.key("copiedFields")
            json.array { json in
                for field in fields { json.value(field.rawValue) }
            }
        }
    }
}
