import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct TheMeshChatters {
    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func everyPacketIsOneThatARadioWouldHandOn(_ firmware: SimulatorOptions.Firmware) throws {
        try withRadio {
            $0.firmware = firmware
            $0.chatter = 600
            $0.timeScale = 100
        } _: { radio, host in
            host.handshake()
            var missing: Set<PortNumber> = [
                .textMessage, .position, .nodeInfo, .telemetry, .neighborInfo, .waypoint, .nodeStatus, .storeForward,
            ]
            _ = host.waitForMeshPacket { packet in
                if let port = packet.decoded?.port { missing.remove(port) }
                return missing.isEmpty
            }
            #expect(missing.isEmpty)
            let nodes = radio.nodes
            for packet in host.meshPackets where packet.from != radio.number {
                let node = try #require(nodes.first { $0.number == packet.from })
                guard let data = packet.decoded else {
                    #expect(firmware == .v2_7, "2.8 keeps what it cannot read")
                    continue
                }
                let content = PacketContent(data)
                #expect(content != .undecodable && (content != .raw || data.port == .traceroute), "\(data.port)")
                #expect(packet.to == .broadcast || packet.to == radio.number)
                if packet.isReplay { continue }
                #expect(packet.hopsAway == node.hopsAway)
                #expect(packet.viaMQTT == node.viaMQTT)
                #expect(packet.rxRSSI != nil && packet.rxTime != nil)
                if data.port == .textMessage, packet.to == radio.number {
                    #expect(packet.pkiEncrypted && packet.publicKey == node.publicKey)
                }
                #expect(node.behaviour != .isOnlyRelayed && (node.behaviour != .isSilent || node.user == nil))
            }
        }
    }

    @Test func oneNodeAnnouncesAnotherKeyThanTheRadioKnows() throws {
        try withRadio {
            $0.chatter = 600
            $0.timeScale = 100
        } _: { radio, host in
            host.handshake()
            let changer = radio.nodes[11]
            let announced = host.wait { frame -> PublicKey? in
                guard case .packet(let packet) = frame, packet.from == changer.number, let data = packet.decoded,
                    case .nodeInfo(let user) = PacketContent(data)
                else { return nil }
                return user.publicKey
            }
            #expect(announced == changer.announcedKey)
            #expect(announced != changer.publicKey)
        }
    }

    @Test func injectedPacketsArriveAsTheyAre() throws {
        try withRadio { radio, host in
            host.handshake()
            let packet = MeshPacket(
                from: NodeNumber(0x1234_5678), to: .broadcast, channel: 3, id: 99,
                payload: .decoded(MeshData(port: .privateApp, payload: [0, 255], bitfield: 1)), rxTime: 12, rxSNR: -3.5,
                rxRSSI: -101, hopLimit: 2, hopStart: 7, viaMQTT: true, relayNode: 0x55, transport: .multicastUDP)
            radio.inject(packet)
            #expect(host.wait { $0 == .packet(packet) ? true : nil } == true)
        }
    }

    @Test func aTextToTheRadioComesUnderPKC() throws {
        try withRadio { radio, host in
            host.handshake()
            let (friend, old) = (radio.nodes[0], radio.nodes[4])
            let direct = radio.sendText(from: friend.number, "for you", to: radio.number)
            let legacy = radio.sendText(from: old.number, "from an old device", to: radio.number)
            let reaction = radio.sendText(from: friend.number, "👍", channel: 1, replyID: 5, isReaction: true)
            let stranger = radio.sendText(from: NodeNumber(0x0BAD_CAFE), "hello")
            #expect(
                host.wait { if case .packet(let packet) = $0, packet.id == stranger { true } else { nil } } == true)
            let packets = host.meshPackets
            let first = try #require(packets.first { $0.id == direct })
            #expect(first.pkiEncrypted && first.publicKey == friend.publicKey && first.channel == 0)
            #expect(packets.first { $0.id == legacy }?.pkiEncrypted == false)
            let data = try #require(packets.first { $0.id == reaction }?.decoded)
            #expect(data.emoji == 1 && data.replyID == 5)
        }
    }
}
