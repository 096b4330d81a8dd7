import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// `mesh-gateway node NODE --nickname … --notes …`.

extension ControlAPI {
    static let nodeNotesEndpoints: [Endpoint] = [.local(.post, "/local/nodes/{node}", ControlAPI.noteNodeLocally)]

    /// `POST /local/nodes/{node}?source= {nickname?, notes?}`: answers with the page of the node.
    private func noteNodeLocally(_ call: Call) throws(APIError) -> Response {
        let notes = try NodeNotes(call.body)
        let name = call.parameters[0]
        let (source, number) = try read("nodes") { reader in
            let question = question(call, reader)
            let source = try question.source()
            return (source, try question.node(named: name, in: source).number)
        }
        let node: Node?
        do { node = try gateway.note(notes, of: number, in: source.id) } catch {
            throw .failed("The node could not be changed: \(error)")
        }
        guard node != nil else { throw .noNode(called: name) }
        let page = Request(target: "/local/nodes/\(number.id)?source=\(source.source.uuid)", peer: call.request.peer)
        return try read("the node") { reader in
            let question = LocalQuestion(
                request: page, reader: reader, parameters: [number.id], path: store.path, api: self)
            return try Self.nodePages[1].render(question)
        }
    }
}
