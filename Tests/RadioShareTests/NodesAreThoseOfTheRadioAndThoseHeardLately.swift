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
        app.administer(0xf1, [0xb0, 2] + varint(node.rawValue), at: house.number)
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

    /// nodedb_reset, with which the radio keeps its favourites: at once, and behind the restart that follows.
    @Test func soAreAllWhenAClientEmptiesTheList() throws {
        let house = try SharedHouse([.admin]) { $0.firmware = .v2_7 }
        let source = house.source
        let seconds = WallClock.seconds()
        let lately = NodeNumber(0x0102_0304)
        try house.store.commit { writer in
            try writer.updateNode(lately, in: source, at: seconds * 1000) { $0.lastHeard = seconds - 60 }
        }
        #expect(try nodes(house).nodes.count == 26)
        let favourites = Set(house.simulated.nodes.filter(\.isFavorite).map(\.number))
        let app = try house.connected()
        let handshakes = house.simulated.completedHandshakes
        app.administer(0xf2, [0xa0, 6, 1], at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xf2) == RoutingError.none } })
        // The radio has not told yet which it keeps.
        let (atOnce, count) = try nodes(house)
        #expect(Set(atOnce.map(\.number)).isSubset(of: favourites.union([house.number])))
        #expect(atOnce.count == Int(count))
        #expect(eventually { house.simulated.completedHandshakes >= handshakes + 2 })
        #expect(try eventually { try nodes(house).nodes.count == favourites.count + 1 })
        #expect(try Set(nodes(house).nodes.map(\.number)) == favourites.union([house.number]))
        // One of them says something.
        let later = WallClock.seconds()
        try house.store.commit { writer in
            try writer.updateNode(lately, in: source, at: later * 1000) { $0.lastHeard = later + 60 }
        }
        #expect(try nodes(house).nodes.contains { $0.number == lately })
    }

    /// A removed node that the radio does not list any more is not there again because the radio has been restarted.
    @Test func aRemovedNodeStaysAwayBehindARestart() throws {
        let house = try SharedHouse([.admin]) { $0.firmware = .v2_7 }
        let node = try #require(house.simulated.nodes.last).number
        let app = try house.connected()
        app.administer(0xf3, [0xb0, 2] + varint(node.rawValue), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xf3) == RoutingError.none } })
        let handshakes = house.simulated.completedHandshakes
        house.simulated.reboot()
        #expect(eventually { house.simulated.completedHandshakes >= handshakes + 2 })
        #expect(eventually { house.gateway.handshake(of: house.source)?.nodes.count == 24 })
        #expect(try !nodes(house).nodes.contains { $0.number == node })
    }

    /// Nor because the gateway has been.
    @Test func norBehindOneOfTheGateway() throws {
        let house = try SharedHouse([.admin]) { $0.firmware = .v2_7 }
        let (one, all) = (try #require(house.simulated.nodes.last).number, NodeNumber(0x0102_0304))
        let (source, seconds) = (house.source, WallClock.seconds())
        // The radio does not list that one.
        try house.store.commit { writer in
            try writer.updateNode(all, in: source, at: seconds * 1000) { $0.lastHeard = seconds - 60 }
        }
        let app = try house.connected()
        func order(_ id: PacketID, _ order: [UInt8]) throws {
            app.administer(id, order, at: house.number)
            _ = try #require(app.wait { $0.contains { $0.routing(id) == RoutingError.none } })
        }
        try order(0xf4, [0xb0, 2] + varint(one.rawValue))
        try order(0xf5, [0xb0, 2] + varint(all.rawValue))
        try house.store.commit { _ in }
        try house.startGatewayAgain()
        let told = try nodes(house).nodes.map(\.number)
        #expect(!told.contains(one) && !told.contains(all) && told.count == 24)
        try house.store.commit { writer in
            try writer.updateNode(all, in: source, at: seconds * 1000) { $0.lastHeard = seconds + 60 }
        }
        #expect(try nodes(house).nodes.map(\.number).contains(all))
    }

    private func varint(_ value: UInt32) -> [UInt8] {
        var (rest, bytes): (UInt32, [UInt8]) = (value, [])
        while rest > 127 { (rest, bytes) = (rest >> 7, bytes + [UInt8(rest & 127) | 128]) }
        return bytes + [UInt8(rest)]
    }

    @Test func thereAreAThousandAtMost() throws {
        let house = try SharedHouse { $0.nodes = 1200 }
        let (nodes, count) = try nodes(house)
        #expect(nodes.count == 1000 && count == 1000)
        #expect(Set(nodes.map(\.number)).count == 1000 && nodes[0].number == house.number)
    }
}
