import MeshModel
import MeshProtocol
import Testing

/// What a client of the radio wrote goes to the radio as it is, but for what the gateway sets in it on purpose.
@Suite struct AClientsPacketKeepsItsBytes {
    /// packet { from 0x11223344, to ffffffff, channel 2, decoded { TEXT, "hi", want_response, reply_id 7, unknown 99 },
    /// id 9, hop_limit 10, want_ack, unknown 99 }
    static let text = """
        0d 44 33 22 11  15 ff ff ff ff  18 02  22 10 08 01 12 02 68 69 18 01 3d 07 00 00 00 98 06 05
        35 09 00 00 00  48 0a  50 01  98 06 07
        """

    @Test func whatPolicyNeedsIsRead() throws {
        let packet = try #require(ClientPacket(bytes(Self.text)))
        #expect(packet.from == NodeNumber(0x1122_3344) && packet.to == .broadcast && packet.id == 9)
        #expect(packet.channel == 2 && packet.hopLimit == 10 && packet.wantsAck && !packet.isPKIEncrypted)
        let content = try #require(packet.content)
        #expect(content.port == .textMessage && content.payload == Array("hi".utf8))
        #expect(content.wantsResponse && content.replyID == 7 && content.requestID == 0 && !content.isTapback)
    }

    @Test func itIsOneFieldOfAToRadioFrame() throws {
        let packet = try #require(ClientPacket(bytes(Self.text)))
        #expect(packet.toRadio == [0x0a, UInt8(bytes(Self.text).count)] + bytes(Self.text))
        #expect(ClientPacket(inToRadio: packet.toRadio)?.toRadio == packet.toRadio)
        // heartbeat {}
        #expect(ClientPacket(inToRadio: [0x3a, 0]) == nil)
    }

