import Foundation
import HTTPServer
import MeshModel
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct AStreamIsRefusedOrEnds {
    @Test func theFirstBlockComesAtOnce() throws {
        let test = try TestGateway()
        let answer = try test.get("/api/v1/events")
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix("retry: 5000\nid: "))
        #expect(answer.text.hasSuffix("\nevent: start\ndata: {\"resumed\":false,\"version\":\"1.2.3\"}\n\n"))
        for (name, value) in [
            ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
        ] {
            #expect(answer.header(name) == value)
        }
        #expect(answer.header("ETag") == nil && answer.header("Content-Encoding") == nil)
    }

    @Test(arguments: ["/api/v1/events", "/api/v1/sources/default/events", "/API/V1/events/"])
    func atEachPrefix(_ path: String) throws {
        let test = try TestGateway()
        let reader = try EventReader(test, path)
        try test.insert("hello", packetID: 1, at: TestGateway.now)
        #expect(try reader.read().map(\.kind) == ["start", "message"])
    }

    @Test func headOpensNothing() throws {
        let test = try TestGateway()
        for _ in 0..<20 {
            let answer = try test.ask("HEAD", "/api/v1/events", headers: [test.bearer])
            #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
            guard case .empty = answer.response.body else { return #expect(Bool(false), "a body") }
        }
    }

    @Test func anUnknownKindIsRefusedWithAListOfThem() throws {
        let test = try TestGateway()
        for word in ["debug", "sent", "Message", "message,nothing", "*"] {
            let answer = try test.get("/api/v1/events?kinds=" + word)
            #expect(answer.status == 400)
            let message = try #require(answer.message)
            for kind in [
                "start", "message", "message-deleted", "read", "delivery", "node", "position", "telemetry", "channel",
                "traceroute", "waypoint", "packet", "status", "problem", "solved", "notification", "missed",
            ] { #expect(message.contains(kind)) }
        }
        for query in ["channel=x", "channel=-2", "node=peer"] {
            #expect(try test.get("/api/v1/events?" + query).status == 400, "\(query)")
        }
        #expect(try test.get("/api/v1/events?source=nowhere").status == 404)
    }

    @Test(arguments: ["token", "access_token"]) func aTokenInTheURLIsRefused(_ name: String) throws {
        let test = try TestGateway()
        let target = "/api/v1/events?\(name)=\(test.token.text)"
        #expect(try test.ask("GET", target).status == 401)
        let answer = try test.get(target)
        #expect(answer.status == 400 && answer.message?.contains("Authorization") == true)
    }

    @Test func aStrangerIsRefused() throws {
        let test = try TestGateway()
        #expect(try test.ask("GET", "/api/v1/events").status == 401)
        #expect(try test.ask("GET", "/api/v1/events", as: .random()).status == 401)
    }

    @Test func aRevokedTokenIsCutOffAtOnce() throws {
        let test = try TestGateway()
        let token = try TokenRegister(store: test.store).create(name: "phone", scopes: .standard)
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        #expect(reader.woken.count == 0)
        #expect(try TokenRegister(store: test.store).revoke(name: "phone") != nil)
        // Nothing else has happened.
        #expect(reader.woken.count == 1)
        #expect(try reader.read().isEmpty && reader.isOver)
    }

    @Test func anExpiredOneWithTheNextEvent() throws {
        let test = try TestGateway()
        let end = Int64(Date().timeIntervalSince1970 * 1000) + 300
        let token = try TokenRegister(store: test.store).create(name: "guest", scopes: .standard, expiresAt: end)
        let reader = try EventReader(test, as: token)
        #expect(try reader.read().map(\.kind) == ["start"])
        while Int64(Date().timeIntervalSince1970 * 1000) <= end {}
        try test.insert("hello", packetID: 1, at: TestGateway.now)
        #expect(try reader.read().isEmpty && reader.isOver)
    }

    @Test func aFifthThatMayCloseNoneIsRefused() throws {
        let test = try TestGateway()
        var readers = try (1...4).map { _ in try EventReader(test, "/api/v1/events?mayClose=no") }
        let refused = try test.get("/api/v1/events?mayClose=no")
        #expect(refused.status == 503 && refused.header("Retry-After") == "60")
        #expect(refused.message?.contains("4 streams") == true)
        #expect(try test.get("/api/v1/events?mayClose=perhaps").status == 400)
        // Another token has its own.
        _ = try EventReader(test, "/api/v1/events?mayClose=no", as: try test.token(["read"]))
        for reader in readers { _ = try reader.read() }
        #expect(readers.allSatisfy { !$0.isOver })
        // Without it, and with yes, the oldest makes room.
        for (target, ended) in [("/api/v1/events", 1), ("/api/v1/events?mayClose=yes", 2)] {
            readers.append(try EventReader(test, target))
            for reader in readers where !reader.isOver { _ = try reader.read() }
            #expect(readers.map(\.isOver) == readers.indices.map { $0 < ended })
        }
    }

    /// It is told what its token may know now, not what it might when it was opened.
    @Test func whatATokenIsAllowedMeanwhileIsTold() throws {
        let test = try TestGateway()
        let register = TokenRegister(store: test.store)
        let token = try register.create(name: "map", scopes: Scopes(parsing: ["info:read"]))
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        try test.insert("hidden", packetID: 1, at: TestGateway.now)
        #expect(try reader.read().isEmpty)
        let all = try register.allow(Scopes(parsing: ["messages:read", "channel_0:read"]), to: "map")
        #expect(Set(all?.list ?? []) == ["channel_0:read", "info:read", "messages:read"])
        try test.insert("shown", packetID: 2, at: TestGateway.now)
        #expect(try reader.read().compactMap { try $0.json["text"] as? String } == ["shown"])
    }

    @Test func theFifthOfATokenEndsItsOldest() throws {
        let test = try TestGateway()
        let others = try EventReader(test, as: try test.token(["read"]))
        let readers = try (1...5).map { _ in try EventReader(test) }
        for reader in readers + [others] { _ = try reader.read() }
        #expect(readers.map(\.isOver) == [true, false, false, false, false] && !others.isOver)
        // One that has ended counts no more.
        let next = try EventReader(test)
        for reader in readers + [next] { _ = try reader.read() }
        #expect(readers.map(\.isOver) == [true, true, false, false, false] && !next.isOver)
    }

    @Test func chunksEndAtSixteenKilobytes() throws {
        let test = try TestGateway()
        let reader = try EventReader(test)
        let id = test.id
        try test.store.commit { writer in
            for number in 1...300 as ClosedRange<UInt32> {
                try writer.updateNode(NodeNumber(number), in: id, at: TestGateway.now) { $0.longName = "n\(number)" }
                let values = (1...40).map { Telemetry.Value("temperature\($0)", Double($0)) }
                try writer.insertTelemetry(
                    Telemetry(kind: .environment, values: values), from: NodeNumber(number), packet: nil, in: id,
                    at: TestGateway.now)
            }
        }
        let told = try reader.read()
        #expect(told.count { $0.kind == "node" } == 300)
        #expect(told.count { $0.kind == "telemetry" } == 300 * 40)
        #expect(reader.largestChunk <= 16_384 && reader.largestChunk > 8_192)
    }

    /// Of the values of one report the last one has the id: who breaks off before is given all of them again.
    @Test func halfOfAReportIsNoPlaceToGoOnFrom() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=telemetry")
        let id = test.id
        try test.store.commit { writer in
            let values = ["voltage", "batteryLevel", "airUtilTx"].map { Telemetry.Value($0, 1) }
            try writer.insertTelemetry(
                Telemetry(kind: .device, values: values), from: TestGateway.peer, packet: nil, in: id, at: 1)
        }
        let told = try reader.news()
        #expect(told.map { $0.id == nil } == [true, true, false])
    }

    @Test func filtersLeaveOutWhatDoesNotConcernThem() throws {
        let test = try TestGateway()
        func reader(_ query: String) throws -> EventReader {
            try EventReader(test, "/api/v1/events?" + query, as: try test.token([]))
        }
        let readers = try [
            reader("channel=1"), reader("channel=-1"), reader("node=!abcdef12"), reader("node=!00000077"),
            reader("kinds=message-deleted,node"), reader("kinds=message&kinds=node"), reader("source=\(test.uuid)"),
        ]
        for reader in readers { _ = try reader.read() }
        try test.insert("a", packetID: 1, at: TestGateway.now)
        try test.insert("b", packetID: 2, at: TestGateway.now) { $0.channel = 1 }
        try test.insert("c", packetID: 3, at: TestGateway.now) { message in
            (message.channel, message.from, message.to) = (-1, NodeNumber(0x77), TestGateway.own)
        }
        try test.update(NodeNumber(0x77)) { $0.channel = 1 }
        let told = try readers.map { try $0.news().map { "\($0.kind) \(try $0.json["text"] ?? "")" } }
        #expect(told[0] == ["message b", "node "])
        #expect(told[1] == ["message c"])
        #expect(told[2] == ["message a", "message b"])
        #expect(told[3] == ["message c", "node "])
        #expect(told[4] == ["node "])
        #expect(told[5] == ["message a", "message b", "message c", "node "])
        #expect(told[6] == told[5])
    }

    /// `/api/v1/events` tells of all sources, a path or a query that names one of that one.
    @Test func oneSourceOrAll() throws {
        let test = try TestGateway()
        let other = try test.store.commit {
            try $0.insert(Source(uuid: "hill", name: "Hill", isEnabled: true, createdAt: .max))
        }
        let readers = try ["events", "sources/default/events", "sources/hill/events", "events?source=hill"].map {
            try EventReader(test, "/api/v1/" + $0)
        }
        try test.store.commit { writer in
            try writer.updateNode(TestGateway.peer, in: other, at: TestGateway.now) { $0.longName = "Ridge" }
        }
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        let sources = try readers.map { try $0.news().map { try $0.json["sourceId"] as? String } }
        #expect(sources == [["hill", test.uuid], [test.uuid], ["hill"], ["hill"]])
    }
}
