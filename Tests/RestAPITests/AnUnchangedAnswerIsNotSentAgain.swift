import MeshModel
import Testing

@testable import RestAPI

@Suite struct AnUnchangedAnswerIsNotSentAgain {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        return test
    }

    @Test(arguments: [
        "", "/sources", "/channels", "/channels/0", "/nodes", "/nodes/!abcdef12", "/messages",
        "/messages?channel=0&limit=5",
        "/messages/7", "/messages/search?q=hello", "/status", "/telemetry", "/telemetry?type=voltage",
        "/telemetry/count", "/telemetry/!abcdef12", "/nodes/!abcdef12/position-history", "/solar",
        "/traceroutes", "/network/topology", "/network/direct-neighbors", "/packets",
    ])
    func notModified(_ path: String) throws {
        let test = try gateway()
        let first = try test.get("/api/v1" + path)
        let tag = try #require(first.header("ETag"))
        #expect(tag.hasPrefix("W/\""))
        for known in [tag, "\"x\", \(tag)", String(tag.dropFirst(2)), "*"] {
            let answer = try test.get("/api/v1" + path, headers: [(name: "If-None-Match", value: known)])
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer.header("ETag") == tag)
        }
        let other = try test.get("/api/v1" + path, headers: [(name: "If-None-Match", value: "W/\"x\"")])
        #expect(other.status == 200)
        #expect(other.body == first.body)
    }

    @Test func aChangeIsSent() throws {
        let test = try gateway()
        let tags = { try ["/nodes", "/messages", "/channels"].map { try test.get("/api/v1" + $0).header("ETag") } }
        let before = try tags()
        try test.update(TestGateway.peer, at: TestGateway.now + 1) { $0.longName = "Ridge 2" }
        try test.insert("again", packetID: 8, at: TestGateway.now + 1)
        try test.insert([Channel(index: 0, role: .primary, name: "New", psk: [1])])
        let after = try tags()
        #expect(zip(before, after).allSatisfy { $0 != $1 && $1 != nil })
    }

    @Test func differentQuestionsHaveDifferentTags() throws {
        let test = try gateway()
        let tags = try ["", "?channel=0", "?channel=1", "?limit=1", "?limit=11", "?limit=1&channel=1"].map {
            try test.get("/api/v1/messages" + $0).header("ETag")
        }
        #expect(Set(tags).count == tags.count)
    }

    @Test func whatChangesByTimeAloneHasNoTag() throws {
        let test = try gateway()
        #expect(try test.get("/api/v1/nodes?active=true").header("ETag") == nil)
        #expect(try test.ask("GET", "/api/status").header("ETag") == nil)
    }
}
