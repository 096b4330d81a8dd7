import HTTPServer
import Routes

// `mesh-gateway mqtt`: how the brokers are doing, what a connection to one shows, and showing everything there again.

extension ControlAPI {
    static let brokerPages: [LocalPage] = [LocalPage("/local/mqtt", "mqtt/1", of: \.brokers)]

    static let brokerEndpoints: [Endpoint] = [
        .local(.post, "/local/mqtt/reload") { api in
            { call throws(APIError) in try api.reload(api.brokers, connecting, "mqtt/1", call) }
        },
        .local(.post, "/local/mqtt/{name}/test") { api in
            { call throws(APIError) in try api.test(api.brokers, connecting, "mqtt-test/1", call) }
        },
        .local(.post, "/local/mqtt/{name}/refresh", ControlAPI.refreshLocalBroker),
    ]

    /// What a person has deleted in Home Assistant comes back, too.
    private func refreshLocalBroker(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let brokers, let refresh = brokers.refresh else {
            throw .conflict("only mesh-gateway serve \(connecting)")
        }
        guard refresh(name) else { throw brokers.unknown(name) }
        let question = FolderDoor.Question(isLocal: true)
        let rows = try read("the brokers") { try brokers.rows(question.only(name), question, $0) }
        return page("mqtt/1", rows, to: call.request)
    }
}

private let connecting = "connects to brokers"
