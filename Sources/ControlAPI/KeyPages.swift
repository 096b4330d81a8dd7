import Gateway
import HTTPServer
import JSON
import MeshModel
import Nettle
import Routes
import Store

// `mesh-gateway keys`: whose key is whose, and what a person has to decide about. A node is named by its id, its number
// or its name.

extension ControlAPI {
    static let keyPages: [LocalPage] = [
        LocalPage("/local/keys", KeyList.schema) { question, json in
            KeyList.write(try KeyList.of(question.sources(), question.reader), &json)
        },
        LocalPage("/local/keys/{node}", KeyList.schema) { question, json in
            let all = try KeyList.of(question.sources(), question.reader)
            KeyList.write(try KeyList.named(question.parameters[0], in: all), &json)
        },
    ]

    static let localKeyEndpoints: [Endpoint] = [
        .local(.post, "/local/keys/{node}/accept", ControlAPI.acceptKey),
        .local(.post, "/local/keys/{node}/verify", ControlAPI.verifyKey),
    ]

    private func acceptKey(_ call: Call) throws(APIError) -> Response { try decide(.accept, call) }

    private func verifyKey(_ call: Call) throws(APIError) -> Response { try decide(.verify, call) }

    /// In every source that knows the node, and where there is something to decide: it is one person's word about one
    /// device.
    private func decide(_ decision: KeyDecision, _ call: Call) throws(APIError) -> Response {
        let entries = try read("keys") { reader in
            let question = LocalQuestion(
                request: call.request, reader: reader, parameters: call.parameters, path: store.path, api: self)
            return try KeyList.of(question.sources(), reader)
        }
        var decided: [KeyList.Entry] = []
        var refusal: APIError?
        for entry in try KeyList.named(call.parameters[0], in: entries) {
            do throws(KeyRefusal) {
                let outcome = try gateway.decide(
                    decision, of: entry.node.number, by: call.caller.sender, in: entry.source.id)
                decided.append(KeyList.Entry(source: entry.source, node: outcome.node))
            } catch {
                refusal = APIError(error, entry.node.number)
            }
        }
        if decided.isEmpty, let refusal { throw refusal }
        return .json(.bytes(LocalPage.bytes(KeyList.schema, via: call.request.via) { KeyList.write(decided, &$0) }))
    }
}

private enum KeyList {
    static let schema = "keys/1"

    struct Entry {
        let source: FoundSource
        let node: Node
    }

    /// What a person should look at first, then who was heard last.
    static func of(_ sources: [FoundSource], _ reader: Reader) throws -> [Entry] {
        var found: [Entry] = []
        for source in sources {
            for number in try reader.nodeNumbers(in: source.id, order: .lastHeardDescending) {
                if let node = try reader.node(number, in: source.id) { found.append(Entry(source: source, node: node)) }
            }
        }
        return found.filter { isUrgent($0.node) } + found.filter { !isUrgent($0.node) }
    }

    private static func isUrgent(_ node: Node) -> Bool {
        node.isKeyInDoubt || node.isKeyDuplicate || node.keyMismatch && node.announcedKey == nil
    }

    static func named(_ name: String, in entries: [Entry]) throws(APIError) -> [Entry] {
        switch NodeNames.search(name, in: entries, node: { $0.node }) {
        case .one(let found): return found
        case .none: throw .noNode(called: name)
        case .several(let found): throw .severalNodes(found.map(\.node), called: name)
        }
    }

    static func write(_ entries: [Entry], _ json: inout JSONWriter) {
        json.key("keys")
        json.array { json in for entry in entries { json.object { $0.key(of: entry.node, in: entry.source.source) } } }
    }
}

extension JSONWriter {
    fileprivate mutating func key(of node: Node, in source: Source) {
        who(node.number, node)
        member("state", node.keyState)
        member("key", node.publicKey.map { Base64.encoded($0.bytes) })
        member("announcedKey", node.announcedKey.map { Base64.encoded($0.bytes) })
        time("since", milliseconds: node.keyDoubtedAt)
        member("verified", node.isKeyManuallyVerified)
        member("details", node.keyDetails)
        member("advice", node.keyAdvice)
        time("lastHeard", seconds: node.lastHeard)
        member("sourceId", source.uuid)
        member("sourceName", source.name)
    }
}

extension APIError {
    fileprivate init(_ refusal: KeyRefusal, _ node: NodeNumber) {
        switch refusal {
        case .noSuchNode: self = .noNode(called: node.id)
        case .nothingToAccept:
            self = .conflict(
                "No other key than the known one was seen for \(node.id); mesh-gateway keys verify '\(node.id)' shows it"
            )
        case .noKey:
            self = .conflict("No key of \(node.id) is known; mesh-gateway request nodeinfo '\(node.id)' asks for it")
        case .anotherKey: self = .conflict("Another key has been seen for \(node.id) since")
        case .storage(let reason): self = .failed("The decision could not be stored: \(reason)")
        }
    }
}
