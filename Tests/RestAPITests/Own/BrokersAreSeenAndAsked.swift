import Foundation
import MeshModel
import Testing

@testable import MQTTBridge
@testable import RestAPI

/// The brokers by REST: where files lie stays here, and what a broker that is not in force is asked is 404.
@Suite struct BrokersAreSeenAndAsked {
    @Test func withoutTheFoldersPath() throws {
        let test = try TestGateway(brokers: .twoBrokers)
        let answer = try test.get("/api/v1/mqtt")
        #expect(answer.status == 200 && answer.text.contains(#""deleted":["0000abcd"]"#), "\(answer.text)")
        #expect(answer.text.contains(#""file":"broken.conf""#) && !answer.text.contains("/etc/"), "\(answer.text)")
    }

    /// What is wrong is asked of the gateway, the worst first.
    @Test func asProblemsBesideTheOthers() throws {
        let test = try TestGateway(brokers: .twoBrokers)
        test.gateway.problems.add { _ in [Problem(.brokerAway, "It is away.", command: "mesh-gateway mqtt test house")]
        }
        test.gateway.problems.add { showsFiles in [Problem(.shareClosed, showsFiles ? "/etc" : "It is taken.")] }
        let rows = try test.get("/api/v1/problems").rows.filter { $0["sourceId"] is NSNull }
        #expect(rows.map { $0["name"] as? String } == ["share-closed", "broker-away"])
        #expect(rows.map { $0["severity"] as? String } == ["fault", "warning"])
        #expect(rows.map { $0["advice"] as? String } == ["It is taken.", "It is away."])
        #expect(rows.last?["command"] as? String == "mesh-gateway mqtt test house")
    }

    @Test func oneThatIsAway() throws {
        var house = ShownBroker("house", state: "waiting")
        (house.reason, house.awaySince) = ("connection refused", TestGateway.now)
        let test = try TestGateway(brokers: .brokers([ShownBroker("near", state: "live"), house]))
        let listed = try test.get("/api/v1/mqtt").text
        #expect(listed.contains(#""awaySince":"20"#) && listed.contains(#""awaySince":null"#), "\(listed)")
    }

    @Test func byTheirScopes() throws {
        let test = try TestGateway(brokers: .twoBrokers)
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
