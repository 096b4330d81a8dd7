import HTTPServer
import Routes

// Our own routes for this gateway's brokers, in the shapes of `mesh-gateway mqtt --json`.

extension RestAPI {
    static let brokerEndpoints: [Endpoint] = [
        .v1(.get, "mqtt", Permission(.mqtt, .read), RestAPI.listedBrokers),
        .v1(.post, "mqtt/{brokerName}/test", Permission(.mqtt, .write), RestAPI.testListedBroker),
        .v1(.post, "mqtt/{brokerName}/refresh", Permission(.mqtt, .write), RestAPI.refreshListedBroker),
    ]

    /// `mqtt`: all of them, by name. The folder of their files is not shown to clients.
    func listedBrokers(_ call: Call) throws(APIError) -> Response {
        try rows(of: brokers, "the brokers", "mqtt/1", call)
    }

    /// `mqtt/{name}/test`: connects once more, beside the connection in use.
    func testListedBroker(_ call: Call) throws(APIError) -> Response {
        try test(brokers, "the brokers", "mqtt-test/1", call)
    }

    /// `mqtt/{name}/refresh`: publishes everything again, including what a person has deleted in Home Assistant.
    func refreshListedBroker(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let brokers, let refresh = brokers.refresh else { throw .notFound("Cannot POST \(call.request.path)") }
        guard refresh(name) else { throw brokers.unknown(name) }
        return try rows(of: brokers, "the brokers", "mqtt/1", call, only: name)
    }
}
