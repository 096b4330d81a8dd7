import Foundation
import MeshModel
import Platform
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct ChartsNeedASource {
    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test(arguments: ["/api/telemetry/!abcdef12", "/api/telemetry/!abcdef12/linkquality"])
    func withoutOneTheyAreRefused(_ path: String) throws {
        let test = try TestGateway()
        for target in [path, path + "?sourceId=", path + "?hours=24"] {
            let answer = try test.get(target)
            #expect(answer.status == 400)
            #expect(answer.text == #"{"success":false,"error":"sourceId is required","code":"MISSING_SOURCE_ID"}"#)
        }
        #expect(try test.get(path + "?sourceId=nothing").status == 404)
    }

    /// Reports of one span of three minutes become one row a series.
    @Test func valuesAreMeansOfThreeMinutes() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        let span = WallClock.milliseconds() / 180_000 * 180_000 - 720_000
        for (index, voltage) in [3.7, 3.8, 4.0].enumerated() {
            let report = Telemetry(kind: .device, values: [.init("voltage", voltage), .init("batteryLevel", 87)])
            try test.insert(report, packetID: PacketID(index + 1), at: span + Int64(index) * 90_000)
        }
        try test.insert(
            Telemetry(kind: .device, values: [.init("voltage", 1)]), packetID: 9,
            at: WallClock.milliseconds() - 26 * 3_600_000)
        let answer = try test.get("/api/telemetry/!abcdef12?sourceId=\(test.uuid)")
        let shown = try rows(answer).map {
            "\($0["telemetryType"] ?? "") \(($0["timestamp"] as? Int64 ?? 0) - span) \($0["value"] ?? "") \($0["unit"] ?? "")"
        }
        #expect(shown == ["batteryLevel 180000 87 %", "voltage 180000 4 V", "batteryLevel 0 87 %", "voltage 0 3.75 V"])
        #expect(answer.text.contains(#""value":3.75,"#))
        let twoDays = try test.get("/api/telemetry/!abcdef12?sourceId=default&hours=48")
        #expect(try rows(twoDays).last?["value"] as? Int == 1)
        #expect(try test.get("/api/telemetry/!99999999?sourceId=default").text == "[]")
        // Whole numbers of days do not overflow.
        #expect(try test.get("/api/telemetry/!abcdef12?sourceId=default&hours=99999999999999").status == 200)
    }

    /// Oldest first, of a week at most.
    @Test func linkQualityIsAListOfGrades() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        let (path, hour) = ("/api/telemetry/!abcdef12/linkquality?sourceId=default", 3_600_000 as Int64)
        #expect(try test.get(path).text == #"{"success":true,"data":[]}"#)
        let now = WallClock.milliseconds()
        for (grade, age) in [(6, 169), (7, 30), (8, 2), (9, 0)] as [(Double, Int64)] {
            try test.insert([.init(.linkQuality, grade)], at: now - age * hour)
        }
        let (old, early, late) = (now - 30 * hour, now - 2 * hour, now)
        let today = #"{"timestamp":\#(early),"quality":8},{"timestamp":\#(late),"quality":9}]}"#
        #expect(try test.get(path).text == #"{"success":true,"data":["# + today)
        for hours in [48, 168, 100_000] {
            #expect(
                try test.get(path + "&hours=\(hours)").text
                    == #"{"success":true,"data":[{"timestamp":\#(old),"quality":7},"# + today)
        }
        #expect(
            try test.get("/api/telemetry/!99999999/linkquality?sourceId=default").text == #"{"success":true,"data":[]}"#
        )
    }

    @Test func nodesAreListedByWhatTheyTell() throws {
        let test = try TestGateway()
        try test.insertReports(1)
        try test.insertReports(1, from: NodeNumber(0x55))
        let weather = Telemetry(kind: .environment, values: [.init("temperature", 21)])
        try test.insert(weather, from: NodeNumber(0x55), packetID: 7, at: TestGateway.now)
        try test.update(NodeNumber(0x66)) { $0.publicKey = PublicKey([UInt8](repeating: 7, count: 32)) }
        try test.update(NodeNumber(0x55)) { $0.channel = 3 }
        #expect(
            try test.get("/api/telemetry/available/nodes").text
                == #"{"nodes":["!00000055","!abcdef12"],"weather":["!00000055"],"estimatedPosition":[],"#
                + #""pkc":["!00000066"]}"#)
        let token = try test.token(["nodes:read", "channel_3:viewOnMap"])
        #expect(
            try test.ask("GET", "/api/telemetry/available/nodes", as: token).text
                == #"{"nodes":["!00000055"],"weather":["!00000055"],"estimatedPosition":[],"pkc":[]}"#)
        let refused = try test.ask("GET", "/api/telemetry/!abcdef12?sourceId=default", as: token)
        #expect(refused.status == 403)
        #expect(
            refused.text == #"{"error":"Insufficient permissions","code":"FORBIDDEN","#
                + #""required":{"resource":"channel_0","action":"viewOnMap"}}"#)
    }
}
