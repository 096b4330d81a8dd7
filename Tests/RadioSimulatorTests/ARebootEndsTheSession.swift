import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct ARebootEndsTheSession {
    @Test func firmware27SaysSoInAFrameAndInText() throws {
        try withRadio({ $0.firmware = .v2_7 }) { radio, host in
            host.handshake()
            radio.reboot()
            #expect(host.wait { $0 == .rebooted ? true : nil } == true)
            try withoutSession(radio, host)
            #expect(String(decoding: host.noise, as: UTF8.self).contains("//\\ E S H T /\\ S T / C"))
        }
    }

    @Test func firmware28ShowsTextOnly() throws {
        try withRadio { radio, host in
            host.handshake()
            radio.reboot()
            try withoutSession(radio, host)
            #expect(String(decoding: host.noise, as: UTF8.self).contains("ESP-ROM"))
            #expect(!host.frames.contains(.rebooted))
        }
    }

    @Test func aSilentOneLeavesNoTrace() throws {
        try withRadio { radio, host in
            host.handshake()
            radio.reboot(silently: true)
            try withoutSession(radio, host)
            #expect(host.noise.isEmpty)
        }
    }

    @Test(arguments: [Misbehaviour.reboots, .silentReboots])
    func theyComeByThemselves(_ misbehaviour: Misbehaviour) throws {
        try withRadio {
            $0.misbehaviour = misbehaviour
            $0.rebootInterval = 10
        } _: { radio, host in
            var counts: Set<UInt32> = []
            while counts.count < 3 {
                let mark = host.frames.count
                host.send(.wantConfig(9))
                // Nobody answers while the radio boots.
                let info = host.wait(0.1, since: mark) { if case .myInfo(let info) = $0 { info } else { nil } }
                if let info { counts.insert(info.rebootCount) }
            }
            #expect(host.noise.isEmpty == (misbehaviour == .silentReboots))
        }
    }

    @Test func aTCPClientIsCutOff() throws {
        try withRadio { radio, _ in
            let client = try Host(tcp: try radio.listen())
            client.handshake()
            radio.reboot()
            #expect(client.waitForEnd())
            #expect(client.noise.isEmpty)
        }
    }

    /// Heartbeats are answered, packets are withheld until the next want_config and then come (SerialReference 14.18).
    private func withoutSession(_ radio: SimulatedRadio, _ host: Host) throws {
        var mark = host.frames.count
        // The boot takes its time, and what the host says meanwhile is lost.
        var answer: Bool?
        for nonce in 2...200 as ClosedRange<UInt32> where answer == nil {
            host.send(.heartbeat(nonce: nonce))
            answer = host.wait(0.1, since: mark) { if case .queueStatus = $0 { true } else { nil } }
        }
        #expect(answer == true)
        mark = host.frames.count
        let id = radio.sendText(from: radio.nodes[0].number, "during the silence")
        host.send(.heartbeat(nonce: 300))
        #expect(host.wait(since: mark) { if case .queueStatus = $0 { true } else { nil } } == true)
        let isOurs = { (frame: FromRadio) in if case .packet(let packet) = frame { packet.id == id } else { false } }
        #expect(!host.frames.contains(where: isOurs))
        host.handshake(8)
        #expect(host.wait(since: mark) { isOurs($0) ? true : nil } == true)
    }
}
