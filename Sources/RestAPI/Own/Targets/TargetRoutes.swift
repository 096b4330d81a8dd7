import HTTPServer
import Routes

// Our own routes for this gateway's targets, in the shape of `mesh-gateway target --json`. Targets cannot be added here, because
// anyone who may set an address can make the gateway call it.

extension RestAPI {
    static let targetEndpoints: [Endpoint] = [
        .v1(.get, "targets", Permission(.configuration, .read), RestAPI.listedTargets),
        .v1(.post, "targets/{targetName}/test", Permission(.configuration, .write), RestAPI.testTarget),
    ]

    /// `targets`: all of them, by name.
    func listedTargets(_ call: Call) throws(APIError) -> Response {
        try rows(of: targets, "targets", "targets/1", call)
    }

    /// `targets/{name}/test`: starts sending a test notification; the list shows what became of it.
    func testTarget(_ call: Call) throws(APIError) -> Response { try test(targets, "targets", "targets/1", call) }
}