    @Test func senderIDAndHopsAreSet() throws {
        let packet = try #require(ClientPacket(bytes(Self.text)))
        let edited = packet.sent(from: NodeNumber(0x0a0b_0c0d), id: 0x0102_0304).limitingHops()
        let expected = """
            0d 0d 0c 0b 0a  15 ff ff ff ff  18 02  22 10 08 01 12 02 68 69 18 01 3d 07 00 00 00 98 06 05
            35 04 03 02 01  48 07  50 01  98 06 07
            """
        #expect(edited.toRadio.dropFirst(2) == bytes(expected)[...])
        #expect(edited.from == NodeNumber(0x0a0b_0c0d) && edited.id == 0x0102_0304 && edited.hopLimit == 7)
        // What is missing, as apps leave it to the radio, comes behind the rest.
        let bare = try #require(ClientPacket(bytes("15 ff ff ff ff 22 02 08 01")))
        #expect(
            bare.sent(from: NodeNumber(1), id: 2).limitingHops().toRadio
                == bytes("0a 13 15 ff ff ff ff 22 02 08 01 0d 01 00 00 00 35 02 00 00 00"))
    }

    /// rx_time, rx_snr, rx_rssi -1, delayed, via_mqtt, hop_start, next_hop, relay_node, tx_after, transport_mechanism,
    /// xeddsa_signed around priority, public_key, pki_encrypted and want_ack, which a client may set.
    @Test func whatOnlyARadioSaysIsRemoved() throws {
        let raw = """
            3d 01 00 00 00  45 00 00 80 3f  50 01  58 46  60 ff ff ff ff ff ff ff ff ff 01  68 01  70 01  78 03
            82 01 02 aa bb  88 01 01  90 01 05  98 01 06  a0 01 07  a8 01 05  b0 01 01
            """
        let packet = try #require(ClientPacket(bytes(raw)))
        #expect(packet.withoutReception.toRadio.dropFirst(2) == bytes("50 01  58 46  82 01 02 aa bb  88 01 01")[...])
    }

    /// What others see of it: as received now, and not when it is about administration.
    @Test func anEchoSaysWhenItCame() throws {
        let packet = try #require(ClientPacket(bytes("15 ff ff ff ff 3d 01 00 00 00 22 02 08 01")))
        #expect(packet.echo(rxTime: 0x0506_0708) == bytes("12 0e 15 ff ff ff ff 3d 08 07 06 05 22 02 08 01"))
        #expect(try #require(ClientPacket(bytes("15 01 00 00 00 22 02 08 06"))).echo(rxTime: 1) == nil)
        #expect(try #require(ClientPacket(bytes("15 01 00 00 00 2a 01 06"))).echo(rxTime: 1) == nil)
    }

    /// packet { to 1, decoded { ADMIN, payload { set_channel { index 1, settings { psk 32 bytes }, unknown } , passkey } } }
    @Test func anAdminPayloadIsKeptAndShownNowhere() throws {
        let key = [UInt8](repeating: 0xd7, count: 32)
        let channel = [0x08, 0x01, 0x12, 0x22, 0x12, 0x20] + key + [0x98, 0x06, 0x07]
        let payload = [0x8a, 0x02, UInt8(channel.count)] + channel + [0xaa, 0x06, 0x02, 0xbe, 0xef]
        let data = [0x08, 0x06, 0x12, UInt8(payload.count)] + payload
        let raw = [0x15, 1, 0, 0, 0, 0x22, UInt8(data.count)] + data
        let packet = try #require(ClientPacket(raw))
        #expect(packet.content?.payload == payload)
        #expect(packet.sent(from: NodeNumber(3), id: 4).toRadio[2...].starts(with: raw))
        #expect(packet.shown?.decoded?.payload == [] && packet.shown?.decoded?.port == .admin)
        var text = "\(packet) \(packet.content!)"
        dump(packet, to: &text)
        dump(packet.content!, to: &text)
        debugPrint(packet, packet.content!, to: &text)
        #expect(!text.contains("215") && !text.lowercased().contains("d7") && !text.contains("190"))
    }

    /// The radio reads the last of two fields, or both as one: what is asked here would not be what it does.
    static let garbage: [String] = [
        "0d 01 00 00",  // cut short
        "0d 01 00 00 00 0d 02 00 00 00",  // from twice
        "22 02 08 01 22 02 08 06",  // decoded twice
        "22 02 08 01 2a 01 00",  // decoded and encrypted
        "22 04 08 01 08 06",  // the port twice
        "22 06 08 86 80 80 80 10",  // port 6 + 2^32
        "22 08 08 01 12 01 61 12 01 62",  // the payload twice
        "08 01",  // from as a varint
        "20 01",  // decoded as a varint
        "22 03 0a 01 06",  // the port as bytes
        "0b 0c",  // a group
        "48 ff ff ff ff ff ff ff ff ff 01",  // hop_limit -1
        "ff ff ff ff ff ff ff ff ff ff ff",
    ]

    @Test(arguments: garbage) func isRefused(_ raw: String) {
        #expect(ClientPacket(bytes(raw)) == nil)
    }

    @Test func noDamageBreaksAnEdit() throws {
        var generator = Seeded(29)
        let good = bytes(Self.text)
        var accepted = 0
        for _ in 0..<20_000 {
            var raw = good
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                raw[Int.random(in: raw.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let packet = ClientPacket(raw) else { continue }
            accepted += 1
            let edited = packet.sent(from: NodeNumber(7), id: 9).limitingHops().withoutReception
            #expect(edited.from == NodeNumber(7) && edited.id == 9 && edited.hopLimit <= 7 && edited.to == packet.to)
            // The C library reads what the policy has read.
            guard let shown = edited.shown else { continue }
            #expect(shown.from == edited.from && shown.id == 9 && shown.decoded?.port == edited.content?.port)
        }
        #expect(accepted > 1000)
    }

    @Test func aLongOneIsRefused() {
        // An unknown field that would make it too long for a frame.
        #expect(ClientPacket(bytes("9a 06 c8 03") + [UInt8](repeating: 0, count: 456)) != nil)
        #expect(ClientPacket(bytes("9a 06 de 03") + [UInt8](repeating: 0, count: 478)) == nil)
    }
}
