import MeshModel
import Testing

@testable import RestAPI

@Suite struct SinceAlsoFindsWhatChanged {
    static let now = TestGateway.now
    static let second = now / 1000

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        for number in 0..<5 {
            try test.insert("m\(number)", packetID: PacketID(100 + number), at: Self.now + Int64(number) * 1000)
        }
        return test
    }

    /// since -> the rows, newest first
    @Test(arguments: [
        ("\(now + 2000)", ["m4", "m3"]),  // milliseconds: exact, and later than
        ("\(second + 4)", ["m4", "m3"]),  // seconds: two of slack
        ("\(second + 60)", []), ("\(now + 4000)", []), ("0", ["m4", "m3", "m2", "m1", "m0"]),
        ("", ["m4", "m3", "m2", "m1", "m0"]), ("abc", ["m4", "m3", "m2", "m1", "m0"]),
        ("-5", ["m4", "m3", "m2", "m1", "m0"]), ("99999999999999999999", []),
        ("\(now + 3000).7abc", ["m4"]),
    ])
    func bounds(_ since: String, _ texts: [String]) throws {
        let test = try gateway()
        #expect(try test.get("/api/v1/messages?since=\(since)").texts == texts)
        #expect(try test.get("/api/v1/messages?channel=0&since=\(since)").texts == texts)
    }

    /// Emacs asks for the second after its newest row. The tick of a message sent before that must still arrive.
    @Test func aRowWhoseDeliveryChangedComesAgain() throws {
        let test = try gateway()
        try test.insert("own", packetID: 50, at: Self.now - 60_000) { message in
            message.from = TestGateway.own
            message.isOwn = true
            message.delivery = Delivery()
        }
        let since = "/api/v1/messages?channel=0&limit=20&since=\(Self.second + 5)"
        #expect(try test.get(since).texts == ["m4"])
        let id = test.id
        _ = try test.store.commit { writer in
            try writer.updateMessage(from: TestGateway.own, packetID: 50, in: id, at: Self.now + 5000) {
                $0.delivery?.state = .relayed
            }
        }
        let answer = try test.get(since)
        #expect(try answer.texts == ["m4", "own"])
        let row = try answer.rows[1]
        #expect(row["deliveryState"] as? String == "delivered")
        // An acknowledgement does not move a message in time.
        #expect(row["timestamp"] as? Int64 == Self.now - 60_000)
    }
}
