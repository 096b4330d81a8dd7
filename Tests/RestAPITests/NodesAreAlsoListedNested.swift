import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

/// `/api/nodes`, as MeshMonitor's own pages and bots ask for it.
@Suite struct NodesAreAlsoListedNested {
    private static let peer = TestGateway.peer

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test func aNodeThatIsOnlyANumber() throws {
        let test = try TestGateway()
        try test.update(Self.peer) { _ in }
        #expect(
            try test.get("/api/nodes").text == #"[{"nodeNum":2882400018,"user":{"id":"!abcdef12","#
                + #""longName":"Node !abcdef12","shortName":"ef12","hwModel":null,"publicKey":null},"#
                + #""deviceMetrics":{"batteryLevel":null,"voltage":null,"channelUtilization":null,"airUtilTx":null},"#
                + #""lastHeard":null,"snr":null,"rssi":null,"isFavorite":false,"favoriteLocked":false,"#
                + #""isIgnored":false,"positionOverrideEnabled":false,"positionOverrideIsPrivate":false,"#
                + #""hideFromMap":false,"hasRemoteAdmin":false,"isMobile":false,"positionIsOverride":false}]"#)
    }

    @Test func aNodeOfWhichMuchIsKnown() throws {
        let test = try TestGateway()
        try test.update(Self.peer) { node in
            (node.longName, node.shortName, node.hardwareModel, node.role) = ("Ridge", "RDG", 43, 2)
            (node.batteryLevel, node.voltage, node.uptimeSeconds) = (101, 4.25, 3600)
            (node.lastHeard, node.snr, node.rssi) = (1_787_300_042, 5.25, -97)
            (node.hopsAway, node.lastMessageHops, node.viaMQTT) = (1, 2, false)
            (node.isFavorite, node.channel) = (true, 0)
            (node.latitude, node.longitude, node.altitude, node.positionChannel) = (46.2, -6.5, 810, 2)
            (node.positionPrecisionBits, node.positionLocationSource) = (13, 1)
            node.positionTimestamp = TestGateway.now
        }
        let text = try test.get("/api/nodes?sourceId=default").text
        #expect(
            text == #"[{"nodeNum":2882400018,"user":{"id":"!abcdef12","longName":"Ridge","shortName":"RDG","#
                + #""hwModel":43,"publicKey":null,"role":"2"},"deviceMetrics":{"batteryLevel":101,"voltage":4.25,"#
                + #""channelUtilization":null,"airUtilTx":null,"uptimeSeconds":3600},"lastHeard":1787300042,"#
                + #""snr":5.25,"rssi":-97,"hopsAway":1,"lastMessageHops":2,"viaMqtt":false,"isFavorite":true,"#
                + #""favoriteLocked":false,"isIgnored":false,"channel":0,"position":{"latitude":46.2,"#
                + #""longitude":-6.5,"altitude":810},"positionPrecisionBits":13,"positionTimestamp":1787300000000,"#
                + #""positionLocationSource":1,"positionOverrideEnabled":false,"positionOverrideIsPrivate":false,"#
                + #""hideFromMap":false,"hasRemoteAdmin":false,"isMobile":false,"positionIsOverride":false}]"#)
        // Who may not see the channel of the position sees nothing of it.
        let masked = try test.ask("GET", "/api/nodes", as: try test.token(["nodes:read", "channel_0:viewOnMap"])).text
        #expect(masked.contains(#""channel":0,"positionOverrideEnabled""#), "\(masked)")
        #expect(try test.ask("GET", "/api/nodes", as: try test.token(["nodes:read"])).text == "[]")
    }

    /// Two radios know the same node: who has heard it last tells what it is.
    @Test func aNodeOfTwoRadiosIsThereOnce() throws {
        let test = try TestGateway()
        let mine = NodeNumber(0x100)
        try test.update(Self.peer, at: TestGateway.now + 5) {
            ($0.longName, $0.lastHeard) = ("Old name", 1_787_300_000)
        }
        try test.update(mine, at: TestGateway.now + 2) { $0.longName = "Mine" }
        try test.store.commit { writer in
            for (name, isEnabled, heard) in [("Hill", true, 1_787_300_010), ("Gone", false, 1_787_300_099)] {
                let source = Source(
                    uuid: "\(name == "Hill" ? 1 : 2)1111111-2222-4333-8444-555555555555", name: name,
                    isEnabled: isEnabled, createdAt: .max)
                let id = try writer.insert(source)
                try writer.updateNode(Self.peer, in: id, at: TestGateway.now + 1) {
                    ($0.longName, $0.lastHeard) = (name, Int64(heard))
                }
            }
        }
        let names = { (answer: Answer) in
            try rows(answer).map { ($0["user"] as? [String: Any])?["longName"] as? String }
        }
        // The latest change first, in the row that is shown.
        #expect(try names(test.get("/api/nodes")) == ["Mine", "Hill"])
        #expect(try names(test.get("/api/nodes?sourceId=default")) == ["Old name", "Mine"])
        #expect(try names(test.get("/api/nodes?sourceId=21111111-2222-4333-8444-555555555555")) == ["Gone"])
    }

    @Test func thousandsAreStreamed() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            for number in 1...1000 as ClosedRange<UInt32> {
                try writer.updateNode(NodeNumber(number), in: id, at: TestGateway.now) {
                    $0.longName = "Node \(number)"
                }
            }
        }
        for path in ["/api/nodes", "/api/sources/default/nodes"] {
            let answer = try test.get(path)
            #expect(answer.chunks.count > 1)
            #expect(Set(try rows(answer).compactMap { $0["nodeNum"] as? Int }) == Set(1...1000))
        }
    }
}
