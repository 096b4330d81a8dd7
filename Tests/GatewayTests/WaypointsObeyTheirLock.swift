import MeshModel
import MeshProtocol
import Testing

/// SerialReference 4.9: the sender is not authenticated by anybody else, so the lock is ours to keep.
@Suite struct WaypointsObeyTheirLock {
    private func say(_ test: TestGateway, _ waypoint: Waypoint, from: NodeNumber, id: PacketID) throws -> [Waypoint] {
        try test.hear(.heard(.waypoint, waypoint.encoded(), from: from, id: id))
        let source = try test.source
        return try test.store.read { try $0.waypoints(in: source) }.map(\.value)
    }

    @Test func anUnlockedOneIsEverybodys() throws {
        let test = try TestGateway()
        var camp = Waypoint(id: 7, latitudeI: 1, longitudeI: 2, name: "Camp")
        #expect(try say(test, camp, from: alice, id: 1) == [camp])
        camp.name = "Base camp"
        #expect(try say(test, camp, from: bob, id: 2) == [camp])
        // An old client's way to delete.
        #expect(try say(test, Waypoint(id: 7, expire: 1), from: carol, id: 3).isEmpty)
    }

    @Test func aLockedOneIsItsOwners() throws {
        let test = try TestGateway()
        let camp = Waypoint(id: 7, latitudeI: 1, longitudeI: 2, lockedTo: alice, name: "Camp")
        #expect(try say(test, camp, from: alice, id: 1) == [camp])
        #expect(try say(test, Waypoint(id: 7, name: "Mine"), from: bob, id: 2) == [camp])
        #expect(try say(test, Waypoint(id: 7, expire: 1), from: bob, id: 3) == [camp])
        #expect(try say(test, Waypoint(id: 7, expire: 1), from: alice, id: 4).isEmpty)
    }

    /// Where it came is who may see it.
    @Test func theChannelIsKept() throws {
        let test = try TestGateway()
        let source = try test.source
        for channel in [0, 3, 1] as [UInt32] {
            var packet = MeshPacket.heard(
                .waypoint, Waypoint(id: 7, name: "Camp").encoded(), from: alice, id: 1 + channel)
            packet.channel = channel
            try test.hear(packet)
            #expect(try test.store.read { try $0.waypoint(id: 7, in: source) }?.channel == channel)
        }
        // For us alone, encrypted or in clear: on no channel.
        var secret = MeshPacket.heard(.waypoint, Waypoint(id: 7, name: "Camp").encoded(), from: alice, id: 9)
        secret.pkiEncrypted = true
        try test.hear(secret)
        #expect(try test.store.read { try $0.waypoint(id: 7, in: source) }?.channel == nil)
        var open = MeshPacket.heard(.waypoint, Waypoint(id: 8, name: "Hut").encoded(), from: alice, id: 10)
        open.to = own
        try test.hear(open)
        #expect(try #require(try test.store.read { try $0.waypoint(id: 8, in: source) }).channel == nil)
    }

    @Test func noTimeAndTheLastTimeMeanForEver() throws {
        let test = try TestGateway()
        #expect(try say(test, Waypoint(id: 1, expire: 0), from: alice, id: 1).map(\.id) == [1])
        #expect(try say(test, Waypoint(id: 2, expire: UInt32(Int32.max)), from: alice, id: 2).map(\.id) == [1, 2])
        #expect(try say(test, Waypoint(id: 1, expire: noonSeconds), from: alice, id: 3).map(\.id) == [2])
    }
}
