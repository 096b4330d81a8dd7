import Foundation
import JSON
import MeshModel
import Platform
import Store
import Testing

@testable import Gateway
@testable import RestAPI

/// A client of the claudiator family, scripted: it polls `ping` every ten seconds, fetches what is behind the last row that it
/// has when a number differs, acknowledges, and lists devices, sessions and events.
@Suite struct AClientOfSeveralMachinesFollowsTheFeed {
    /// Which of the two spellings in use it has.
    enum Spelling: CaseIterable { case server, phone }

    private struct Client {
        let test: TestGateway
        let spelling: Spelling
        var known = 0
        var fetched = 0
        var rows: [NSDictionary] = []

        mutating func poll() throws {
            let version = try #require(try test.get("/api/v1/ping").json["notification_version"] as? Int)
            guard version != known else { return }
            known = version
            fetched += 1
            let place = rows.last.flatMap { $0[spelling == .server ? "id" : "created_at"] as? String }
            rows += try test.feed(place.map { "?after=\($0)&limit=50" } ?? "")
        }

        func acknowledge(_ ids: [String]) throws -> Answer {
            let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
            return try test.post(
                "/api/v1/notifications/ack",
                "{\"\(spelling == .server ? "ids" : "notification_ids")\":[\(list)]}")
        }
    }

    @Test(arguments: Spelling.allCases) func eachRowComesOnceAndInItsOrder(_ spelling: Spelling) throws {
        let test = try TestGateway()
        var client = Client(test: test, spelling: spelling)
        try test.tell("before it came")
        for number in 1...20 {
            let count = number % 4
            // Several in one millisecond, too.
            let now = WallClock.milliseconds()
            for part in 0..<count { try test.tell("\(number).\(part)", at: now) }
            let before = client.fetched
            try client.poll()
            #expect(client.fetched == before + (count > 0 || number == 1 ? 1 : 0))
            try client.poll()
            #expect(client.fetched == before + (count > 0 || number == 1 ? 1 : 0), "nothing has changed")
        }
        let all = ["before it came"] + (1...20).flatMap { number in (0..<number % 4).map { "\(number).\($0)" } }
        #expect(client.rows.titles == all)
        let times = client.rows.compactMap { $0["created_at"] as? String }
        #expect(times == Array(Set(times)).sorted() && times.count == all.count)
    }

    @Test(arguments: Spelling.allCases) func whatItAcknowledgesIsItsOwn(_ spelling: Spelling) throws {
        let test = try TestGateway()
        let client = Client(test: test, spelling: spelling)
        for title in ["one", "two", "three"] { try test.tell(title) }
        let rows = try test.feed()
        #expect(rows.allSatisfy { $0["acknowledged"] as? Bool == false })
        let ids = try rows.prefix(2).map { try #require($0["id"] as? String) }
        let answer = try client.acknowledge([ids[0].uppercased(), ids[1], "0e9b1c1e-0000-4000-8000-000000000000"])
        #expect(answer.status == 200 && answer.text == #"{"status":"ok"}"#)
        #expect(try test.feed().map { $0["acknowledged"] as? Bool } == [true, true, false])
        let other = try test.token(["read"])
        #expect(try test.feed(as: other).allSatisfy { $0["acknowledged"] as? Bool == false })
    }

    @Test func aRowHasTheKeysOfTheFamily() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { try $0.insert(Happening(.link, at: 1, source: id, name: "live", text: "/dev/ttyACM0")) }
        let episode = randomUUID()
        let told = try test.tell("Ridge is silent", needs: [.node(channel: 0)]) { row in
            (row.rule, row.episode, row.state, row.node) = ("silent", episode, .begins, TestGateway.peer)
        }
        let answer = try test.get("/api/v1/notifications")
        #expect(JSONText(answer.body).keys == ["notifications"])
        #expect(
            JSONText(Array(answer.text.dropFirst(#"{"notifications":["#.count).dropLast(2).utf8)).keys == [
                "id", "event_id", "session_id", "device_id", "title", "body", "notification_type", "payload_json",
                "created_at", "acknowledged",
            ])
        let row = try #require(try test.feed().first)
        #expect(row["id"] as? String == told.uuid && row["event_id"] as? Int == Int(told.createdAt))
        #expect(row["device_id"] as? String == test.uuid)
        let session = try #require(row["session_id"] as? String)
        #expect(session == "\(test.uuid).\(told.session)" && told.session > 0)
        #expect(try test.get("/api/v1/sessions/\(session)/events").status == 200)
        let payload = try #require(row["payload_json"] as? String)
        let view = "#/\(test.uuid)/n/!abcdef12"
        #expect(
            payload
                == "{\"rule\":\"silent\",\"episode\":\"\(episode)\",\"state\":\"begins\","
                + "\"node\":\"!abcdef12\",\"messageId\":null,\"link\":\"\(view)\"}")
    }

    @Test func devicesSessionsAndEvents() throws {
        let test = try TestGateway()
        let (id, now) = (test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            try writer.insert(Happening(.started, at: now - 3000))
            try writer.insert(
                Happening(.link, at: now - 2000, source: id, name: "live", text: "/dev/ttyACM0, firmware 2.7.26"))
            try writer.insert(Happening(.problem, at: now - 1000, source: id, name: "queue-full", text: "Wait."))
        }
        let device = try #require(try (test.get("/api/v1/devices").json["devices"] as? [NSDictionary])?.first)
        #expect(device["device_id"] as? String == test.uuid && device["platform"] as? String == "linux")
        #expect(device["active_sessions"] as? Int == 1)
        let listed = try test.get("/api/v1/devices/\(test.uuid)/sessions?status=active&limit=50").json
        let session = try #require((listed["sessions"] as? [NSDictionary])?.first)
        #expect(session["title"] as? String == "USB /dev/ttyACM0, firmware 2.7.26")
        #expect(session["started_at"] as? String == ISO8601.text(now - 2000) && session["cwd"] is NSNull)
        #expect(listed["has_more"] as? Bool == false && listed["next_offset"] as? Int == 1)
        let name = try #require(session["session_id"] as? String)
        let events = try test.get("/api/v1/sessions/\(name)/events?limit=100").json["events"] as? [NSDictionary]
        #expect(events?.compactMap { $0["hook_event_name"] as? String } == ["Notification", "SessionStart"])
        #expect(events?.first?["notification_type"] as? String == "queue-full")
        #expect(events?.first?["message"] as? String == "Wait." && events?.first?["tool_name"] is NSNull)
    }
}
