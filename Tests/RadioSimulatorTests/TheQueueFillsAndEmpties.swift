import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// The transmit queue has sixteen places, and empties at the pace of the modem preset (recording
/// 10-rate-limit-queue-full).
@Suite struct TheQueueFillsAndEmpties {
    private func packet(_ id: PacketID, from radio: SimulatedRadio) -> ToRadio {
        .packet(
            MeshPacket(
                from: radio.number, to: .broadcast, id: id,
                payload: .decoded(MeshData(port: .privateApp, payload: [UInt8](repeating: 0x23, count: 200))),
                hopLimit: 3))
    }

    private func setPreset(_ preset: UInt8, _ radio: SimulatedRadio, _ host: Host) {
        // set_config, lora: use_preset, modem_preset, region EU_868, tx_enabled.
        let order: [UInt8] = [0x92, 0x02, 10, 0x32, 8, 0x08, 1, 0x10, preset, 0x38, 3, 0x48, 1]
        host.send(
            .packet(
                MeshPacket(
                    from: radio.number, to: radio.number, id: 5,
                    payload: .decoded(MeshData(port: .admin, payload: order, wantResponse: true)))))
        #expect(host.waitForRouting(5, from: radio.number) == 0)
    }

    @Test func aFullQueueRefusesAndThenSaysThatThereIsRoom() throws {
        try withRadio({ $0.timeScale = 1 }) { radio, host in
            host.handshake()
            for id in 100..<116 as Range<PacketID> {
                host.send(packet(id, from: radio))
                let status = try #require(host.waitForStatus(id))
                #expect(status.result == 0 && status.free == 115 - id && status.capacity == 16)
            }
            host.send(packet(116, from: radio))
            let refused = try #require(host.waitForStatus(116))
            #expect(refused.result == 32 && refused.free == 0)
            // Nobody asked for this one.
            let room = host.waitForStatus(0)
            #expect(room?.result == 0 && room?.free == 1)
            host.send(packet(117, from: radio))
            #expect(host.waitForStatus(117)?.free == 0)
        }
    }

    /// The same sixteen packets: on ShortTurbo nearly all are gone when LongSlow has not sent two.
    @Test func aFastPresetIsFast() throws {
        var left: [UInt32] = []
        for preset: UInt8 in [8, 1] {
            try withRadio({ $0.timeScale = 1 }) { radio, host in
                host.handshake()
                setPreset(preset, radio, host)
                for id in 100..<108 as Range<PacketID> {
                    host.send(packet(id, from: radio))
                    #expect(host.waitForStatus(id)?.result == 0)
                }
                guard preset == 8 else {
                    host.send(.heartbeat(nonce: 9))
                    return left.append(try #require(host.waitForStatus(0)).free)
                }
                var status: QueueStatus?
                while status?.free != 16 {
                    let mark = host.frames.count
                    host.send(.heartbeat(nonce: 9))
                    status = try #require(
                        host.wait(since: mark) { if case .queueStatus(let status) = $0 { status } else { nil } })
                }
                left.append(16)
            }
        }
        #expect(left == [16, 8])
    }
}
