import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway node NODE --nickname … --notes … --favourite`.

extension ControlAPI {
    static let nodeNotesEndpoints: [Endpoint] = [.local(.post, "/local/nodes/{node}", ControlAPI.noteNodeLocally)]

    /// `POST /local/nodes/{node}?source= {nickname?, notes?, favorite?}`: answers with the page of the node.
    private func noteNodeLocally(_ call: Call) throws(APIError) -> Response {
        let isFavorite = try favorite(call.body)
        let hasNotes = call.body?["nickname"] != nil || call.body?["notes"] != nil
        // Without any of them it says what is missing.
        let notes = isFavorite == nil || hasNotes ? try NodeNotes(call.body) : nil
        let name = call.parameters[0]
        let (source, number) = try read("nodes") { reader in
            let question = question(call, reader)
            let source = try question.source()
            return (source, try question.node(named: name, in: source).number)
        }
        var isThere = true
        do {
            if let notes { isThere = try gateway.note(notes, of: number, in: source.id) != nil }
            // The radio is told, too: its list keeps favourites.
            if let isFavorite, isThere {
                isThere = try gateway.set(.favorite, isFavorite, of: number, in: source.id, onRadio: true)
            }
        } catch {
            throw .failed("The node could not be changed: \(error)")
        }
        guard isThere else { throw .noNode(called: name) }
        let page = Request(target: "/local/nodes/\(number.id)?source=\(source.source.uuid)", peer: call.request.peer)
        return try read("the node") { reader in
            let question = LocalQuestion(
                request: page, reader: reader, parameters: [number.id], path: store.path, api: self)
            return try Self.nodePages[1].render(question)
        }
    }

    private func favorite(_ body: JSONValue?) throws(APIError) -> Bool? {
        guard let value = body?["favorite"] else { return nil }
        guard let flag = value.bool else { throw .badRequest("favorite must be a boolean") }
        return flag
    }
}
