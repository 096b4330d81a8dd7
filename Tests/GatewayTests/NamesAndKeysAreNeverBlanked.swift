import MeshModel
import MeshProtocol
import Testing

@Suite struct NamesAndKeysAreNeverBlanked {
    static let user = User(
        longName: "Gänsehütte", shortName: "🐢", macAddress: [1, 2, 3, 4, 5, 6], hardwareModel: 43, role: 2,
        publicKey: key(1))

    @Test func anEmptyRequestTeachesNothing() throws {
        let test = try TestGateway()
        try test.hear(.heard(.nodeInfo, Self.user.encoded()))
        // What asks for our own values looks like the asker's (SerialReference 14.9).
        try test.hear(
            .packet(.heard(.nodeInfo, User().encoded(), to: own, id: 78)),
            .packet(.heard(.telemetry, device(("batteryLevel", 80)), id: 79)),
            .packet(.heard(.telemetry, device(), to: own, id: 80)),
            .packet(.heard(.position, Position(latitudeI: 465_000_000, longitudeI: 75_000_000).encoded(), id: 81)),
            .packet(.heard(.position, [], to: own, id: 82)))
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Gänsehütte")
        #expect(node.shortName == "🐢")
        #expect(node.role == 2)
        #expect(node.hardwareModel == 43)
        #expect(node.macAddress == [1, 2, 3, 4, 5, 6])
        #expect(node.publicKey == key(1))
        #expect(node.batteryLevel == 80)
        #expect(node.latitude == 46.5)
    }

    @Test func aPartOfThemChangesOnlyItself() throws {
        let test = try TestGateway()
        try test.hear(.heard(.nodeInfo, Self.user.encoded()))
        let renamed = User(longName: "Hütte", macAddress: [0, 0, 0, 0, 0, 0], role: 0)
        try test.hear(.heard(.nodeInfo, renamed.encoded(), id: 78))
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Hütte")
        #expect(node.shortName == "🐢")
        #expect(node.role == 0)
        #expect(node.hardwareModel == 43)
        #expect(node.macAddress == [1, 2, 3, 4, 5, 6], "all zero from firmware 2.8 on")
        #expect(node.publicKey == key(1))
    }

    @Test func whatTheRadioNoLongerKnowsStays() throws {
        let test = try TestGateway()
        try test.hear(.heard(.nodeInfo, Self.user.encoded()))
        try test.hear(.nodeInfo(NodeInfo(number: alice)))
        #expect(try test.node(alice)?.longName == "Gänsehütte")
        #expect(try test.node(alice)?.publicKey == key(1))
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
        #expect(try test.node(alice)?.hopsAway == 0)
    }

    @Test func whoDoesNotSayIsUnmessagableByItsRole() throws {
        let test = try TestGateway()
        // ROUTER, REPEATER, TRACKER, SENSOR, TAK_TRACKER, ROUTER_LATE; all others are read by people.
        for role: UInt32 in 0...12 {
            let isInfrastructure = [2, 4, 5, 6, 10, 11].contains(role)
            for (offset, said) in [(0, nil), (1, true), (2, false)] as [(UInt32, Bool?)] {
                let number = NodeNumber(0x1000 + role * 16 + offset)
                let user = User(longName: "n", role: role, isUnmessagable: said)
                try test.hear(.heard(.nodeInfo, user.encoded(), from: number))
                #expect(try test.node(number)?.isUnmessagable == said ?? isInfrastructure, "role \(role)")
            }
        }
    }
}
