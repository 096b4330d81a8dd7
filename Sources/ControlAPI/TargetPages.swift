import HTTPServer
import JSON
import Routes
import Store

// `mesh-gateway target`: where notifications go, and whether they arrive.

extension ControlAPI {
    static let targetPages: [LocalPage] = [
        LocalPage("/local/targets", "targets/1") { question, json in
            json.targets(question.targets?.report(), held: try question.reader.heldCounts(), showsFiles: true)
        },
        LocalPage("/local/targets/{name}", "targets/1") { question, json in
            let (report, name) = (question.targets?.report(), question.parameters[0])
            guard report?.targets.contains(where: { $0.name == name }) == true else { throw APIError.noTarget(name) }
            json.targets(report, named: name, held: try question.reader.heldCounts(), showsFiles: true)
        },
    ]

    static let targetEndpoints: [Endpoint] = [
        .local(.post, "/local/targets/reload", ControlAPI.reloadTargets),
        .local(.post, "/local/targets/{name}/test", ControlAPI.testTarget),
    ]

    /// `POST /local/targets/reload`: the folder is read again, and what is right in it is in force.
    private func reloadTargets(_ call: Call) throws(APIError) -> Response {
        guard let targets else { throw .conflict("only mesh-gateway serve sends anything") }
        targets.reload()
        return try answer(call, named: nil)
    }

    /// `POST /local/targets/{name}/test`: one is on its way; the page of the target says what became of it.
    private func testTarget(_ call: Call) throws(APIError) -> Response {
        guard let targets else { throw .conflict("only mesh-gateway serve sends anything") }
        let name = call.parameters[0]
        guard targets.test(name) else { throw .noTarget(name) }
        return try answer(call, named: name)
    }

    private func answer(_ call: Call, named name: String?) throws(APIError) -> Response {
        let report = targets?.report()
        let held = try read("targets") { try $0.heldCounts() }
        return .json(
            .bytes(
                LocalPage.bytes("targets/1", via: call.request.via) {
                    $0.targets(report, named: name, held: held, showsFiles: true)
                }))
    }
}
