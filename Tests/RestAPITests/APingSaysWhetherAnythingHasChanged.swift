import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI
@testable import Store

@Suite struct APingSaysWhetherAnythingHasChanged {
    private func version(_ test: TestGateway) throws -> Int {
        try #require(try test.get("/api/v1/ping").json["data_version"] as? Int)
    }

    @Test func inFewBytes() throws {
        let test = try TestGateway()
        let answer = try test.get("/api/v1/ping")
        #expect(answer.status == 200 && answer.body.count < 200)
        #expect(JSONText(answer.body).keys == ["status", "server_version", "data_version", "notification_version"])
        #expect(try answer.json["status"] as? String == "ok")
        #expect(try answer.json["server_version"] as? String == "1.2.3")
        let feed = try #require(try answer.json["notification_version"] as? Int)
        #expect(feed < 1 << 53, "JavaScript's integers end there")
        #expect(try test.get("/api/v1/ping").json["notification_version"] as? Int == feed)
        for prefix in ["/api/v1/sources/default", "/api/v1/sources/\(test.uuid)"] {
            #expect(try test.get(prefix + "/ping").status == 200)
        }
        #expect(try test.ask("GET", "/api/v1/ping", as: try test.token(["nodes:read"])).status == 403)
        #expect(try test.ask("GET", "/api/v1/ping", as: try test.token(["info:read"])).status == 200)
    }

    @Test func aNumberDiffersWhenAnythingHasChangedAndStaysOtherwise() throws {
        let test = try TestGateway()
        // The first use of the token is noted with the next commit.
        _ = try version(test)
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        var last = try version(test)
        for _ in 0..<10 { #expect(try version(test) == last) }
        func changes(_ what: String, _ body: () throws -> Void) throws {
            try body()
            let now = try version(test)
            #expect(now != last, "\(what)")
            last = now
        }
        let id = test.id
        try changes("a message") { try test.insert("a", packetID: 1, at: TestGateway.now) }
        try changes("a node") { try test.update(TestGateway.peer) { $0.snr = 3 } }
        try changes("a channel") { try test.insert([Channel(index: 0, role: .primary, psk: [1])]) }
        try changes("a mark") {
            _ = try test.post("/api/messages/mark-read", #"{"channelId":0}"#)
        }
        try changes("a deletion") {
            _ = try test.ask("DELETE", "/api/messages/1", as: try test.token(["admin"]))
        }
        try changes("a packet") {
            let packet = MeshPacket(from: TestGateway.peer, to: .broadcast, id: 1, payload: .encrypted([1]))
            try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: TestGateway.now) }
        }
    }

    /// Who asks every second must not have every packet of the mesh committed by itself.
    @Test func whatWaitsForItsGroupGoesOnWaiting() throws {
        let test = try TestGateway(groupInterval: 3_600_000_000_000)
        let before = try version(test)
        let id = test.id
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        let commits = test.store.health.commits
        test.store.enqueue(.grouped) { writer in
            try writer.updateNode(TestGateway.peer, in: id, at: TestGateway.now) { $0.snr = 3 }
        }
        let waiting = try version(test)
        // A reader who comes so soon after another one would not have it committed either.
        usleep(UInt32(Store.flushInterval / 1000) * 2)
        for _ in 0..<50 { #expect(try version(test) == waiting) }
        #expect(waiting != before && test.store.health.commits == commits)
        // As a list does it.
        _ = try test.store.read { try $0.newestChange() }
        #expect(try version(test) != waiting)
    }

    /// claudiator's app: a ping every ten seconds, and the lists only when a number differs from the last one.
    @Test func aPollerFetchesWhenANumberDiffers() throws {
        let test = try TestGateway()
        var (known, texts, fetched) = (0, [] as [String], 0)
        func poll() throws {
            let now = try version(test)
            guard now != known else { return }
            known = now
            fetched += 1
            texts = try test.get("/api/v1/messages").texts
        }
        try poll()
        try poll()
        for number in 1...20 as ClosedRange<PacketID> {
            let before = fetched
            try test.insert("text \(number)", packetID: number, at: TestGateway.now + Int64(number))
            try poll()
            #expect(texts.count == Int(number) && texts.first == "text \(number)" && fetched == before + 1)
            try poll()
            #expect(fetched == before + 1)
        }
    }
}
