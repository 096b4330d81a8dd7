import Foundation
import MeshModel
import Nettle
import Testing

@testable import Gateway
@testable import RestAPI

/// `isInDoubt` is what pages and programs go by: a key that was announced after the known one was kept brings it back nowhere.
@Suite struct AKeptKeyAsksNobody {
    private static let (known, other, third) = ([UInt8](1...32), [UInt8](2...33), [UInt8](3...34))

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in try writer.update(id) { $0.nodeNumber = TestGateway.own } }
        try test.update(TestGateway.peer) { node in
            node.longName = "Ridge"
            node.pin(PublicKey(Self.known)!)
            node.saw(PublicKey(Self.other)!, .announced, at: TestGateway.now)
        }
        return test
    }

    private func row(_ test: TestGateway) throws -> NSDictionary { try test.get("/api/v1/nodes/!abcdef12").data }

    private func problems(_ test: TestGateway) throws -> [String] {
        try test.get("/api/v1/problems").rows.compactMap { $0["name"] as? String }
    }

    @Test func aKeyAnnouncedAfterTheDecisionAsksNobody() throws {
        let test = try gateway()
        #expect(try row(test)["isInDoubt"] as? Bool == true)
        #expect(try problems(test).contains("keys-in-doubt"))
        let body = #"{"decision":"verify","key":"\#(Base64.encoded(Self.other))"}"#
        #expect(try test.ask("POST", "/api/v1/nodes/!abcdef12/key", as: test.token(["admin"]), body).status == 200)
        for key in [Self.third, Self.other] {
            try test.update(TestGateway.peer) { $0.saw(PublicKey(key)!, .announced, at: TestGateway.now) }
            #expect(try row(test)["isInDoubt"] == nil)
            #expect(try row(test)["keyMismatchDetected"] as? Bool == true)
            #expect(try !problems(test).contains("keys-in-doubt"))
            let shown = try test.get("/api/v1/nodes/!abcdef12/key").data
            #expect(shown["isInDoubt"] as? Bool == false && shown["state"] as? String == "verified")
            #expect(shown["otherKey"] as? String == Base64.encoded(key))
            #expect((shown["advice"] as? String)?.contains("mesh-gateway keys accept '!abcdef12'") == true)
        }
    }

    @Test func theFieldCanBeAskedForAlone() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/nodes?fields=nodeId,isInDoubt")
        let rows = try answer.rows.map { ($0["nodeId"] as? String, $0["isInDoubt"] as? Bool) }
        #expect(rows.contains { $0.0 == "!abcdef12" && $0.1 == true })
        #expect(rows.allSatisfy { $0.0 == "!abcdef12" || $0.1 == nil })
    }
}
