import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Own metrics every minute, statistics every quarter of an hour (recordings 06-traceroute and 27-chat-a).
@Suite struct TheRadioSpeaksByItself {
    private func kind(_ packet: MeshPacket) -> Telemetry.Kind? {
        guard let data = packet.decoded, case .telemetry(let telemetry) = PacketContent(data) else { return nil }
        return telemetry.kind
    }

    @Test func itsReadingsComeWithoutAnyMesh() throws {
        try withRadio {
            $0.nodes = 0
            $0.tellsOwnTelemetry = true
            $0.timeScale = 600
        } _: { radio, host in
            host.handshake()
            var told: [Telemetry.Kind] = []
            // Two rounds of fifteen minutes, and the minutes between.
            _ = host.waitForMeshPacket { packet in
                if let kind = kind(packet) { told.append(kind) }
                return told.count { $0 == .localStats } == 2
            }
            #expect(told.prefix(2) == [.device, .localStats])
            #expect(told.count { $0 == .device } == 16 && told.last == .localStats)
            let packets = host.meshPackets.filter { kind($0) != nil }
            #expect(packets.allSatisfy { $0.from == radio.number && $0.to == .broadcast && $0.priority == 10 })
            #expect(Set(packets.map(\.id)).count == packets.count)
        }
    }

    @Test func aSilentOneSaysNothing() throws {
        try withRadio({ $0.timeScale = 600 }) { radio, host in
            host.handshake()
            // Five minutes of its time.
            _ = host.wait(0.5) { if case .rebooted = $0 { true } else { nil } }
            host.settle(radio)
            #expect(host.meshPackets.allSatisfy { $0.isReplay })
        }
    }
}
