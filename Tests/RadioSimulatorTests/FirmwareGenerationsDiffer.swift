import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct FirmwareGenerationsDiffer {
    private func nodeInfos(_ frames: [FromRadio]) -> [NodeInfo] {
        frames.compactMap { if case .nodeInfo(let info) = $0 { info } else { nil } }
    }

    @Test func nodeInfosOf27ArePackedWithPositionAndMetrics() throws {
        try withRadio({ $0.firmware = .v2_7 }) { radio, host in
            let infos = nodeInfos(host.handshake())
            #expect(infos.count == 25)
            #expect(infos.filter { $0.position?.hasFix == true && $0.deviceMetrics != nil }.count > 15)
            host.settle(radio)
            #expect(host.meshPackets.isEmpty, "2.7 replays nothing")
            #expect(infos.first?.user?.macAddress.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } == radio.number.rawValue)
        }
    }

    /// 2.8.1 proves acknowledgements, names the originals of repeated texts, and says whom it has heard with its settings.
    @Test func of281MoreIsKnown() throws {
        for firmware in [SimulatorOptions.Firmware.v2_8, .v2_8_1] {
            let isNew = firmware == .v2_8_1
            try withRadio({ $0.firmware = firmware }) { radio, host in
                let infos = nodeInfos(host.handshake())
                #expect(infos.contains(where: \.heardOnCurrentLoRa) == isNew)
                let hiker = radio.nodes[0].number
                radio.repeatText("missed", from: hiker, original: 77)
                host.settle(radio)
                let repeated = try #require(host.meshPackets.last { $0.decoded?.port == .storeForward })
                #expect(repeated.from == hiker && (repeated.id == 77) == !isNew)
                #expect(
                    PacketContent(try #require(repeated.decoded))
                        == .storeForward(.text("missed", broadcast: true, original: isNew ? 77 : nil)))
            }
        }
    }

    @Test func nodeInfosOf28AreThinAndTheRestIsReplayed() throws {
        try withRadio { radio, host in
            let infos = nodeInfos(host.handshake())
            #expect(infos.dropFirst().allSatisfy { $0.position == nil && $0.deviceMetrics == nil })
            host.settle(radio)
            let replayed = host.meshPackets
            let known = radio.nodes
            #expect(
                replayed.count == known.filter { $0.position != nil }.count + known.filter { $0.metrics != nil }.count)
            #expect(replayed.allSatisfy { $0.isReplay })

            host.handshake(69421)
            host.settle(radio)
            let again = host.meshPackets.dropFirst(replayed.count)
            #expect(again.map(\.id) == replayed.map(\.id), "the ids are the same every time")
        }
    }

    /// An old reading comes again under the time when its node was last heard with anything, and so under a new id; a
    /// position keeps the time that it brought (recording 28-tcp-reconnect-replayed-telemetry).
    @Test func whoSaysSomethingMakesItsOldReadingLookNew() throws {
        try withRadio { radio, host in
            host.handshake()
            host.settle(radio)
            let node = radio.nodes[0].number
            let before = host.meshPackets.filter { $0.from == node }
            radio.sendText(from: node, "still here")
            host.handshake(8)
            host.settle(radio)
            let after = host.meshPackets.filter { $0.from == node && $0.isReplay }.suffix(before.count)
            #expect(before.map { $0.decoded?.port } == [.position, .telemetry])
            for (old, new) in zip(before, after) {
                let isPosition = old.decoded?.port == .position
                #expect(old.decoded?.port == new.decoded?.port && (old.id == new.id) == isPosition)
                #expect((old.rxTime == new.rxTime) == isPosition && new.rxTime != nil)
                guard case .telemetry(let was) = PacketContent(try #require(old.decoded)),
                    case .telemetry(let now) = PacketContent(try #require(new.decoded))
                else { continue }
                #expect(was.values == now.values && now.time == new.rxTime)
            }
        }
    }

    @Test func settingsAloneAreNotFollowedByAReplay() throws {
        try withRadio { radio, host in
            host.handshake(69420)
            host.settle(radio)
            #expect(host.meshPackets.isEmpty)
        }
    }

    /// Firmware 2.8 makes node numbers from the key, CRC-32 as zlib computes it.
    @Test func numbersOf28FollowTheKey() throws {
        try withRadio { radio, _ in
            var crc: UInt32 = 0xFFFF_FFFF
            for byte in radio.publicKey.bytes {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
            #expect(radio.number.rawValue == ~crc)
        }
    }
}

extension [UInt8] {
    func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, count >= part.count else { return false }
        return (0...(count - part.count)).contains { self[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
