import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Faults that begin while the radio runs, and end again.
@Suite struct ARadioMisbehavesFromATimeOn {
    @Test func everySecondFrameComesTwice() throws {
        try withRadio { radio, host in
            let once = host.handshake(69420).count
            radio.misbehave(.duplicateFrames)
            let twice = host.handshake(69420).count
            #expect(twice >= once + once / 2 - 1)
        }
    }

    @Test func everySecondHandshakeBreaksOff() throws {
        try withRadio({ $0.handshakeCut = 12 }) { radio, host in
            radio.misbehave(.cutHandshakes)
            host.send(.wantConfig(70))
            // Its heartbeats are answered all the same.
            host.send(.heartbeat(nonce: 2))
            #expect(host.wait { if case .queueStatus = $0 { true } else { nil } } == true)
            #expect(host.wait(0.3) { $0 == .configComplete(70) ? true : nil } == nil)
            #expect(host.frames.count == 12 + 1)
            host.handshake(71)
        }
    }

    @Test func packetsAreWithheldUntilItIsOver() throws {
        try withRadio { radio, host in
            host.handshake()
            host.settle(radio)
            radio.misbehave(.withheldPackets)
            let mark = host.frames.count
            let id = radio.sendText(from: radio.nodes[0].number, "withheld")
            host.handshake(8)
            host.send(.heartbeat(nonce: 2))
            #expect(host.wait(since: mark) { if case .queueStatus = $0 { true } else { nil } } == true)
            #expect(!host.frames[mark...].contains { if case .packet = $0 { true } else { false } })
            radio.misbehave([])
            host.send(.heartbeat(nonce: 3))
            #expect(
                host.wait(since: mark) { if case .packet(let packet) = $0, packet.id == id { true } else { nil } }
                    == true)
        }
    }

    @Test func silenceIsTotal() throws {
        try withRadio { radio, host in
            host.handshake()
            host.settle(radio)
            radio.misbehave(.silence)
            let mark = host.frames.count
            radio.reboot()
            host.send(.heartbeat(nonce: 2))
            host.send(.wantConfig(8))
            #expect(host.wait(0.3, since: mark) { _ in true } == nil)
            #expect(host.noise.isEmpty)
            radio.misbehave([])
            host.handshake(9)
        }
    }

    @Test func aDisabledSerialAPIOnlyLogs() throws {
        try withRadio({ $0.misbehaviour = .serialDisabled }) { radio, host in
            host.send(.wantConfig(8))
            #expect(host.wait(1) { _ in true } == nil)
            #expect(String(decoding: host.noise, as: UTF8.self).contains("[Power]"))
            radio.misbehave([])
            host.handshake(9)
        }
    }

    @Test func aLockedRadioShowsNothingOfItself() throws {
        try withRadio { radio, host in
            host.handshake()
            host.settle(radio)
            var mark = host.frames.count
            radio.misbehave(.locked)
            #expect(host.wait(since: mark) { $0.lockState } == 2)
            mark = host.frames.count
            host.handshake(8)
            #expect(host.wait(since: mark) { $0.lockState } == 2)
            #expect(host.frames[mark...].contains(.metadata(DeviceMetadata(firmwareVersion: ""))))
            #expect(!host.frames[mark...].contains { if case .nodeInfo = $0 { true } else { false } })
            #expect(
                !host.frames[mark...].contains { if case .channel(let it) = $0 { it.role == .primary } else { false } })
            mark = host.frames.count
            radio.misbehave([])
            #expect(host.wait(since: mark) { $0.lockState } == 3)
            #expect(host.handshake(9).contains { if case .nodeInfo = $0 { true } else { false } })
        }
    }

    /// What is queued before the handshake comes after it, the newest first.
    @Test func statusesComeInReverse() throws {
        try withRadio {
            $0.limitsRates = false
            $0.misbehaviour = .reorderedStatuses
        } _: { radio, host in
            for id in 1...2 as ClosedRange<PacketID> { host.send(text("x", to: .broadcast, id: id, from: radio)) }
            host.handshake()
            #expect(host.waitForStatus(1)?.result == 0)
            let order = host.frames.compactMap { frame -> PacketID? in
                if case .queueStatus(let status) = frame, status.packetID != 0 { status.packetID } else { nil }
            }
            #expect(order == [2, 1])
        }
    }

    @Test func withoutARegionNothingIsSentOrHeard() throws {
        try withRadio { radio, host in
            radio.misbehave(.regionUnset)
            let info = waitForMyInfo(host)
            #expect(info?.number == radio.number)
            let id = radio.sendText(from: radio.nodes[0].number, "nobody hears this")
            host.send(text("nor this", to: .broadcast, id: 5, from: radio))
            #expect(host.waitForStatus(5)?.result == 34)
            #expect(!host.meshPackets.contains { $0.id == id })
        }
    }

    @Test(arguments: [Misbehaviour.factoryReset, .numberChange])
    func theDeviceIsTheSameUnderAnotherNumber(_ fault: Misbehaviour) throws {
        try withRadio { radio, host in
            let before = try #require(waitForMyInfo(host))
            let keys = [radio.publicKey.bytes, radio.privateKey]
            radio.misbehave(fault)
            let after = try #require(waitForMyInfo(host))
            #expect(after.deviceID == before.deviceID)
            #expect(after.number != before.number)
            #expect(after.number == radio.number)
            #expect(after.rebootCount == before.rebootCount + 1)
            #expect(after.nodeDBCount == (fault == .factoryReset ? 1 : before.nodeDBCount))
            #expect(radio.publicKey.bytes != keys[0] && radio.privateKey != keys[1])
        }
    }

    private func waitForMyInfo(_ host: Host) -> MyNodeInfo? {
        host.handshakeOnceBooted().compactMap { if case .myInfo(let info) = $0 { info } else { nil } }.last
    }
}

extension FromRadio {
    fileprivate var lockState: UInt32? {
        if case .lockdownStatus(let status) = self { status.state } else { nil }
    }
}
