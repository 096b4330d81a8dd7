import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct EveryRoleOfTheCastEndsAsItsTableSays {
    /// What comes about a direct message: `self` the radio's own word (0 implicit acknowledgement), `node` the
    /// destination's.
    private struct Ending: Sendable {
        var index: Int
        var result: Int32 = 0
        var own: UInt32?
        var node: UInt32?
    }

    private static let endings = [
        Ending(index: 0, node: 0),
        Ending(index: 1, own: 0, node: 0),
        Ending(index: 2, own: 5),
        Ending(index: 3, own: 0, node: 35),
        Ending(index: 4, result: 39, own: 39),
        Ending(index: 5, result: 39, own: 39),
        Ending(index: 6, node: 0),
        Ending(index: 7, own: 0, node: 0),
        Ending(index: 8, own: 0),
        Ending(index: 9, result: 39, own: 39),
        Ending(index: 10, node: 0),
        Ending(index: 11, own: 0, node: 0),
    ]

    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func directMessages(_ firmware: SimulatorOptions.Firmware) throws {
        try withRadio {
            $0.firmware = firmware
            $0.limitsRates = false
        } _: { radio, host in
            host.handshake()
            let nodes = radio.nodes
            for ending in Self.endings {
                let id = PacketID(1000 + ending.index)
                host.send(text("hello", to: nodes[ending.index].number, id: id, from: radio))
                #expect(host.waitForStatus(id)?.result == ending.result, "node \(ending.index)")
            }
            for ending in Self.endings {
                let id = PacketID(1000 + ending.index)
                if let own = ending.own {
                    #expect(host.waitForRouting(id, from: radio.number) == own, "node \(ending.index)")
                }
                if let node = ending.node {
                    #expect(host.waitForRouting(id, from: nodes[ending.index].number) == node, "node \(ending.index)")
                }
            }
            host.settle(radio)
            for ending in Self.endings {
                let expected = (ending.own == nil ? 0 : 1) + (ending.node == nil ? 0 : 1)
                #expect(host.routing(PacketID(1000 + ending.index)).count == expected, "node \(ending.index)")
            }
        }
    }

    @Test func aBroadcastIsConfirmedByWhoeverRepeatsIt() throws {
        try withRadio { radio, host in
            host.handshake()
            host.send(text("to all", to: .broadcast, id: 5, from: radio, channel: 1))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
        }
    }

    @Test func withoutNeighboursABroadcastIsNotConfirmed() throws {
        try withRadio({ $0.nodes = 0 }) { radio, host in
            host.handshake()
            host.send(text("anybody?", to: .broadcast, id: 5, from: radio))
            #expect(host.waitForRouting(5, from: radio.number) == 5)
        }
    }

    @Test func refusalsBeforeSending() throws {
        try withRadio({ $0.limitsRates = false }) { radio, host in
            host.handshake()
            // A channel that is disabled, and a text one byte too long.
            host.send(text("hello", to: .broadcast, id: 6, from: radio, channel: 7))
            #expect(host.waitForStatus(6)?.result == 6)
            #expect(host.waitForRouting(6, from: radio.number) == 6)
            host.send(text(String(repeating: "x", count: 233), to: .broadcast, id: 7, from: radio))
            #expect(host.waitForRouting(7, from: radio.number) == 7)
            host.send(text(String(repeating: "x", count: 232), to: .broadcast, id: 8, from: radio))
            #expect(host.waitForRouting(8, from: radio.number) == 0)
            let peer = radio.nodes[0].number
            host.send(text(String(repeating: "x", count: 221), to: peer, id: 9, from: radio))
            #expect(host.waitForRouting(9, from: radio.number) == 7)
            host.send(text(String(repeating: "x", count: 220), to: peer, id: 10, from: radio))
            #expect(host.waitForRouting(10, from: peer) == 0)
        }
    }

    @Test func anUnsetRegionSilencesTheRadio() throws {
        try withRadio({ $0.region = 0 }) { radio, host in
            host.handshake()
            host.send(text("hello", to: .broadcast, id: 6, from: radio))
            #expect(host.waitForStatus(6)?.result == 34)
            #expect(host.waitForRouting(6, from: radio.number) == 5)
        }
    }
}
