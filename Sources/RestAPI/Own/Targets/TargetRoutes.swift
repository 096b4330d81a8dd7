import HTTPServer
import JSON
import Routes

// Our own routes for this gateway's targets, in the shape of `mesh-gateway target --json`. Targets cannot be added here, because
// anyone who may set an address can make the gateway call it.

extension RestAPI {
    static let targetEndpoints: [Endpoint] = [
        .v1(.get, "targets", Permission(.configuration, .read), RestAPI.listedTargets),
        .v1(.post, "targets/{targetName}/test", Permission(.configuration, .write), RestAPI.testTarget),
    ]

    /// `targets`: all of them, by name.
    func listedTargets(_ call: Call) throws(APIError) -> Response { try answer(call, named: nil) }

    /// `targets/{name}/test`: starts sending a test notification; the list shows what became of it.
    func testTarget(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let targets else { throw .noTarget(name) }
        if let seconds = targets.pause(name) { throw .triedJustNow(name, retryAfter: seconds) }
        guard targets.test(name) else { throw .noTarget(name) }
        return try answer(call, named: name)
    }

    private func answer(_ call: Call, named name: String?) throws(APIError) -> Response {
        let report = targets?.report()
        let held = try read("targets") { try $0.heldCounts() }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("schema", "targets/1")
                json.member("via", "daemon")
                json.targets(report, named: name, held: held, showsFiles: false)
            }
        }
    }
}
