import HTTPServer
import JSON
import Routes

// The targets of this gateway, ours, in the shape of `mesh-gateway target --json`. Nobody adds one from here: whoever may set
// an address has the gateway call it.

extension RestAPI {
    static let targetEndpoints: [Endpoint] = [
        .v1(.get, "targets", Permission(.configuration, .read), RestAPI.listedTargets),
        .v1(.post, "targets/{targetName}/test", Permission(.configuration, .write), RestAPI.testTarget),
    ]

    /// `targets`: all of them, by name.
    func listedTargets(_ call: Call) throws(APIError) -> Response { answer(call, named: nil) }

    /// `targets/{name}/test`: a notification is on its way; the list says what became of it.
    func testTarget(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard targets?.test(name) == true else { throw .noTarget(name) }
        return answer(call, named: name)
    }

    private func answer(_ call: Call, named name: String?) -> Response {
        let report = targets?.report()
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "targets/1")
                json.member("via", "daemon")
                json.targets(report, named: name, showsFiles: false)
            }
        }
    }
}
