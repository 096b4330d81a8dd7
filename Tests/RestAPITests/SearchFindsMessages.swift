import MeshModel
import Testing

@testable import RestAPI

@Suite struct SearchFindsMessages {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let texts = ["Good morning mesh", "MORNING!", "see you in the morning", "50% _off_ \"now\"", "Grüezi 👋"]
        for (number, text) in texts.enumerated() {
            try test.insert(text, packetID: PacketID(10 + number), at: TestGateway.now + Int64(number) * 1000) {
                message in
                message.channel = number == 2 ? -1 : number % 2
            }
        }
        return test
    }

    /// query -> number on this page, number in all
    @Test(arguments: [
        ("q=morning", 3, 3), ("q=%20morning%20", 3, 3), ("q=morning&caseSensitive=true", 2, 2),
        ("q=MORNING&caseSensitive=1", 3, 3), ("q=morning&limit=1", 1, 3), ("q=morning&limit=2&offset=2", 1, 3),
        ("q=morning&offset=9", 0, 3), ("q=morning&limit=1000", 3, 3), ("q=morning&limit=-1", 3, 3),
        ("q=morning&scope=dms", 1, 1), ("q=morning&scope=channels", 2, 2), ("q=morning&scope=meshcore", 0, 0),
        ("q=morning&channels=1", 1, 1), ("q=morning&channels=0,1", 2, 2), ("q=morning&fromNodeId=!abcdef12", 3, 3),
        ("q=morning&fromNodeId=!00000001", 0, 0), ("q=morning&startDate=1787300001000", 2, 2),
        ("q=morning&endDate=1787300000500", 1, 1), ("q=nothing", 0, 0), ("q=%25%20_", 1, 1), ("q=%22now%22", 1, 1),
        ("q=%F0%9F%91%8B", 1, 1), ("q=n", 4, 4),
        ("conversation=channel:1&q=morning", 1, 1), ("conversation=channel:0&q=morning", 1, 1),
        ("conversation=direct:!abcdef12&q=morning", 1, 1), ("conversation=direct:!00000001&q=morning", 0, 0),
        // Own parameters: who and when without a text.
        ("fromNodeId=!abcdef12", 5, 5), ("fromNodeId=!00000001", 0, 0), ("startDate=1787300003000", 2, 2),
        ("endDate=1787300000500", 1, 1), ("fromNodeId=!abcdef12&startDate=1787300003000&limit=1", 1, 2),
        ("fromNodeId=!abcdef12&conversation=channel:1", 2, 2), ("startDate=1787300000000&scope=dms", 1, 1),
        ("fromNodeId=!abcdef12&conversation=direct:!abcdef12", 1, 1),
    ])
    func found(_ query: String, _ count: Int, _ total: Int) throws {
        let answer = try gateway().get("/api/v1/messages/search?" + query)
        #expect(answer.status == 200)
        #expect(JSONText(answer.body).keys == ["success", "count", "total", "data"])
        #expect(try answer.json["count"] as? Int == count)
        #expect(try answer.json["total"] as? Int == total)
        for row in try answer.rows {
            #expect(row["source"] as? String == "standard")
            #expect(row["deliveryState"] != nil)  // full rows: null is there
        }
    }

    @Test(arguments: ["", "?q=", "?q=%20%09", "?conversation=channel:0", "?fromNodeId="])
    func aQuestionIsNeeded(_ query: String) throws {
        let answer = try gateway().get("/api/v1/messages/search" + query)
        #expect(answer.status == 400)
        #expect(answer.message == "Search query parameter \"q\" is required")
    }
}
