import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct AHiddenChannelIsOnlyHandedOn {
    @Test func whatTheMeshSaysThereCanBeReadWithItsKey() throws {
        try withRadio {
            $0.firmware = .v2_7
            $0.hiddenChannel = .climbers
            $0.chatter = 120
            $0.timeScale = 100
        } _: { radio, host in
            host.handshake()
            let channel = SimulatorOptions.HiddenChannel.climbers
            let cipher = try #require(ChannelCipher(name: channel.name, psk: channel.psk))
            func isHidden(_ packet: MeshPacket) -> Bool { if case .encrypted = packet.payload { true } else { false } }
            let chattered = host.waitForMeshPacket(where: isHidden)
            #expect(cipher.decrypt(try #require(chattered))?.port == .textMessage)

            let id = radio.sendHiddenText(from: radio.nodes[0].number, "psst")
            let said = try #require(host.waitForMeshPacket { $0.id == id })
            #expect(said.channel == UInt32(cipher.hash) && said.from == radio.nodes[0].number && said.rxRSSI != nil)
            #expect(cipher.decrypt(said)?.payload == Array("psst".utf8))
        }
    }

    @Test func firmware28KeepsItToItself() throws {
        try withRadio {
            $0.firmware = .v2_8
            $0.hiddenChannel = .climbers
        } _: { radio, host in
            host.handshake()
            radio.sendHiddenText(from: radio.nodes[0].number, "psst")
            let next = radio.sendText(from: radio.nodes[0].number, "hello")
            #expect(host.waitForMeshPacket { $0.id == next } != nil)
            #expect(host.meshPackets.allSatisfy { $0.decoded != nil })
        }
    }
}
