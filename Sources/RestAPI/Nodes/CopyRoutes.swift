import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

// What one source knows of a node is copied to another one (Contract 3.3): in the database; no radio's own memory is
// written.

extension RestAPI {
    static let copyEndpoints: [Endpoint] = [
        .perSource(.get, "nodes/{nodeNum}/copy-candidates", .nodes, .read, RestAPI.copyCandidates),
        .perSource(.post, "nodes/{nodeNum}/copy-nodeinfo", .nodes, .read, RestAPI.copyNodeInfo),
    ]

    /// `P/nodes/{nodeNum}/copy-candidates`: the other sources that know this node.
    func copyCandidates(_ call: Call) throws(APIError) -> Response {
        let number = try call.nodeNumber()
        let sources = try knownSources.all(of: store).filter { $0.source.isEnabled && $0.id != call.source.id }
        let found = try read("node") { reader in
            try sources.compactMap { source in
                try reader.node(number, in: source.id).map { node in
                    (source: source.source, node: node, isMobile: try reader.isMobile([number], in: source.id)[0])
                }
            }
        }
        .filter { call.caller.mayView($0.node.channel) }
        return .item(to: call.request) { json in
            json.array { json in
                for (source, node, isMobile) in found {
                    json.object { json in
                        json.member("sourceId", source.uuid)
                        json.member("sourceName", source.name)
                        json.member("sourceType", Self.sourceType)
                        json.key("node")
                        json.node(node, isMobile: isMobile, source: source.uuid, for: call.caller)
                        json.member("fieldsFilled", NodeField.allCases.count { $0.isFilled(in: node) })
                        json.member("totalFields", NodeField.allCases.count)
                    }
                }
            }
        }
    }

    /// `P/nodes/{nodeNum}/copy-nodeinfo {fromSourceId, toSourceId, fields?}`: the person who asks decides, so that what
    /// the target knew is replaced.
    func copyNodeInfo(_ call: Call) throws(APIError) -> Response {
        let number = try call.nodeNumber()
        guard let from = call.body?["fromSourceId"]?.string, let to = call.body?["toSourceId"]?.string else {
            throw .badRequest("fromSourceId and toSourceId are required")
        }
        guard let fields = NodeField.list(call.body?["fields"]) else {
            throw .badRequest(
                "fields must be an array of: " + NodeField.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard call.caller.may(.write, .nodes) else {
            throw .insufficient(
                "Insufficient write permission on target source", resource: Resource.nodes.name, action: .write)
        }
        let (donor, target) = (try source(from), try source(to))
        guard let copied = try copy(fields, of: number, from: donor.id, to: target.id, for: call.caller) else {
            throw .notFound("Node \(number.rawValue) not found in source \(donor.source.uuid)")
        }
        return .item(to: call.request) { json in
            json.object { json in
                json.key("copiedFields")
                json.array { json in
                    for field in copied { json.value(field.rawValue) }
                }
                json.member("pushedToDevice", false)
            }
        }
    }

    /// - Returns: what the donor knew; nil when it does not know the node, or the caller may not see it there.
    private func copy(
        _ fields: [NodeField], of number: NodeNumber, from donor: SourceID, to target: SourceID, for caller: Caller
    ) throws(APIError) -> [NodeField]? {
        do {
            return try store.commit { writer -> [NodeField]? in
                guard let known = try writer.node(number, in: donor), caller.mayView(known.channel) else { return nil }
                let copied = fields.filter { $0.isFilled(in: known) }
                try writer.updateNode(number, in: target, at: WallClock.milliseconds()) { node in
                    for field in copied { field.copy(from: known, to: &node) }
                }
                return copied
            }
        } catch {
            throw .failed("Failed to copy node info")
        }
    }
}

extension NodeField {
    /// Nil when the value is no list of fields; all of them when there is none.
    static func list(_ json: JSONValue?) -> [NodeField]? {
        guard let json else { return allCases }
        guard let names = json.array else { return nil }
        let fields = names.compactMap { $0.string.flatMap { NodeField(rawValue: $0) } }
        return fields.count == names.count ? fields : nil
    }
}

extension Call {
    /// The node of the path, a decimal number.
    fileprivate func nodeNumber() throws(APIError) -> NodeNumber {
        guard let number = parseInt(parameters[0]).flatMap({ UInt32(exactly: $0) }) else {
            throw .badRequest("nodeNum must be a number")
        }
        return NodeNumber(number)
    }
}
