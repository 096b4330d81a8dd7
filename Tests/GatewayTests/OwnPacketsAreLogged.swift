import MeshModel
import Store
import Testing

@Suite struct OwnPacketsAreLogged {
    @Test func aTextIsLoggedWhenTheRadioHasIt() throws {
        let test = try TestGateway()
        let message = try test.sendAndHand("out", to: .node(bob))
        try test.hear([])
        let source = try test.source
        let rows = try test.store.read { try $0.packets(PacketQuery(in: source)) }
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(row.direction == .tx)
        #expect(row.at == noon)
        #expect(row.packet.id == message.packetID)
        #expect(row.packet.from == own)
        #expect(row.packet.to == bob)
        #expect(row.packet.decoded?.payload == Array("out".utf8))
        #expect(row.packet.hopStart == row.packet.hopLimit && row.packet.hopStart > 0)
    }

    /// The radio transmits a packet once, however often it is given.
    @Test func aPacketThatIsGivenOnceMoreIsOneRow() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let message = try test.sendAndHand("out")
        try test.hear([])
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug()
        try test.waitUntilLive(count: 2)
        #expect(test.radio.wait(for: 2).map(\.id) == [message.packetID, message.packetID])
        try test.hear([])
        #expect(try test.packets(from: own).map(\.id) == [message.packetID])
    }
}
