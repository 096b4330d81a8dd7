import MeshModel
import Testing

@testable import RestAPI

@Suite struct FiltersComeBeforeTheLimit {
    static let now = TestGateway.now

    /// Ten direct messages under three hundred newer ones on channels.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        for number in 0..<10 {
            try test.insert("dm\(number)", packetID: PacketID(1000 + number), at: Self.now + Int64(number)) { message in
                message.to = TestGateway.own
                message.channel = -1
                if number % 2 == 1 { (message.from, message.to) = (message.to, message.from) }
            }
        }
        let (id, uuid) = (test.id, test.uuid)
        try test.store.commit { writer in
            for number in 0..<300 {
                _ = try writer.insertMessage(
                    Message(
                        id: "\(uuid)_7_\(2000 + number)", from: NodeNumber(7), to: .broadcast, text: "c\(number)",
                        channel: number % 2, packetID: PacketID(2000 + number),
                        timestamp: Self.now + 100 + Int64(number),
                        createdAt: Self.now + 100 + Int64(number), updatedAt: Self.now + 100 + Int64(number)), in: id)
            }
        }
        return test
    }

    /// query -> number of rows, first text
    @Test(
        arguments: [
            ("", 100, "c299"), ("limit=5", 5, "c299"), ("limit=0", 100, "c299"), ("limit=x", 100, "c299"),
            ("limit=-1", 310, "c299"), ("limit=99999999", 310, "c299"), ("limit=5.9", 5, "c299"),
            ("limit=", 100, "c299"),
            ("channel=1&limit=5", 5, "c299"), ("channel=0&limit=3", 3, "c298"), ("channel=-1&limit=20", 10, "dm9"),
            ("channel=7", 0, nil), ("channel=", 100, "c299"),
            ("fromNodeId=!abcdef12&limit=3", 3, "dm8"), ("toNodeId=!abcdef12&limit=20", 5, "dm9"),
            ("fromNodeId=!12345678&limit=20", 5, "dm9"), ("toNodeId=!12345678&fromNodeId=!abcdef12&limit=20", 5, "dm8"),
            ("fromNodeId=!ABCDEF12&limit=1", 1, "dm8"), ("fromNodeId=nobody", 0, nil), ("fromNodeId=", 100, "c299"),
            ("toNodeId=!ffffffff&limit=2", 2, "c299"), ("toNodeId=broadcast&limit=2", 2, "c299"),
            ("fromNodeId=!abcdef12&since=\(now + 3)&limit=2", 2, "dm8"), ("offset=5&nonsense=1&limit=1", 1, "c299"),
            ("limit=2&limit=7", 2, "c299"),
        ] as [(String, Int, String?)])
    func filters(_ query: String, _ count: Int, _ first: String?) throws {
        let answer = try gateway().get("/api/v1/messages?" + query)
        #expect(answer.status == 200)
        #expect(try answer.json["count"] as? Int == count)
        let texts = try answer.texts
        #expect(texts.count == count)
        #expect(texts.first == first)
    }

    @Test func rowsOfTheSameTimeKeepTheOrderOfArrival() throws {
        let test = try TestGateway()
        for number in 1...5 { try test.insert("m\(number)", packetID: PacketID(number), at: Self.now) }
        #expect(try test.get("/api/v1/messages").texts == ["m5", "m4", "m3", "m2", "m1"])
    }
}
