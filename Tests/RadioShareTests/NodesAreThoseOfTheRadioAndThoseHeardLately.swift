import MeshModel
import MeshProtocol
import Platform
import RadioSimulator
import Store
import Testing

@testable import Gateway
@testable import RadioShare

/// The nodes of a handshake: the radio's own first, then all others, newest first, with what was learnt of them since.
@Suite struct NodesAreThoseOfTheRadioAndThoseHeardLately {
    private func nodes(_ house: SharedHouse) throws -> (nodes: [NodeInfo], count: UInt32) {
        let app = try house.connected(nonce: 1)
        var count: UInt32 = 0
        if case .myInfo(let info) = app.frames[0].message { count = info.nodeDBCount }
        let nodes = app.frames.compactMap(\.node)
        app.close()
        return (nodes, count)
    }

    @Test func aNodeThatTheRadioDoesNotListIsThereToo() throws {
        // Firmware 2.8 repeats values behind its handshake, which would come in between.
        let house = try SharedHouse { $0.firmware = .v2_7 }
        let seconds = WallClock.seconds()
        let source = house.source
        let (lately, longAgo, nobody) = (NodeNumber(0x0102_0304), NodeNumber(0x0102_0305), NodeNumber(0))
        let known = house.simulated.nodes[3].number
        try house.store.commit { writer in
            for (number, heard) in [(lately, seconds - 86_400), (longAgo, seconds - 40 * 86_400), (nobody, seconds)] {
                try writer.updateNode(number, in: source, at: seconds * 1000) { node in
                    node.lastHeard = heard
                    (node.longName, node.shortName, node.batteryLevel) = ("Heard", "HRD", 66)
                }
            }
            try writer.updateNode(known, in: source, at: seconds * 1000) { node in
                node.lastHeard = seconds + 100
                (node.longName, node.batteryLevel, node.hopsAway) = ("Renamed", 55, 6)
                (node.latitude, node.longitude) = (47.5, 11.5)
            }
        }
        let (nodes, count) = try nodes(house)
        #expect(nodes.count == 26 && count == 26)
        #expect(nodes[0].number == house.number && nodes[1].number == known)
        #expect(!nodes.contains { !$0.number.mayBeNode || $0.number == longAgo })
        let times = nodes.dropFirst().map(\.lastHeard)
        #expect(times == times.sorted(by: >))
        let heard = try #require(nodes.first { $0.number == lately })
        #expect(heard.user?.longName == "Heard" && heard.user?.id == "!01020304")
        #expect(heard.deviceMetrics?["batteryLevel"] == 66)
        let renamed = nodes[1]
        #expect(
            renamed.user?.longName == "Renamed" && renamed.hopsAway == 6 && renamed.position?.latitudeI == 475_000_000)
        #expect(renamed.deviceMetrics?["batteryLevel"] == 55 && renamed.lastHeard == UInt32(seconds + 100))
        // The rest of what the radio has said is still there.
        #expect(renamed.user?.publicKey == house.simulated.nodes[3].user?.publicKey && renamed.user?.publicKey != nil)
    }

    /// remove_by_nodenum: at once, and until the node is heard.
    @Test func aNodeThatAClientRemovesIsGone() throws {
        let house = try SharedHouse([.admin]) { $0.firmware = .v2_7 }
        let node = try #require(house.simulated.nodes.last).number
        #expect(try nodes(house).nodes.contains { $0.number == node })
        let app = try house.connected()
        var (rest, varint): (UInt32, [UInt8]) = (node.rawValue, [])
        while rest > 127 { (rest, varint) = (rest >> 7, varint + [UInt8(rest & 127) | 128]) }
        app.administer(0xf1, [0xb0, 2] + varint + [UInt8(rest)], at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xf1) == RoutingError.none } })
        let (without, count) = try nodes(house)
        #expect(!without.contains { $0.number == node } && without.count == Int(count))
        // It says something.
        let seconds = WallClock.seconds()
        try house.store.commit { [source = house.source] writer in
            try writer.updateNode(node, in: source, at: seconds * 1000) { $0.lastHeard = seconds + 60 }
        }
        #expect(try nodes(house).nodes.contains { $0.number == node })
    }

    @Test func thereAreAThousandAtMost() throws {
        let house = try SharedHouse { $0.nodes = 1200 }
        let (nodes, count) = try nodes(house)
        #expect(nodes.count == 1000 && count == 1000)
        #expect(Set(nodes.map(\.number)).count == 1000 && nodes[0].number == house.number)
    }
}
