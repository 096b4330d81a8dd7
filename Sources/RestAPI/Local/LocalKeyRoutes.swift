import Gateway
import HTTPServer
import MeshModel
import Store

// What `mesh-gateway keys` asks a running daemon over its local socket. A node is named by its id, its number, or its
// name.

extension RestAPI {
    static let localKeyEndpoints: [Endpoint] = [
        .local(.get, "/local/keys", RestAPI.listKeys), .local(.get, "/local/keys/{node}", RestAPI.showKey),
        .local(.post, "/local/keys/{node}/accept", RestAPI.acceptKey),
        .local(.post, "/local/keys/{node}/verify", RestAPI.verifyKey),
    ]

    private func listKeys(_ call: Call) throws(APIError) -> Response {
        .json(.bytes(KeyBook.json(try read("keys") { try KeyBook.entries($0) })))
    }

    private func showKey(_ call: Call) throws(APIError) -> Response {
        .json(.bytes(KeyBook.json(try keys(of: call.parameters[0]))))
    }

    private func acceptKey(_ call: Call) throws(APIError) -> Response { try decide(.accept, call) }

    private func verifyKey(_ call: Call) throws(APIError) -> Response { try decide(.verify, call) }

    /// In every source that knows the node, and where there is something to decide: it is one person's word about one
    /// device.
    private func decide(_ decision: KeyDecision, _ call: Call) throws(APIError) -> Response {
        var decided: [KeyBook.Entry] = []
        var refusal: APIError?
        for entry in try keys(of: call.parameters[0]) {
            do throws(KeyRefusal) {
                let node = try gateway.decide(decision, of: entry.node.number, in: entry.source.id)
                decided.append(KeyBook.Entry(source: entry.source, node: node))
            } catch {
                refusal = APIError(error, entry.node.number)
            }
        }
        if decided.isEmpty, let refusal { throw refusal }
        return .json(.bytes(KeyBook.json(decided)))
    }

    private func keys(of name: String) throws(APIError) -> [KeyBook.Entry] {
        let found = KeyBook.search(name, in: try read("keys") { try KeyBook.entries($0) })
        switch found {
        case .one(let entries): return entries
        case .none: throw .notFound("There is no node \"\(name)\"")
        case .several(let entries):
            let ids = Set(entries.map(\.node.number)).sorted().map(\.id).joined(separator: ", ")
            throw .conflict("\"\(name)\" is the name of several nodes: \(ids)")
        }
    }
}

extension APIError {
    fileprivate init(_ refusal: KeyRefusal, _ node: NodeNumber) {
        switch refusal {
        case .noSuchNode: self = .notFound("There is no node \(node.id)")
        case .nothingToAccept: self = .conflict("No other key than the known one was seen for \(node.id)")
        case .noKey: self = .conflict("No key of \(node.id) is known")
        case .storage(let reason): self = .failed("The decision could not be stored: \(reason)")
        }
    }
}
