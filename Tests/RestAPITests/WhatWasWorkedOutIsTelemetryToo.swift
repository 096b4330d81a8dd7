import Glibc
import HTTPServer
import MeshModel
import Platform
import Store
import Testing

@testable import RestAPI

@Suite struct WhatWasWorkedOutIsTelemetryToo {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insertReports(1)
        try test.insert([.init(.messageHops, 2), .init(.snrLocal, -4.25)], packetID: 1, at: TestGateway.now + 1)
        try test.insert([.init(.linkQuality, 7)], at: TestGateway.now + 2)
        try test.insert([.init(.systemNodeCount, 41)], at: TestGateway.now + 3)
        return test
    }

    /// Key by key (Contract 3.7): of a packet its id, and nothing that the packet's own row says.
    @Test func aRowSaysOfWhichPacketItIs() throws {
        let test = try gateway()
        let hops = try test.get("/api/v1/telemetry?type=messageHops")
        let now = TestGateway.now + 1
        #expect(
            hops.text.contains(
                #""nodeId":"!abcdef12","nodeNum":2882400018,"telemetryType":"messageHops","timestamp":\#(now),"value":2,"#
                    + #""unit":"hops","createdAt":\#(now),"packetTimestamp":null,"packetId":1,"channel":0,"#
                    + #""precisionBits":null,"gpsAccuracy":null,"rxSnr":null,"hopStart":null,"hopLimit":null,"#))
        for (name, value, unit, id) in [
            ("snr_local", "-4.25", "\"dB\"", "1"), ("linkQuality", "7", "\"quality\"", "null"),
            ("systemNodeCount", "41", "null", "null"),
        ] {
            let text = try test.get("/api/v1/telemetry?type=\(name)").text
            #expect(text.contains(#""telemetryType":"\#(name)""#) && text.contains(#""count":1,"#))
            #expect(text.contains(#""value":\#(value),"unit":\#(unit),"#) && text.contains(#""packetId":\#(id),"#))
        }
    }

    @Test func itIsCountedAndPaged() throws {
        let test = try gateway()
        let names = ["systemNodeCount", "linkQuality", "messageHops", "snr_local", "batteryLevel", "voltage"]
        for path in ["/api/v1/telemetry", "/api/v1/telemetry/!abcdef12"] {
            #expect(try test.get(path).rows.map { $0["telemetryType"] as? String } == names)
            for offset in 0..<7 {
                let page = try test.get(path + "?limit=1&offset=\(offset)")
                #expect(
                    try page.rows.map { $0["telemetryType"] as? String } == Array(names.dropFirst(offset).prefix(1)))
            }
        }
        #expect(try test.get("/api/v1/telemetry/count").json["count"] as? Int == 6)
        #expect(try test.get("/api/v1/telemetry/!abcdef12?limit=2").json["total"] as? Int == 6)
        #expect(try test.get("/api/v1/telemetry/!abcdef12?type=linkQuality&limit=0").json["total"] as? Int == 1)
    }

    @Test func chartsHaveIt() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        let now = WallClock.milliseconds() / 180_000 * 180_000 - 360_000
        for (place, hops) in [1.0, 2].enumerated() {
            try test.insert([.init(.messageHops, hops)], packetID: PacketID(place + 1), at: now + Int64(place))
        }
        let chart = try test.get("/api/telemetry/!abcdef12?sourceId=default")
        #expect(chart.text.contains(#""telemetryType":"messageHops","timestamp":\#(now),"value":1.5,"unit":"hops","#))
    }

    /// Whoever sees only other channels sees neither the packet's row nor the node's.
    @Test func itIsHiddenWithItsPacketAndItsNode() throws {
        let test = try gateway()
        try test.update(TestGateway.peer) { $0.channel = 3 }
        let other = try test.token(["nodes:read", "channel_0:viewOnMap"])
        #expect(try test.ask("GET", "/api/v1/telemetry", as: other).rows.isEmpty)
        #expect(try test.ask("GET", "/api/v1/telemetry?type=linkQuality", as: other).rows.isEmpty)
        #expect(try test.ask("GET", "/api/v1/telemetry/!abcdef12", as: other).status == 403)
        #expect(try test.ask("GET", "/api/telemetry/!abcdef12/linkquality?sourceId=default", as: other).status == 403)
        let own = try test.token(["nodes:read", "channel_3:viewOnMap"])
        let overheard = UInt32(ChannelEntry.channelOffset + 1)
        try test.insert([.init(.messageHops, 1)], packetID: 9, channel: overheard, at: TestGateway.now + 9)
        #expect(try test.ask("GET", "/api/v1/telemetry", as: own).rows.count == 6, "not of a channel of the gateway's")
    }

    /// `mesh-gateway telemetry` shows what the node has measured itself.
    @Test func theCommandShowsReportsOnly() throws {
        let test = try gateway()
        let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
        let page = try test.ask("GET", "/local/telemetry/!abcdef12", peer: me)
        #expect(page.text.contains(#""metric":"batteryLevel""#))
        #expect(!page.text.contains("messageHops") && !page.text.contains("linkQuality"))
    }
}

@Suite struct NodesThatMoveAreCalledMobile {
    /// In the list, alone, and no longer a known answer when it has moved.
    @Test func asSoonAsTheyHaveMoved() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        func mobile() throws -> [Int?] {
            [
                try test.get("/api/v1/nodes").rows.first { $0["nodeId"] as? String == "!abcdef12" }?["mobile"] as? Int,
                (try test.get("/api/v1/nodes/!abcdef12").json["data"] as? [String: Any])?["mobile"] as? Int,
            ]
        }
        #expect(try mobile() == [nil, nil])
        try test.insert(place(0), packetID: 1, at: TestGateway.now)
        #expect(try mobile() == [0, 0])
        let tag = try #require(try test.get("/api/v1/nodes").header("ETag"))
        try test.insert(place(20_000), packetID: 2, at: TestGateway.now + 1)
        #expect(try mobile() == [1, 1])
        #expect(try test.get("/api/v1/nodes", headers: [("If-None-Match", tag)]).status == 200)
    }

    /// Whoever may not see where a node is does not see whether it stays there.
    @Test func notForThoseWhoMayNotSeeWhereTheyAre() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { ($0.channel, $0.positionChannel) = (0, 3) }
        try test.insert(place(0), packetID: 1, channel: 3, at: TestGateway.now)
        let token = try test.token(["nodes:read", "channel_0:viewOnMap"])
        #expect(try test.ask("GET", "/api/v1/nodes/!abcdef12", as: token).text.contains(#""mobile":null,"#))
        #expect(try test.get("/api/v1/nodes/!abcdef12").text.contains(#""mobile":0,"#))
    }
}
