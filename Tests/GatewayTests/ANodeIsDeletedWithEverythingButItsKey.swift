import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct ANodeIsDeletedWithEverythingButItsKey {
    /// It has told who it is, and something of each kind; a friend has, too.
    private func gateway(_ radio: PeerRadio = PeerRadio()) throws -> TestGateway {
        let test = try TestGateway(radio: radio)
        for (node, byte) in [(alice, 1), (bob, 2)] as [(NodeNumber, UInt8)] {
            let first = PacketID(byte) * 100
            let place = Position(latitudeI: 472_692_123, longitudeI: 114_041_456, altitude: 574, time: noonSeconds)
            let neighbors = NeighborInfo(
                number: node, lastSentBy: node, broadcastInterval: 900, neighbors: [.init(number: carol, snr: 5)])
            try test.hear(
                .packet(.heard(.nodeInfo, Self.user(node, byte).encoded(), from: node, id: first)),
                .packet(.text("to all", from: node, id: first + 1)),
                .packet(.text("to me", from: node, to: own, id: first + 2)),
                .packet(.heard(.telemetry, device(("voltage", 3.7)), from: node, id: first + 3)),
                .packet(.heard(.position, place.encoded(), from: node, id: first + 4)),
                .packet(.heard(.neighborInfo, neighbors.encoded(), from: node, id: first + 5)))
            let source = try test.source
            try test.store.commit { writer in
                try writer.insertNodeStatus(
                    "at the hut", from: node, packet: .text("", from: node, id: first + 6), in: source, at: noon)
                try writer.insertPaxcount(
                    Paxcount(wifi: 1, ble: 2, uptime: 3), from: node, packet: .text("", from: node, id: first + 7),
                    in: source, at: noon)
                try writer.insertTraceroute(
                    from: own, to: node, packetID: first + 8, route: nil, in: source, at: noon)
                try writer.markRead(.direct(node), by: 0, in: source)
            }
        }
        return test
    }

    private static func user(_ node: NodeNumber, _ byte: UInt8) -> User {
        User(id: node.id, longName: "N\(byte)", shortName: "n", publicKey: key(byte))
    }

    /// How much is stored of a node, by kind.
    private func rows(_ node: NodeNumber, _ test: TestGateway) throws -> [Int] {
        let source = try test.source
        return try test.store.read { reader in
            [
                try reader.messages(MessageQuery(source: source)).count { $0.from == node || $0.to == node },
                try reader.telemetry(of: node, in: source).count, try reader.positions(of: node, in: source).count,
                try reader.paxcounts(of: node, in: source).count, try reader.nodeStatuses(of: node, in: source).count,
                try reader.traceroutes(in: source, to: node).count,
                try reader.neighbors(in: source).count { $0.node == node },
                try reader.packetCount(PacketQuery(in: source, from: node)),
                try reader.node(node, in: source) == nil ? 0 : 1,
            ]
        }
    }

    @Test func andWhatIsOfOthersStays() throws {
        let test = try gateway()
        let (source, all) = (try test.source, [2, 1, 1, 1, 1, 1, 1, 6, 1])
        #expect(try rows(alice, test) == all)
        let points = try test.store.read { try $0.telemetryCount() }
        let deleted = try test.gateway.deleteNode(alice, in: source)
        // What was told (1 + 3 + 3), and what was worked out from its six packets: the hops of each, four grades until the
        // best one, and the signal of its node info.
        #expect((deleted.messages, deleted.traceroutes, deleted.points) == (2, 1, 7 + 6 + 4 + 2))
        #expect(try rows(alice, test) == [Int](repeating: 0, count: 9))
        #expect(try rows(bob, test) == all)
        #expect(try test.store.read { try $0.telemetryCount() } == points - 19)
        // The number of all points goes on from there, whatever row numbers are used again.
        try test.hear(.packet(.heard(.telemetry, device(("voltage", 3.6)), from: bob, id: 300)))
        #expect(try test.store.read { try $0.telemetryCount() } == points - 19 + 2, "the voltage and the hops")
    }

    /// The newest rows are deleted, and their numbers used again; then older ones, in which nothing is counted anew.
    @Test func pointsAreCountedRight() throws {
        let test = try gateway()
        let source = try test.source
        _ = try test.gateway.deleteNode(bob, in: source)
        try test.hear(.packet(.heard(.telemetry, device(("voltage", 3.6)), from: carol, id: 300)))
        let points = try test.store.read { try $0.telemetryCount() }
        _ = try test.store.commit { try $0.deleteReports(of: alice, from: .telemetry, in: source, limit: 500) }
        // One value that it has told, and twelve that were worked out.
        #expect(try test.store.read { try $0.telemetryCount() } == points - 13)
    }

    @Test func whatIsNoNodeAndTheRadioItself() throws {
        let test = try gateway()
        let source = try test.source
        #expect(throws: DeletionRefusal.noSuchNode) { try test.gateway.deleteNode(NodeNumber(99), in: source) }
        #expect(throws: DeletionRefusal.ownNode) { try test.gateway.deleteNode(own, in: source) }
    }

    /// Two texts are on their way, the others wait; so does a question.
    @Test func whatWaitsForItIsCancelledAndTold() throws {
        let test = try gateway()
        test.radio.ignorePackets()
        let texts = try (1...4).map { try test.send("text \($0)", to: .node(alice)) }
        let other = try test.send("to a friend", to: .node(bob))
        #expect(test.radio.wait(for: 2).count == 2)
        _ = try test.gateway.request(.position, of: alice, in: test.source)
        let listener = test.gateway.events.listen()
        _ = try test.gateway.deleteNode(alice, in: test.source)
        let told = listener.nextEvents(orWake: {}).events.compactMap { event in
            // That the second text was handed over may be told only now: the radio has it before the disk knows.
            if case .delivery(let id, let delivery) = event.what, delivery.state == .failed {
                (id, delivery.cause)
            } else {
                nil
            }
        }
        #expect(told.map(\.0) == texts[2...].map(\.id))
        #expect(told.allSatisfy { $0.1 == .cancelled })
        #expect(try test.outbox().map(\.packetID) == [other.packetID])
        for text in texts[..<2] {
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: text.packetID)))
        }
        #expect(test.radio.wait(for: 3).map(\.id) == (texts[..<2] + [other]).map(\.packetID))
    }

    /// Somebody else takes the number: he is not given what is meant for the node.
    @Test(arguments: [false, true]) func itsKeyIsStillTheOneThatCounts(_ restarts: Bool) throws {
        let first = try gateway()
        // Its folder goes with it.
        defer { withExtendedLifetime(first) {} }
        _ = try first.gateway.deleteNode(alice, in: first.source)
        if restarts { first.stop() }
        let test = restarts ? try TestGateway(folder: first.folder, radio: first.radio) : first
        #expect(try test.node(alice) == nil)
        try test.hear(.packet(.heard(.nodeInfo, Self.user(alice, 9).encoded(), id: 500)))
        let node = try #require(try test.node(alice))
        #expect(node.publicKey == key(1))
        #expect(node.announcedKey == key(9))
        #expect(node.keyMismatch)
        #expect(throws: SendRefusal.keyInDoubt(alice)) { try test.send("secret", to: .node(alice)) }
        // The node itself is welcome.
        _ = try test.gateway.deleteNode(alice, in: test.source)
        try test.hear(.packet(.heard(.nodeInfo, Self.user(alice, 1).encoded(), id: 501)))
        #expect(try test.node(alice)?.keyMismatch == false)
        #expect(try test.node(alice)?.longName == "N1")
    }

    /// Who never had a key gets the first one, as everybody.
    @Test func withoutAKeyThereIsNothingToKeep() throws {
        let test = try gateway()
        try test.hear(.packet(.text("hi", from: carol, id: 600)))
        _ = try test.gateway.deleteNode(carol, in: test.source)
        try test.hear(.packet(.heard(.nodeInfo, Self.user(carol, 7).encoded(), from: carol, id: 601)))
        #expect(try test.node(carol)?.publicKey == key(7))
        #expect(try test.node(carol)?.keyMismatch == false)
    }

    /// What the mesh repeats does not come back; what is new does.
    @Test func aRepeatedTextStaysDeleted() throws {
        let test = try gateway()
        _ = try test.gateway.deleteNode(alice, in: test.source)
        try test.hear(.packet(.text("to all", id: 101)), .packet(.text("new", id: 502)))
        #expect(try test.messages().filter { $0.from == alice }.map(\.text) == ["new"])
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
    }

    /// Two numbers of one device: the other one is nobody's successor any more.
    @Test func itsOtherNumberForgetsIt() throws {
        let test = try gateway()
        try test.hear(.packet(.heard(.nodeInfo, Self.user(carol, 1).encoded(), from: carol, id: 700)))
        #expect(try test.node(carol)?.twin == alice)
        _ = try test.gateway.deleteNode(alice, in: test.source)
        #expect(try test.node(carol)?.twin == nil)
    }

    /// However much there is of it, nobody waits for all of it.
    @Test func aTransactionDeletesABatch() throws {
        let test = try gateway()
        let source = try test.source
        try test.store.commit { writer in
            for id in 1_000..<2_200 as Range<PacketID> {
                try writer.insertTelemetry(
                    Telemetry(kind: .device, values: [Telemetry.Value("voltage", Double(id))]), from: alice,
                    packet: .text("", id: id), in: source, at: noon + Int64(id))
                try writer.logPacket(.text("", id: id), direction: .rx, in: source, at: noon + Int64(id))
            }
        }
        let steps = try (0..<4).map { _ in
            try test.store.commit { try $0.deleteReports(of: alice, from: .telemetry, in: source, limit: 500).rows }
        }
        // 1,201 reports, and the rows of what was worked out from other packets.
        #expect(steps[0] == 500 && steps[1] == 500 && (201..<220).contains(steps[2]) && steps[3] == 0)
        let first = try test.store.commit {
            try $0.deleteLogged(.packets, with: alice, in: source, after: 0, batch: 1_000)
        }
        #expect(first.deleted <= 1_000 && first.last != nil)
        let deleted = try test.gateway.deleteNode(alice, in: source)
        #expect(deleted.messages == 2)
        #expect(try rows(alice, test) == [Int](repeating: 0, count: 9))
    }
}
