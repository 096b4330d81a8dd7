import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct TheHandshakeComesInTheFirmwaresOrder {
    /// One letter a frame: m my_info, u device UI, n node_info, d metadata, r region presets, c channel,
    /// s settings section, o module section, f file, ! completion.
    private func order(_ frames: [FromRadio]) -> String {
        String(
            frames.map { frame -> Character in
                switch frame {
                case .myInfo: "m"
                case .other(17): "u"
                case .nodeInfo: "n"
                case .metadata: "d"
                case .other(19): "r"
                case .channel: "c"
                case .config: "s"
                case .moduleConfig: "o"
                case .other(15): "f"
                case .configComplete: "!"
                default: "?"
                }
            })
    }

    private static let settings28 =
        "mundr" + String(repeating: "c", count: 8) + "ssssssssss"
        + String(repeating: "o", count: 17)
    private static let settings27 =
        "mund" + String(repeating: "c", count: 8) + "ssssssssss"
        + String(repeating: "o", count: 16)

    @Test(arguments: [
        // firmware, nonce, frames
        (SimulatorOptions.Firmware.v2_8, UInt32(69420), settings28 + "fffff!"),
        (.v2_8, 69421, "nnnnn!"),
        (.v2_8, 12345, settings28 + "nnnnfffff!"),
        (.v2_7, 69420, settings27 + "fffff!"),
        (.v2_7, 69421, "nnnnn!"),
        (.v2_7, 12345, settings27 + "nnnnfffff!"),
    ])
    func order(_ firmware: SimulatorOptions.Firmware, _ nonce: UInt32, _ expected: String) throws {
        try withRadio {
            $0.firmware = firmware
            $0.nodes = 4
        } _: { _, host in
            #expect(order(host.handshake(nonce)) == expected)
        }
    }

    @Test func identityAndSettingsAreThere() throws {
        try withRadio { radio, host in
            let frames = host.handshake()
            guard case .myInfo(let info) = frames.first else {
                Issue.record("no my_info")
                return
            }
            #expect(info.number == radio.number)
            #expect(info.deviceID == radio.deviceID)
            #expect(info.deviceID.count == 16)
            #expect(info.nodeDBCount == 25)
            #expect(
                frames.contains {
                    if case .metadata(let m) = $0 { m.firmwareVersion.hasPrefix("2.8.0.") } else { false }
                })
            #expect(
                frames.contains {
                    $0 == .config(.lora(LoRaSettings(region: 3, hopLimit: 3)))
                })
            let tags = frames.compactMap { if case .config(let section) = $0 { section.tag } else { nil } }
            #expect(tags == Array(1...10))
            let modules = frames.compactMap { if case .moduleConfig(let section) = $0 { section.tag } else { nil } }
            #expect(modules == [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 16, 17], "8 has no variant")
            let channels = frames.compactMap { if case .channel(let channel) = $0 { channel } else { nil } }
            #expect(channels.prefix(3) == SimulatorOptions.defaultChannels[...])
            #expect(channels.map(\.index) == Array(0..<8))
        }
    }

    /// Secrets are in the raw frames, so that a test can look for them where they must not be.
    @Test func thePrivateKeyIsInTheSecurityFrame() throws {
        try withRadio { radio, host in
            host.handshake()
            let frame = try #require(
                zip(host.frames, host.rawFrames).first {
                    if case .config(.security) = $0.0 { true } else { false }
                })
            #expect(frame.1.contains(radio.privateKey))
            #expect(!Redaction.fromRadioFrame(frame.1).contains(radio.privateKey))
            for password in SimulatedRadio.passwords {
                let frame = try #require(host.rawFrames.first { $0.contains(Array(password.utf8)) })
                #expect(!Redaction.fromRadioFrame(frame).contains(Array(password.utf8)))
            }
            #expect(
                frame.0
                    == .config(
                        .security(
                            SecuritySettings(
                                publicKey: radio.publicKey, isManaged: false, serialEnabled: true,
                                debugLogAPIEnabled: false))))
        }
    }

    @Test func aNewRequestRestartsIt() throws {
        try withRadio({ $0.nodes = 2000 }) { _, host in
            host.send(.wantConfig(11))
            host.send(.wantConfig(22))
            #expect(host.wait { $0 == .configComplete(22) ? true : nil } == true)
            #expect(!host.frames.contains(.configComplete(11)))
        }
    }
}
