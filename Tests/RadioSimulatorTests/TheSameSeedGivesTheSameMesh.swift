import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct TheSameSeedGivesTheSameMesh {
    private func radio(_ seed: UInt64, _ firmware: SimulatorOptions.Firmware = .v2_8) throws -> SimulatedRadio {
        var options = SimulatorOptions()
        options.seed = seed
        options.firmware = firmware
        options.nodes = 60
        return try SimulatedRadio(options)
    }

    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func population(_ firmware: SimulatorOptions.Firmware) throws {
        let (one, two, other) = (try radio(5, firmware), try radio(5, firmware), try radio(6, firmware))
        #expect(one.nodes == two.nodes)
        #expect(one.number == two.number)
        #expect(one.privateKey == two.privateKey)
        #expect(one.nodes != other.nodes)
        #expect(one.number != other.number)
    }

    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func nodesAreDistinctAndFitTheWire(_ firmware: SimulatorOptions.Firmware) throws {
        let nodes = try radio(5, firmware).nodes
        #expect(Set(nodes.map(\.number)).count == 60)
        #expect(Set(nodes.compactMap(\.publicKey)).count == nodes.count - 3)
        for node in nodes {
            #expect(node.longName.utf8.count <= (firmware == .v2_8 ? 24 : 39))
            #expect(node.shortName.utf8.count <= 4)
            #expect(node.hopsAway <= 7)
        }
        #expect(nodes[9].user == nil)
        #expect(nodes[4].publicKey == nil)
        #expect(nodes[5].user?.isLicensed == true)
        #expect(nodes[10].isStoreForwardServer)
        #expect(nodes[11].announcedKey != nil && nodes[11].announcedKey != nodes[11].publicKey)
    }

    /// The chatter too: order, senders, ids and payloads. Telemetry holds uptimes, and is left out.
    @Test func chatter() throws {
        var heard: [[MeshPacket]] = []
        for _ in 0..<2 {
            var options = SimulatorOptions()
            options.chatter = 60
            options.firmware = .v2_7
            options.hasClock = false
            options.timeScale = 100
            let radio = try SimulatedRadio(options)
            // The request waits on the line when the radio starts, so that both runs are heard from the first packet.
            let host = Host(try radio.connect())
            host.send(.wantConfig(7))
            radio.start()
            defer { radio.stop() }
            #expect(host.wait { _ in host.meshPackets.count >= 40 ? true : nil } == true)
            heard.append(host.meshPackets.filter { $0.decoded?.port != .telemetry })
        }
        // A stalled machine may lose some in one run.
        let common = heard[1].filter(heard[0].contains)
        #expect(common.count >= 5)
        #expect(heard[0].filter(common.contains) == common, "in the same order")
        let ids = Set(heard[0].map(\.id))
        #expect(heard[1].filter { ids.contains($0.id) } == common, "the same id is the same packet")
    }
}
