import Foundation
import MeshModel
import Nettle
import Testing

@testable import RestAPI

@Suite struct AKeyIsShownForComparing {
    private static let (known, other) = ([UInt8](1...32), [UInt8](2...33))

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { node in
            (node.longName, node.channel) = ("Ridge", 1)
            node.publicKey = PublicKey(Self.known)
        }
        return test
    }

    @Test func inGroupsOfFour() throws {
        let test = try gateway()
        let data = try test.get("/api/v1/nodes/!abcdef12/key").data
        #expect(data["publicKey"] as? String == Base64.encoded(Self.known))
        #expect((data["keyWords"] as? [String])?.joined() == Base64.encoded(Self.known))
        #expect((data["keyWords"] as? [String])?.count == 11)
        #expect(data["state"] as? String == "known")
        #expect(data["isInDoubt"] as? Bool == false)
        #expect(data["otherKey"] is NSNull)
    }

    @Test func withTheDoubt() throws {
        let test = try gateway()
        try test.update(TestGateway.peer, at: TestGateway.now + 1) { node in
            (node.announcedKey, node.keyMismatch) = (PublicKey(Self.other), true)
            node.keyDoubtedAt = TestGateway.now
        }
        let data = try test.get("/api/v1/nodes/%21abcdef12/key").data
        #expect(data["state"] as? String == "changed")
        #expect(data["isInDoubt"] as? Bool == true)
        #expect(data["otherKey"] as? String == Base64.encoded(Self.other))
        #expect(data["doubtedSince"] as? Int64 == TestGateway.now)
        for word in ["verify", "accept"] {
            #expect((data["advice"] as? String)?.contains("mesh-gateway keys \(word) '!abcdef12'") == true)
        }
    }

    @Test func forWhoMaySeeTheNode() throws {
        let test = try gateway()
        for (scopes, status) in [
            (["nodes:read", "channel_1:viewOnMap"], 200), (["nodes:read", "channel_0:read"], 403),
            (["nodes:read"], 403), (["messages:read", "channels:read"], 403),
        ] {
            let answer = try test.ask("GET", "/api/v1/nodes/!abcdef12/key", as: try test.token(scopes))
            #expect(answer.status == status, "\(scopes)")
        }
        for id in ["!00000001", "!ABCDEF12", "!ffffffff", "7"] {
            #expect(try test.get("/api/v1/nodes/\(id)/key").status == 404, "\(id)")
        }
    }
}
