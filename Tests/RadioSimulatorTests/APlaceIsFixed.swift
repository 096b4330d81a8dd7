import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// set_fixed_position and remove_fixed_position (recordings 12-admin, 05-telemetry-position and 27-mixed-27).
@Suite struct APlaceIsFixed {
    private let place = Position(latitudeI: 481_371_000, longitudeI: 115_755_000, altitude: 519)

    private func order(_ field: [UInt8], _ content: [UInt8], id: PacketID, _ radio: SimulatedRadio) -> ToRadio {
        .packet(
            MeshPacket(
                from: radio.number, to: radio.number, id: id,
                payload: .decoded(MeshData(port: .admin, payload: field + content, wantResponse: true))))
    }

    private func fix(_ radio: SimulatedRadio, _ host: Host) {
        let content = place.encoded()
        host.send(order([0xCA, 0x02, UInt8(content.count)], content, id: 5, radio))
        #expect(host.waitForRouting(5, from: radio.number) == 0)
    }

    private func ownPosition(_ frames: [FromRadio]) -> Position? {
        for case .nodeInfo(let info) in frames { return info.position }
        return nil
    }

    /// Field 3 of Config.PositionConfig.
    private func isFixed(_ host: Host, since mark: Int) -> Bool {
        host.rawFrames[mark...].contains { frame in
            frame.starts(with: [0x2A]) && frame.dropFirst(2).first == 0x12 && frame.suffix(2) == [0x18, 1]
        }
    }

    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func itIsToldToAllAndShownInTheOwnNodeInfo(_ firmware: SimulatorOptions.Firmware) throws {
        try withRadio({ $0.firmware = firmware }) { radio, host in
            host.handshake()
            fix(radio, host)
            let own = host.waitForMeshPacket { $0.from == radio.number && $0.decoded?.port == .position }
            let packet = try #require(own)
            #expect(packet.to == .broadcast && packet.priority == 10 && packet.hopStart == 3)
            guard case .position(let told) = PacketContent(try #require(packet.decoded)) else {
                Issue.record("no position")
                return
            }
            // As precisely as the first channel shares it.
            #expect(told.precisionBits == 13 && told.latitudeI != place.latitudeI && told.hasFix)
            var mark = host.frames.count
            let shown = try #require(ownPosition(host.handshake(8)))
            #expect(shown.latitudeI == place.latitudeI && shown.longitudeI == place.longitudeI && shown.time == nil)
            #expect(isFixed(host, since: mark))

            host.send(order([0xD0, 0x02], [1], id: 6, radio))
            #expect(host.waitForRouting(6, from: radio.number) == 0)
            mark = host.frames.count
            #expect(ownPosition(host.handshake(9))?.hasFix == false)
            #expect(!isFixed(host, since: mark))
        }
    }

    @Test func nothingIsToldOnChannelsThatShareNoPlace() throws {
        try withRadio({ $0.channels = [Channel(index: 0, role: .primary, psk: [1], positionPrecision: 0)] }) {
            radio, host in
            host.handshake()
            fix(radio, host)
            host.settle(radio)
            #expect(!host.meshPackets.contains { $0.from == radio.number })
        }
    }

    /// After a factory reset nobody has said what to share yet: 2.8 shares nothing, 2.7 some kilometres.
    @Test(arguments: [SimulatorOptions.Firmware.v2_7: UInt32(13), .v2_8: 0])
    func aFreshChannel(_ firmware: SimulatorOptions.Firmware, _ precision: UInt32) throws {
        try withRadio({ $0.firmware = firmware }) { radio, host in
            host.handshake()
            radio.misbehave(.factoryReset)
            let channels = host.handshakeOnceBooted()
                .compactMap { if case .channel(let one) = $0 { one } else { nil } }
            #expect(channels.first?.positionPrecision ?? 0 == precision)
        }
    }
}
