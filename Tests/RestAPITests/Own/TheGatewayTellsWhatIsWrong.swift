import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct TheGatewayTellsWhatIsWrong {
    @Test func theRadioThatIsAwayAndTheKeyInDoubt() throws {
        let test = try TestGateway()
        test.gateway.start()
        try test.update(TestGateway.peer) { node in
            node.publicKey = PublicKey([UInt8](1...32))
            node.announcedKey = PublicKey([UInt8](2...33))
            node.keyMismatch = true
        }
        let (gateway, id) = (test.gateway, test.id)
        #expect(eventually { gateway.status(of: id).link.problem != nil })
        for prefix in ["/api/v1/", "/api/v1/sources/default/", "/api/v1/sources/\(test.uuid)/"] {
            let rows = try test.get(prefix + "problems").rows
            #expect(rows.map { $0["severity"] as? String } == ["fault", "warning"])
            #expect(rows[0]["name"] as? String == "device-absent")
            #expect(rows[1]["name"] as? String == "keys-in-doubt")
            #expect(rows[1]["advice"] as? String == "1 node's key needs a person's decision: mesh-gateway keys")
            #expect(rows.map { $0["command"] as? String } == ["mesh-gateway ports", "mesh-gateway keys"])
            #expect(rows.allSatisfy { $0["sourceId"] as? String == test.uuid })
        }
    }

    @Test func nothingIsAnEmptyList() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        #expect(try live.test.get("/api/v1/problems").text == #"{"success":true,"count":0,"data":[]}"#)
    }
}
