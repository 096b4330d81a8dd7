import HTTPServer
import JSON
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
        let report = brokers?.report()
        return shown(report?.brokers ?? [], report, to: call.request)
    }

    /// `mqtt/{name}/test`: connects once more, beside the connection in use.
    func testListedBroker(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        if let seconds = brokers?.pause(name) { throw .triedJustNow(name, retryAfter: seconds) }
        return try testBroker(name) { test in
            var json = JSONWriter()
            json.object { json in
                json.member("schema", "mqtt-test/1")
                json.member("via", "daemon")
                json.brokerTest(test)
            }
            return .json(.bytes(json.bytes))
        }
    }

    /// `mqtt/{name}/refresh`: publishes everything again, including what a person has deleted in Home Assistant.
    func refreshListedBroker(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let brokers, brokers.refresh(name) else { throw .noBroker(name) }
        let report = brokers.report()
        return shown(report.brokers.filter { $0.name == name }, report, to: call.request)
    }

    private func shown(_ brokers: [ShownBroker], _ report: BrokersDoor.Report?, to request: Request) -> Response {
        .json(to: request) { json in
            json.object { json in
                json.member("schema", "mqtt/1")
                json.member("via", "daemon")
                json.brokers(brokers, report, showsFiles: false)
            }
        }
    }
}
