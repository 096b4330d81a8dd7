import Foundation
import Routes
import Testing

@testable import RestAPI

/// The brokers by REST: where files lie stays here, and what a broker that is not in force is asked is 404.
@Suite struct BrokersAreSeenAndAsked {
    @Test func withoutTheFoldersPath() throws {
        let test = try TestGateway(brokers: .madeUp)
        let answer = try test.get("/api/v1/mqtt")
        #expect(answer.status == 200 && answer.text.contains(#""deleted":["0000abcd"]"#), "\(answer.text)")
        #expect(answer.text.contains(#""file":"broken.conf""#) && !answer.text.contains("/etc/"), "\(answer.text)")
        #expect(try test.get("/api/v1/problems").text.contains("broker-broken"))
    }

    /// Ten minutes without it are a problem of its own, beside a file with a mistake.
    @Test func oneThatIsAway() throws {
        var house = ShownBroker("house", state: "waiting")
        (house.reason, house.awaySince) = ("connection refused", TestGateway.now)
        var broken = ShownBroker("broken", state: "broken")
        broken.mistakes = [.init(file: "/etc/mesh-gateway/brokers.d/broken.conf", line: 1, text: "there is no url")]
        let report = BrokersDoor.Report(folder: "/etc/mesh-gateway/brokers.d", brokers: [broken, house])
        let found = Problem.ofBrokers(report, showsFiles: false)
        #expect(found.map(\.name) == ["broker-broken", "broker-away"])
        let door = BrokersDoor(report: { report }, test: { _ in .busy }, refresh: { _ in false }, reload: {})
        let test = try TestGateway(brokers: door)
        let problems = try test.get("/api/v1/problems").text
        #expect(problems.contains("broker-away") && problems.contains("connection refused"), "\(problems)")
        #expect(problems.contains("mesh-gateway mqtt test house"), "\(problems)")
        let listed = try test.get("/api/v1/mqtt").text
        #expect(listed.contains(#""awaySince":"20"#) && listed.contains(#""awaySince":null"#), "\(listed)")
        #expect(Problem.ofBrokers(.init(folder: "", brokers: []), showsFiles: true).isEmpty)
    }

    @Test func byTheirScopes() throws {
        let test = try TestGateway(brokers: .madeUp)
        for (scope, path, method, status) in [
            ("read", "", "GET", 200), ("mqtt:read", "", "GET", 200), ("info:read", "", "GET", 403),
            ("mqtt:read", "/house/refresh", "POST", 403), ("mqtt:write", "/house/refresh", "POST", 200),
            ("mqtt:write", "/house/test", "POST", 200), ("mqtt:write", "/nobody/test", "POST", 404),
            ("mqtt:write", "/broken/test", "POST", 404), ("mqtt:write", "/nobody/refresh", "POST", 404),
        ] {
            let token = try test.token([scope])
            let answer = try test.ask(method, "/api/v1/mqtt\(path)", as: token, method == "GET" ? "" : "{}")
            #expect(answer.status == status, "\(scope) \(path): \(answer.status)")
        }
        let metrics = try test.ask("GET", "/api/v1/metrics", as: test.token(["mqtt:read"]))
        #expect(metrics.text.contains(#"mesh_gateway_broker_devices{broker="house"} 3"#), "\(metrics.text)")
        #expect(!(try test.ask("GET", "/api/v1/metrics", as: test.token(["info:read"])).text.contains("broker")))
    }

    @Test func whereThereAreNone() throws {
        let test = try TestGateway()
        #expect(try test.get("/api/v1/mqtt").text.contains(#""brokers":[]"#))
        #expect(try test.ask("POST", "/api/v1/mqtt/house/test", as: test.token(["admin"]), "{}").status == 404)
    }
}
