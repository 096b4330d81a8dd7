import Foundation
import MeshModel
import Platform
import Testing

@testable import RestAPI

@Suite struct ARefusedActionSendsNothing {
    private static let actions = ["traceroute", "request-position", "request-nodeinfo", "request-neighbors"]
    private static let pages = ["traceroute", "position/request", "nodeinfo/request", "neighborinfo/request"]

    private func nothing(_ test: TestGateway) throws {
        let id = test.id
        #expect(try test.store.read { try $0.outbox(in: id) }.isEmpty)
        #expect(try test.store.read { try $0.traceroutes(in: id) }.isEmpty)
        #expect(try test.get("/api/v1/messages").rows.isEmpty)
    }

    /// Destinations that are none: what is no number from 1 to 4294967295 in one of its four forms.
    @Test(arguments: [
        "{}", "[]", #"{"destination":null}"#, #"{"destination":""}"#, #"{"destination":"abcdef12"}"#,
        #"{"destination":"!"}"#, #"{"destination":"!123456789"}"#, #"{"destination":"0x"}"#, #"{"destination":0}"#,
        #"{"destination":4294967296}"#, #"{"destination":-1}"#, #"{"destination":1.5}"#, #"{"destination":true}"#,
        #"{"destination":["!abcdef12"]}"#, #"{"nodeId":"+5"}"#, #"{"nodeNum":"99999999999"}"#,
    ])
    func withoutADestination(_ body: String) throws {
        let test = try TestGateway()
        for action in Self.actions {
            let answer = try test.post("/api/v1/actions/" + action, body)
            #expect(answer.status == 400)
            #expect(
                answer.text
                    == #"{"success":false,"error":"Destination node is required (destination, nodeId, or nodeNum)"}"#)
        }
        for page in Self.pages {
            let answer = try test.post("/api/" + page, body)
            #expect(answer.status == 400)
            #expect(try answer.json["error"] as? String == "Destination node number is required")
        }
        try nothing(test)
    }

    /// In v1 a radio that is away is a failure (Contract 3.12); elsewhere it has its status.
    @Test func withoutARadio() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { ($0.hopsAway, $0.lastHeard) = (0, WallClock.milliseconds() / 1000 - 60) }
        let body = #"{"destination":"!abcdef12"}"#
        let failures = [
            "Failed to send traceroute", "Failed to request position", "Failed to request node info",
            "Failed to request neighbor info",
        ]
        for (action, failure) in zip(Self.actions, failures) {
            let answer = try test.post("/api/v1/actions/" + action, body)
            #expect(answer.status == 500)
            #expect(answer.text == #"{"success":false,"error":"\#(failure)"}"#)
        }
        for page in Self.pages {
            let answer = try test.post("/api/" + page, body)
            #expect(answer.status == 503)
            #expect(try answer.json["error"] as? String == "Not connected to Meshtastic node")
        }
        let far = try test.post("/api/v1/actions/request-neighbors", #"{"destination":77}"#)
        #expect(far.status == 403)
        try nothing(test)
    }

    @Test func ofASourceThatIsNone() throws {
        let test = try TestGateway()
        for page in Self.pages {
            let answer = try test.post("/api/" + page, #"{"destination":5,"sourceId":"nobody"}"#)
            #expect(answer.status == 404)
        }
        try nothing(test)
    }
}
