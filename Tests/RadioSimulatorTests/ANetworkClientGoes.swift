import Glibc
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct ANetworkClientGoes {
    /// The official library's one-shots close some milliseconds after their only packet, and another one may be there at
    /// once.
    @Test func whatItWroteLastIsCarriedOut() throws {
        try withRadio { radio, _ in
            let port = try radio.listen()
            for id in 1...20 as ClosedRange<PacketID> {
                let client = try Host(tcp: port)
                client.send(.wantConfig(id))
                client.send(text("last word \(id)", to: .broadcast, id: id, from: radio))
                client.hangUp()
                let next = try Host(tcp: port)
                #expect(radio.waitForPacket(timeout: Host.patience) { $0.id == id } != nil)
                next.hangUp()
            }
        }
    }

    /// 2.7 hands every second packet to a client that is gone; 2.8 does not, and neither does after a good-bye.
    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8], [false, true])
    func halfOfThePacketsGoWithIt(_ firmware: SimulatorOptions.Firmware, _ saysGoodBye: Bool) throws {
        try withRadio({ $0.firmware = firmware }) { radio, cable in
            let client = try Host(tcp: try radio.listen())
            client.handshake()
            if saysGoodBye { client.send(.disconnect) }
            client.send(.heartbeat(nonce: 9))
            #expect(client.wait { if case .queueStatus = $0 { true } else { nil } } == true)
            shutdown(client.fd, Int32(SHUT_WR))
            #expect(client.waitForEnd())
            cable.handshake(8)
            let sender = radio.nodes[0].number
            let ids = (0..<10).map { radio.sendText(from: sender, "number \($0)") }
            // The last one is not for the dead.
            let last = cable.wait { if case .packet(let packet) = $0, packet.id == ids[9] { true } else { nil } }
            #expect(last == true)
            let heard = cable.meshPackets.filter { ids.contains($0.id) }
            #expect(heard.count == (firmware == .v2_7 && !saysGoodBye ? 5 : 10))
        }
    }
}
