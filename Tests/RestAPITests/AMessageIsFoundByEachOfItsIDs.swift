import MeshModel
import Testing

@testable import RestAPI

@Suite struct AMessageIsFoundByEachOfItsIDs {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert("hello", packetID: 4_294_967_295, at: TestGateway.now)
        return test
    }

    @Test func found() throws {
        let test = try gateway()
        for id in ["\(test.uuid)_2882400018_4294967295", "2882400018_4294967295", "4294967295"] {
            let answer = try test.get("/api/v1/messages/\(id)")
            #expect(answer.status == 200, "\(id)")
            #expect(try answer.data["id"] as? String == "\(test.uuid)_2882400018_4294967295")
            #expect(JSONText(answer.body).keys == ["success", "data"])
        }
    }

    @Test(arguments: [
        "1", "7_4294967295", "nobody_2882400018_4294967295", "x", "-1", "4294967296", "_4294967295", "4294967295_",
        "a_b_c_d", "4294967295.0", "+4294967295", "%204294967295", "0x7", "UUID_4294967295", "UUID__4294967295",
    ])
    func notFound(_ id: String) throws {
        let test = try gateway()
        let id = id.split(separator: "UUID", omittingEmptySubsequences: false).joined(separator: test.uuid)
        let answer = try test.get("/api/v1/messages/\(id)")
        #expect(answer.status == 404)
        let shown = id.hasPrefix("%20") ? " " + id.dropFirst(3) : id
        #expect(answer.text == #"{"success":false,"error":"Not Found","message":"Message \#(shown) not found"}"#)
    }

    @Test func anOwnMessageTellsItsDelivery() throws {
        let test = try TestGateway()
        try test.insert("own", packetID: 9, at: TestGateway.now) { message in
            message.isOwn = true
            message.delivery = Delivery(state: .failed, error: .maxRetransmit)
        }
        let delivery = try test.get("/api/v1/messages/9").data["delivery"] as? [String: Any]
        #expect(delivery?["state"] as? String == "failed")
        #expect((delivery?["reason"] as? String)?.contains("no other node was heard repeating it") == true)
        #expect(try test.get("/api/v1/messages").rows[0]["delivery"] == nil)
    }
}
