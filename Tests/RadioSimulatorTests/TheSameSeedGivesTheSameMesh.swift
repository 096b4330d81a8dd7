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

    /// The chatter too: order, senders, ids and payloads, but for the times in them.
    @Test func chatter() throws {
        var heard: [[MeshPacket]] = []
        for _ in 0..<2 {
            try withRadio {
                $0.chatter = 3000
                $0.firmware = .v2_7
                $0.hasClock = false
                $0.timeScale = 100
            } _: { _, host in
                host.handshake()
                let last = host.wait { _ in
                    host.meshPackets.count >= 40 ? true : nil
                }
                #expect(last == true)
                heard.append(host.meshPackets)
            }
        }
        // A run's first packets may have been lost before its handshake; ids say where the two meet.
        let ids = heard[0].map(\.id)
        let common = heard[1].filter { ids.contains($0.id) && $0.decoded?.port != .telemetry }
        #expect(common.count >= 5)
        for packet in common { #expect(heard[0].contains(packet)) }
    }
}
