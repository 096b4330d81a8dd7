import HTTPServer
import JSON
import Routes
import Store

// `mesh-gateway mqtt`: how the brokers are doing, what a connection to one shows, and showing everything there again.

extension ControlAPI {
    static let brokerPages: [LocalPage] = [
        LocalPage("/local/mqtt", "mqtt/1") { question, json in
            let report = question.api?.brokers?.report()
            json.brokers(try question.reader.shownBrokers(report), report, showsFiles: true)
        }
    ]

    static let brokerEndpoints: [Endpoint] = [
        .local(.post, "/local/mqtt/reload", ControlAPI.reloadBrokers),
        .local(.post, "/local/mqtt/{name}/test", ControlAPI.testLocalBroker),
        .local(.post, "/local/mqtt/{name}/refresh", ControlAPI.refreshLocalBroker),
    ]

    /// The folder is read again, and what is right in it is in force.
    private func reloadBrokers(_ call: Call) throws(APIError) -> Response {
        guard let brokers else { throw .conflict("only mesh-gateway serve connects to brokers") }
        brokers.reload()
        let report = brokers.report()
        return .json(
            .bytes(
                LocalPage.bytes("mqtt/1", via: call.request.via) {
                    $0.brokers(report.brokers, report, showsFiles: true)
                }))
    }

    private func testLocalBroker(_ call: Call) throws(APIError) -> Response {
        let via = call.request.via
        return try testBroker(call.parameters[0]) { test in
            .json(.bytes(LocalPage.bytes("mqtt-test/1", via: via) { $0.brokerTest(test) }))
        }
    }

    /// What a person has deleted in Home Assistant comes back, too.
    private func refreshLocalBroker(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let brokers, brokers.refresh(name) else { throw .noBroker(name) }
        let report = brokers.report()
        return .json(
            .bytes(
                LocalPage.bytes("mqtt/1", via: call.request.via) {
                    $0.brokers(report.brokers.filter { $0.name == name }, report, showsFiles: true)
                }))
    }
}
