import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// What nobody has set up yet: by itself, and after a factory reset.
@Suite struct ARadioIsAsFromTheShop {
    /// set_config: LoRa with this region, and nothing else.
    private func setRegion(_ region: UInt8, id: PacketID, of number: NodeNumber) -> ToRadio {
        order([0x92, 2, 4, 0x32, 2, 0x38, region], id: id, to: number)
    }

    private func order(_ payload: [UInt8], id: PacketID, to number: NodeNumber) -> ToRadio {
        .packet(
            MeshPacket(
                from: number, to: number, id: id,
                payload: .decoded(MeshData(port: .admin, payload: payload, wantResponse: true)), wantAck: true))
    }

    private func expectFresh(_ host: Host, _ number: NodeNumber, hasKey: Bool) {
        let mark = host.rawFrames.count
        let frames = host.handshake(69420)
        var channels: [Channel] = []
        for frame in frames {
            switch frame {
            case .nodeInfo(let info):
                let digits = String(number.id.suffix(4))
                #expect(info.number == number && info.user?.id == number.id)
                #expect(info.user?.longName == "Meshtastic \(digits)" && info.user?.shortName == digits)
                #expect((info.user?.publicKey != nil) == hasKey)
            case .channel(let channel): channels.append(channel)
            default: break
            }
        }
        #expect(channels.map(\.role) == [.primary] + [Channel.Role](repeating: .disabled, count: 7))
        #expect(channels.first?.psk == [1] && channels.first?.name == "")
        // FromRadio.config.lora.region.
        let regions = host.rawFrames[mark...].compactMap { frame -> Bool? in
            guard frame.starts(with: [0x2A]), frame.dropFirst(2).first == 0x32 else { return nil }
            return frame.contains(0x38)
        }
        #expect(regions == [false])
        // No network, and nobody's password for it.
        let password = Array(SimulatedRadio.passwords[0].utf8)
        #expect(!host.rawFrames[mark...].contains { $0.firstRange(of: password) != nil })
    }

    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func ofAnAttachedOne(_ firmware: SimulatorOptions.Firmware) throws {
        try withRadio {
            ($0.firmware, $0.isFresh, $0.nodes) = (firmware, true, 3)
        } _: { radio, host in
            expectFresh(host, radio.number, hasKey: false)
            #expect(radio.number != radio.publicKey.nodeNumber)
            // Without a region it does not send.
            host.send(text("nobody hears this", to: .broadcast, id: 5, from: radio))
            #expect(host.waitForStatus(5)?.result == 34)
        }
    }

    /// On 2.8 without a restart, and without a word about the new number (firmware issue 11718).
    @Test func theFirstRegionBringsTheKeysAndTheNumber() throws {
        try withRadio {
            ($0.isFresh, $0.nodes) = (true, 3)
        } _: { radio, host in
            host.handshake()
            let (old, new) = (radio.number, radio.publicKey.nodeNumber)
            host.send(setRegion(3, id: 5, of: old))
            #expect(host.waitForRouting(5, from: new) == 0)
            #expect(radio.number == new)
            // Who goes on under the old number administers a node that is not there.
            host.send(setRegion(3, id: 6, of: old))
            #expect(host.waitForRouting(6, from: new) == RoutingError.pkiSendFailPublicKey.rawValue)
            let frames = host.handshake(8)
            guard case .myInfo(let info) = frames.first else {
                Issue.record("no my_info")
                return
            }
            #expect(info.number == new && info.rebootCount == 1)
            let own = frames.compactMap { if case .nodeInfo(let own) = $0 { own } else { nil } }.first
            #expect(own?.user?.publicKey == radio.publicKey)
        }
    }

    @Test func on2_7TheNumberIsTheHardwares() throws {
        try withRadio {
            ($0.firmware, $0.isFresh, $0.nodes) = (.v2_7, true, 3)
        } _: { radio, host in
            host.handshake()
            let number = radio.number
            host.send(setRegion(3, id: 5, of: number))
            #expect(host.waitForRouting(5, from: number) == 0)
            let own = host.handshake(69420).compactMap { if case .nodeInfo(let own) = $0 { own } else { nil } }.first
            #expect(own?.number == number && own?.user?.publicKey == radio.publicKey)
        }
    }

    /// factory_reset_device takes the keys, factory_reset_config leaves them on 2.8.
    @Test(arguments: [([0xF0, 5, 1], false), ([0x98, 6, 1], true)] as [([UInt8], Bool)])
    func ofOneThatWasReset(_ reset: [UInt8], hasKey: Bool) throws {
        try withRadio({ $0.nodes = 3 }) { radio, host in
            host.handshake()
            host.send(order(reset, id: 5, to: radio.number))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
            // It restarts some seconds later.
            var count: UInt32 = 1
            while count == 1 {
                count =
                    host.handshakeOnceBooted()
                    .compactMap { if case .myInfo(let info) = $0 { info.rebootCount } else { nil } }.last ?? 0
            }
            expectFresh(host, radio.number, hasKey: hasKey)
        }
    }

    /// Whoever reads them from the simulated radio has read what a real one says.
    @Test func itsRegionPresetsAreARealOnes() throws {
        var cutter = FrameCutter()
        let recorded = try RecordedLine.lines("Recordings/01-handshake-serial.jsonl").filter { $0.dir == "rx" }
            .flatMap { cutter.feed($0.bytes) }
        let key: [UInt8] = [0x9A, 1]
        try withRadio { _, host in
            host.handshake()
            let told = host.rawFrames.first { $0.starts(with: key) }
            #expect(told != nil && told == recorded.first { $0.starts(with: key) })
        }
    }
}
