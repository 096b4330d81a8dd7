import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

@Suite struct PagesOfTelemetryComeToAnEnd {
    /// As meshmanager collects everything: upstream ignores the offset, and it never stops (Contract 7.29).
    @Test(arguments: ["telemetry", "telemetry?type=voltage", "telemetry/!abcdef12", "telemetry?nodeId=!abcdef12"])
    func aPagingClientGetsEachRowOnce(_ path: String) throws {
        let test = try TestGateway()
        try test.insertReports(12)
        try test.insertReports(5, from: NodeNumber(0x55))
        try test.insert(place(1), packetID: 99, at: TestGateway.now)
        let target = "/api/v1/" + path + (path.contains("?") ? "&" : "?")
        let all = try test.get(target + "limit=10000").rows
        var collected: [NSDictionary] = []
        for _ in 0..<20 {
            let page = try test.get(target + "limit=7&offset=\(collected.count)")
            #expect(try page.json["offset"] as? Int == collected.count)
            #expect(try page.json["limit"] as? Int == 7)
            #expect(try page.json["count"] as? Int == page.rows.count)
            if try page.rows.isEmpty { break }
            collected += try page.rows
        }
        #expect(collected == all)
        #expect(try test.get(target + "offset=\(all.count)").rows.isEmpty)
        let expected = ["telemetry": 37, "telemetry?type=voltage": 17][path] ?? 27
        #expect(all.count == expected)
        // Of several nodes in the order of their storing, which is that of time in a gateway whose clock goes forward.
        let times = all.filter { $0["nodeId"] as? String == "!abcdef12" }.compactMap { $0["timestamp"] as? Int }
        #expect(path == "telemetry" || times == times.sorted(by: >))
    }

    @Test func onlyANodesPageHasATotal() throws {
        let test = try TestGateway()
        try test.insertReports(3)
        let bare = ["success", "count", "offset", "limit", "data"]
        let counted = ["success", "count", "total", "offset", "limit", "data"]
        for path in ["telemetry", "telemetry?type=voltage", "telemetry?nodeId="] {
            #expect(JSONText(try test.get("/api/v1/" + path).body).keys == bare, "\(path)")
        }
        for (path, total) in [
            ("telemetry/!abcdef12", 6), ("telemetry?nodeId=!abcdef12&type=voltage", 3),
            ("telemetry/!abcdef12?limit=2", 6), ("telemetry/!abcdef12?offset=100", 6),
            ("telemetry/!abcdef12?type=lux", 0), ("telemetry/!99999999", 0), ("telemetry/2882400018", 0),
            ("telemetry/!ffffffff", 0), ("telemetry?nodeId=nobody", 0),
            ("telemetry/!abcdef12?limit=1&since=\(TestGateway.now + 60_000)", 4),
        ] {
            let answer = try test.get("/api/v1/" + path)
            #expect(JSONText(answer.body).keys == counted, "\(path)")
            #expect(try answer.json["total"] as? Int == total, "\(path)")
        }
    }

    @Test func numbersOfTheQueryAreReadAsUpstreamDoes() throws {
        let test = try TestGateway()
        try test.insertReports(4)
        let minute: Int64 = 60_000
        for (query, count) in [
            ("since=\(TestGateway.now + minute)", 6), ("before=\(TestGateway.now + minute)", 2),
            ("since=\(TestGateway.now + minute)&before=\(TestGateway.now + 2 * minute)", 2),
            ("since=0&before=0", 8), ("since=&before=", 8), ("since=never&before=ever", 8),
            // Seconds, as other clients send them.
            ("since=\((TestGateway.now + 2 * minute) / 1000)", 4), ("before=\((TestGateway.now + minute) / 1000)", 2),
            ("limit=0", 8), ("limit=x", 8), ("limit=3", 3), ("limit=-1", 8), ("limit=20000", 8), ("type=", 8),
            ("offset=x", 8), ("offset=-3", 8), ("offset=5", 3), ("offset=99999999999999999999", 0),
        ] {
            for path in ["telemetry?", "telemetry/!abcdef12?"] {
                #expect(try test.get("/api/v1/" + path + query).rows.count == count, "\(path)\(query)")
            }
        }
        #expect(try test.get("/api/v1/telemetry?limit=20000").json["limit"] as? Int == 10_000)
    }

    @Test func everythingIsCounted() throws {
        let test = try TestGateway()
        #expect(try test.get("/api/v1/telemetry/count").text == #"{"success":true,"count":0}"#)
        try test.insertReports(4)
        try test.insert(place(1), packetID: 99, at: TestGateway.now)
        #expect(try test.get("/api/v1/telemetry/count").text == #"{"success":true,"count":11}"#)
    }

    /// Ten thousand rows are sent in pieces.
    @Test func aLongPageIsStreamed() throws {
        let test = try TestGateway()
        try test.insertReports(400)
        let answer = try test.get("/api/v1/telemetry?limit=800")
        #expect(answer.chunks.count == 4)
        #expect(try answer.rows.count == 800)
        #expect(try answer.json["count"] as? Int == 800)
    }
}
