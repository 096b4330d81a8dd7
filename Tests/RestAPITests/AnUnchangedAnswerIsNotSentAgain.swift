import HTTPServer
import MeshModel
import Platform
import Synchronization
import Testing

@testable import RestAPI

@Suite struct AnUnchangedAnswerIsNotSentAgain {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        let id = test.id
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: "Camp"), from: TestGateway.peer, in: id, at: TestGateway.now)
            let data = MeshData(port: .textMessage, payload: [0x68])
            try writer.logPacket(
                MeshPacket(from: TestGateway.peer, to: .broadcast, id: 7, payload: .decoded(data)), direction: .rx,
                in: id,
                at: TestGateway.now)
        }
        return test
    }

    @Test(arguments: [
        "", "/sources", "/me", "/channels", "/channels/0", "/nodes", "/nodes/!abcdef12", "/messages",
        "/messages?channel=0&limit=5",
        "/messages/7", "/messages/search?q=hello", "/status", "/telemetry", "/telemetry?type=voltage",
        "/telemetry/count", "/telemetry/!abcdef12", "/nodes/!abcdef12/position-history", "/solar",
        "/traceroutes", "/network", "/network/topology", "/network/direct-neighbors", "/packets", "/nodes?active=true",
        "/nodes?active=true&sinceDays=1", "/waypoints", "/waypoints/7", "/problems", "/links", "/self", "/shared-ports",
        "/nodes/!abcdef12/key", "/nodes/!abcdef12/details", "/packets/1/explain",
        "/conversations", "/conversations/channel:0", "/messages/7/details",
        "/messages?conversation=channel:0", "/nodes?fields=nodeId",
        "/rules", "/targets", "/mqtt", "/notifications", "/devices", "/devices/default/sessions", "/sessions",
        "/sessions/default.0/events",
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
        // The time of the answer is in this one, and no part of what its tag is about.
        if path != "/network" { #expect(other.body == first.body) }
    }

    @Test(arguments: [
        "/api/nodes", "/api/sources", "/api/sources/default", "/api/sources/default/nodes",
        "/api/sources/default/neighbor-info", "/api/sources/default/status", "/api/version/check", "/api/automations",
        "/api/analysis/solar-nodes",
    ])
    func norOutsideV1(_ path: String) throws {
        let test = try gateway()
        let tag = try #require(try test.get(path).header("ETag"))
        let known = (name: "If-None-Match", value: tag)
        #expect(try test.get(path, headers: [known]).status == 304)
        // In other rights the same path has another answer.
        let narrow = (name: "Authorization", value: "Bearer \(try test.token(["nodes:read", "info:read"]).text)")
        #expect(try test.ask("GET", path, headers: [narrow]).status == 200)
        if path.hasSuffix("nodes") && !path.contains("analysis") {
            #expect(try test.ask("GET", path, headers: [narrow, known]).status == 200)
            try test.update(TestGateway.peer, at: TestGateway.now + 1) { $0.longName = "Ridge 2" }
            #expect(try test.get(path, headers: [known]).status == 200)
        }
    }

    @Test func noCacheChangesNothing() throws {
        let test = try gateway()
        let tag = try #require(try test.get("/api/v1/nodes").header("ETag"))
        let headers = [(name: "If-None-Match", value: tag), (name: "Cache-Control", value: "no-cache")]
        #expect(try test.get("/api/v1/nodes", headers: headers).status == 304)
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

    @Test func norAreTheKeysOfTheChannelDatabase() throws {
        let test = try TestGateway()
        let admin = (name: "Authorization", value: "Bearer \(try test.token(["admin"]).text)")
        let entry = try test.gateway.channelDatabase.add(
            name: "Hut", psk: Array("0123456789abcdef".utf8), description: nil, isEnabled: true, enforcesName: false)
        for path in ["/api/v1/channel-database", "/api/v1/channel-database/\(entry.id)"] {
            let first = try test.ask("GET", path, headers: [admin])
            #expect(first.status == 200)
            let known = (name: "If-None-Match", value: try #require(first.header("ETag"), "\(path)"))
            #expect(try test.ask("GET", path, headers: [admin, known]).status == 304)
            let name = path.hasSuffix("e") ? "Ridge" : "Valley"
            let change = try test.ask(
                "PUT", "/api/v1/channel-database/\(entry.id)",
                headers: [admin, (name: "Content-Type", value: "application/json")],
                body: Array(#"{"name": "\#(name)"}"#.utf8))
            #expect(change.status == 200, "\(change.text)")
            #expect(try test.ask("GET", path, headers: [admin, known]).status == 200)
        }
    }

    @Test func differentQuestionsHaveDifferentTags() throws {
        let test = try gateway()
        let tags = try ["", "?channel=0", "?channel=1", "?limit=1", "?limit=11", "?limit=1&channel=1"].map {
            try test.get("/api/v1/messages" + $0).header("ETag")
        }
        #expect(Set(tags).count == tags.count)
    }

    /// A node drops out of the list of active ones, and nothing else happens.
    @Test func whatChangesByTimeAloneIsSent() throws {
        let test = try gateway()
        let now = Mutex(TestGateway.now)
        let seconds = TestGateway.now / 1000
        try test.update(TestGateway.peer) { $0.lastHeard = seconds - 7 * 86_400 + 60 }
        let api = RestAPI(Endpoints.served, gateway: test.gateway, version: "1", clock: { now.withLock { $0 } })
        func ask(_ path: String, _ known: String? = nil) throws -> Answer {
            let condition = known.map { [(name: "If-None-Match", value: $0)] } ?? []
            return try Answer(api.respond(Request(target: path, headers: [test.bearer] + condition)))
        }
        for path in ["/api/v1/nodes?active=true", "/api/v1/network"] {
            now.withLock { $0 = TestGateway.now }
            let first = try #require(try ask(path).header("ETag"))
            now.withLock { $0 += 59_000 }
            #expect(try ask(path, first).status == 304)
            now.withLock { $0 += 2_000 }
            let later = try ask(path, first)
            #expect(later.status == 200)
            #expect(later.text.contains(path.hasSuffix("k") ? #""activeNodes":0"# : #""data":[]"#))
            let next: String = try #require(later.header("ETag"))
            #expect(try ask(path, next).status == 304)
        }
    }

    @Test func aChangedNodeIsSentInTheListOfActiveOnes() throws {
        let test = try gateway()
        let heard = WallClock.milliseconds() / 1000
        try test.update(TestGateway.peer) { $0.lastHeard = heard }
        let known = (
            name: "If-None-Match", value: try #require(try test.get("/api/v1/nodes?active=true").header("ETag"))
        )
        #expect(try test.get("/api/v1/nodes?active=true", headers: [known]).status == 304)
        try test.update(TestGateway.peer, at: TestGateway.now + 1) { $0.longName = "Ridge 2" }
        #expect(try test.get("/api/v1/nodes?active=true", headers: [known]).rows.count == 1)
        let one = try test.token(["nodes:read", "channel_1:viewOnMap"])
        let other = try test.ask("GET", "/api/v1/nodes?active=true", as: one)
        #expect(try other.rows.isEmpty)
    }

    @Test func whatIsNewEachTimeHasNoTag() throws {
        let test = try gateway()
        #expect(try test.ask("GET", "/api/status").header("ETag") == nil)
        #expect(try test.get("/api/v1/metrics").header("ETag") == nil)
    }
}
