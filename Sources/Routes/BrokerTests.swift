import HTTPServer
import Platform

extension API {
    /// Connects to a broker on a thread of its own, while the client waits without one.
    ///
    /// - Parameter page: what the test is shown as.
    public func testBroker(
        _ name: String, _ page: @escaping @Sendable (ShownBrokerTest) -> Response
    ) throws(APIError) -> Response {
        guard let brokers, brokers.report().brokers.contains(where: { $0.name == name && $0.state != "broken" }) else {
            throw .noBroker(name)
        }
        return Response(
            body: .later(
                LaterAnswer { answer in
                    let isStarted = Thread.detach(named: "mqtt test") {
                        switch brokers.test(name) {
                        case .done(let test): answer.give(page(test))
                        case .busy:
                            answer.give(
                                APIError.conflict("Another test of a broker is under way; try again soon").response)
                        }
                    }
                    if !isStarted { answer.give(APIError.failed("Failed to test the broker").response) }
                }))
    }
}
