import MeshModel
import MeshProtocol
import Testing

@Suite struct SecretsAreCutOut {
    /// raw; redacted
    static let frames: [(String, String)] = [
        // config { security { public_key, private_key, admin_key, serial_enabled, unknown 99 } }
        (
            "2a 16 42 14 0a 02 aa bb 12 04 de ad be ef 1a 02 cc dd 28 01 98 06 07 98 06",
            ""
        ),
        (
            "2a 15 42 13 0a 02 aa bb 12 04 de ad be ef 1a 02 cc dd 28 01 98 06 07",
            "2a 0f 42 0d 0a 02 aa bb 1a 02 cc dd 28 01 98 06 07"
        ),
        // twice, out of order, with overlong spellings of key and length
        ("2a 0e 42 0c 28 01 92 00 02 de ad 12 82 00 be ef", "2a 04 42 02 28 01"),
        // config { network { wifi_ssid, wifi_psk } }, with FromRadio.id and an unknown field around it
        ("08 07 2a 08 22 06 1a 01 61 22 01 62 a2 06 01 78", "08 07 2a 05 22 03 1a 01 61 a2 06 01 78"),
        // config { bluetooth { mode, fixed_pin 123456 } }, deviceuiConfig { version, pin_code 1234, theme }
        ("2a 08 3a 06 10 01 18 c0 c4 07", "2a 04 3a 02 10 01"),
        ("8a 01 07 08 01 30 d2 09 38 01", "8a 01 04 08 01 38 01"),
        // moduleConfig { mqtt { username, password, tls } }
        ("4a 0a 0a 08 1a 01 61 22 01 62 38 01", "4a 07 0a 05 1a 01 61 38 01"),
        // packet { decoded { portnum ADMIN, payload: get_config_response { security { private_key } } } }
        ("12 10 22 0e 08 06 12 08 32 06 42 04 12 02 de ad 40 01", "12 0c 22 0a 08 06 12 04 32 02 42 00 40 01"),
        // the same with the port number behind the payload
        ("12 0e 22 0c 12 08 32 06 42 04 12 02 de ad 08 06", "12 0a 22 08 12 04 32 02 42 00 08 06"),
        // the same bytes as the text of a message stay
        ("12 0e 22 0c 08 01 12 08 32 06 42 04 12 02 de ad", "12 0e 22 0c 08 01 12 08 32 06 42 04 12 02 de ad"),
        // nothing to hide
        ("40 01", "40 01"), ("", ""), ("0a 00", "0a 00"),
    ]

    @Test(arguments: frames) func frame(_ raw: String, _ redacted: String) {
        #expect(Redaction.fromRadioFrame(bytes(raw)) == bytes(redacted))
    }

    /// raw; redacted
    static let adminPayloads: [(String, String)] = [
        ("32 06 42 04 12 02 de ad", "32 02 42 00"),  // get_config_response
        ("92 02 06 42 04 12 02 de ad", "92 02 02 42 00"),  // set_config
        ("32 05 22 03 22 01 62", "32 02 22 00"),  // WiFi password
        ("42 05 0a 03 22 01 62", "42 02 0a 00"),  // get_module_config_response: MQTT password
        ("9a 02 05 0a 03 22 01 62", "9a 02 02 0a 00"),  // set_module_config
        ("18 01 aa 06 02 de ad", "18 01"),  // session_passkey
        ("8a 01 08 1a 06 08 c0 c4 07 18 01", "8a 01 04 1a 02 18 01"),  // connection status: Bluetooth's PIN
        ("c2 06 06 0a 02 de ad 20 01", "c2 06 02 20 01"),  // lockdown_auth.passphrase
        ("dd 02 31 45 01 6b", "dd 02 31 45 01 6b"),
        ("32 06 42 04 12 02 de", ""),  // cut short: no message, so nobody knows
        ("0b 0c", ""),  // groups are in no message of ours
    ]

    @Test(arguments: adminPayloads) func adminPayload(_ raw: String, _ redacted: String) {
        #expect(Redaction.adminPayload(bytes(raw)) == bytes(redacted))
    }

    /// raw; as whoever administers the node that sent it needs it
    static let administered: [(String, String)] = [
        // packet { decoded { portnum ADMIN, payload: get_owner_response { long_name }, session_passkey } }
        (
            "12 12 22 10 08 06 12 0c 22 03 12 01 48 aa 06 04 d1 d2 d3 d4 40 01",
            "12 12 22 10 08 06 12 0c 22 03 12 01 48 aa 06 04 d1 d2 d3 d4 40 01"
        ),
        // get_config_response { security { public_key, private_key } }, session_passkey
        (
            "12 15 22 13 08 06 12 0f 32 08 42 06 0a 01 aa 12 01 bb aa 06 02 d1 d2",
            "12 12 22 10 08 06 12 0c 32 05 42 03 0a 01 aa aa 06 02 d1 d2"
        ),
        // get_channel_response { index, settings { psk } }
        (
            "12 10 22 0e 08 06 12 0a 12 08 08 01 12 04 12 02 ab cd",
            "12 10 22 0e 08 06 12 0a 12 08 08 01 12 04 12 02 ab cd"
        ),
        // cut short
        ("12 12 22 10 08 06 12 0c 22 03 12 01 48 aa 06 04 d1 d2 d3", ""),
    ]

    @Test(arguments: administered) func ofAnotherNode(_ raw: String, _ redacted: String) {
        #expect(Redaction.fromAdministeredNode(bytes(raw)) == bytes(redacted))
        #expect(Redaction.fromAdministeredNode(bytes(redacted)) == bytes(redacted))
        #expect(!Redaction.fromRadioFrame(bytes(raw)).contains([0xd1, 0xd2]))
    }

    /// The radio's private key is in every recorded handshake, and in nothing that comes out.
    @Test(arguments: Recording.all) func recordings(_ recording: Recording) throws {
        let frames = try recording.listen().frames
        var keys: [[UInt8]] = []
        for frame in frames {
            let redacted = Redaction.fromRadioFrame(frame)
            #expect(fromRadio(redacted) == fromRadio(frame))
            guard let key = privateKey(frame), !key.isEmpty else {
                if !secrets.contains(where: { redacted.count < frame.count && frame.contains($0) }) {
                    #expect(redacted == frame || isAdmin(frame))
                }
                continue
            }
            #expect(key.count == 32)
            keys.append(key)
            #expect(redacted.count == frame.count - 34)
            #expect(privateKey(redacted) == [])
        }
        #expect(!keys.isEmpty)
        for frame in frames {
            for key in Set(keys) { #expect(!Redaction.fromRadioFrame(frame).contains(key)) }
        }
    }

    /// What protobuf-c still reads of a damaged frame, we still find the key in.
    @Test func damagedSettings() throws {
        let frames = try Recording.all.prefix(3).flatMap { try $0.listen().frames }.filter {
            !(privateKey($0) ?? []).isEmpty
        }
        var random = Seeded(3)
        var readable = 0
        for _ in 0..<20_000 {
            let frame = DamagedFramesNeitherCrashNorLeak.mutate(frames.randomElement(using: &random)!, &random)
            let redacted = Redaction.fromRadioFrame(frame)
            guard let message = fromRadio(frame) else { continue }
            readable += 1
            #expect(fromRadio(redacted) == message)
            #expect((privateKey(redacted) ?? []) == [])
        }
        #expect(readable > 1000)
    }

    /// The broker's password, and the PIN of Bluetooth.
    private let secrets = [Array("large4cats".utf8), [0x18, 0xC0, 0xC4, 0x07]]

    private func isAdmin(_ frame: [UInt8]) -> Bool {
        if case .packet(let packet) = fromRadio(frame) { packet.decoded?.port == .admin } else { false }
    }

    private func privateKey(_ frame: [UInt8]) -> [UInt8]? {
        guard case .config(.security) = fromRadio(frame) else { return nil }
        return withFromRadio(frame) { m in
            let key = m.config.pointee.security.pointee.private_key
            return Array(UnsafeBufferPointer(start: key.data, count: key.len))
        }
    }
}
