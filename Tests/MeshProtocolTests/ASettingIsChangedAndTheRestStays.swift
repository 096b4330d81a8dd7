import MeshProtocol
import Testing

/// A section is written as a whole: what is not changed has to go back to the radio as it came.
@Suite struct ASettingIsChangedAndTheRestStays {
    /// A FromRadio with the answer of an admin module: packet { decoded { ADMIN, payload } }.
    private func section(_ payload: String) throws -> SettingsSection {
        let payload = bytes(payload)
        let data = [0x08, 0x06, 0x12, UInt8(payload.count)] + payload
        let packet = [0x22, UInt8(data.count)] + data
        guard case .section(let section) = AdminAnswer(frame: [0x12, UInt8(packet.count)] + packet) else {
            throw Missing()
        }
        return section
    }

    private struct Missing: Error {}

    /// lora { use_preset, region 3, unknown 99: 7, ignore_incoming [1, 300] }
    private static let lora = "32 0f 32 0d 08 01 38 03 98 06 07 ba 06 03 01 ac 02"
    /// security { public_key aabb, private_key deadbeef, serial_enabled }
    private static let security = "32 0e 42 0c 0a 02 aa bb 12 04 de ad be ef 28 01"
    /// network { ipv4_config { ip 192.168.1.20, gateway 1.2.3.4 }, wifi_psk "pw" }
    private static let network = "32 12 22 10 42 0a 0d c0 a8 01 14 15 01 02 03 04 22 02 70 77"

    /// section; path; value; the payload of the order that follows
    static let changes: [(String, String, String, String)] = [
        (lora, "lora.hop_limit", "5", "92 02 11 32 0f 08 01 38 03 98 06 07 ba 06 03 01 ac 02 40 05"),
        (lora, "lora.region", "us", "92 02 0f 32 0d 08 01 98 06 07 ba 06 03 01 ac 02 38 01"),
        (lora, "LoRa.Region", "UNSET", "92 02 0f 32 0d 08 01 98 06 07 ba 06 03 01 ac 02 38 00"),
        (lora, "lora.use_preset", "no", "92 02 0f 32 0d 38 03 98 06 07 ba 06 03 01 ac 02 08 00"),
        (
            lora, "lora.tx_power", "-9",
            "92 02 1a 32 18 08 01 38 03 98 06 07 ba 06 03 01 ac 02 50 f7 ff ff ff ff ff ff ff ff 01"
        ),
        (lora, "lora.frequency_offset", "0.5", "92 02 14 32 12 08 01 38 03 98 06 07 ba 06 03 01 ac 02 35 00 00 00 3f"),
        (lora, "lora.ignore_incoming", "7,!0000012c", "92 02 10 32 0e 08 01 38 03 98 06 07 b8 06 07 b8 06 ac 02"),
        (lora, "lora.ignore_incoming", "", "92 02 09 32 07 08 01 38 03 98 06 07"),
        (
            security, "security.debug_log_api_enabled", "true",
            "92 02 10 42 0e 0a 02 aa bb 12 04 de ad be ef 28 01 30 01"
        ),
        (
            network, "network.ipv4_config.ip", "10.0.0.1",
            "92 02 12 22 10 22 02 70 77 42 0a 15 01 02 03 04 0d 0a 00 00 01"
        ),
        (
            network, "network.wifi_psk", "geheim",
            "92 02 16 22 14 42 0a 0d c0 a8 01 14 15 01 02 03 04 22 06 67 65 68 65 69 6d"
        ),
        // owner, mqtt of ModuleConfig
        ("22 05 12 01 41 1a 00", "owner.short_name", "B", "82 02 06 12 01 41 1a 01 42"),
        ("42 04 0a 02 08 01", "mqtt.enabled", "false", "9a 02 04 0a 02 08 00"),
    ]

    @Test(arguments: changes) func bytesThatGoOut(_ raw: String, _ path: String, _ value: String, _ order: String)
        throws
    {
        let section = try section(raw)
        let changed = try section.applying([(path, value)])
        #expect(AdminRequest.setSection(changed).encoded() == bytes(order))
        // And back.
        #expect(changed.settings.map(\.path) == section.settings.map(\.path))
    }

    @Test func whatIsReadIsNamed() throws {
        let lora = try section(Self.lora)
        #expect(lora["lora.region"] == .choice("EU_868"))
        #expect(lora["lora.hop_limit"] == .unsigned(0))
        #expect(lora["lora.ignore_incoming"] == .list([.unsigned(1), .unsigned(300)]))
        let network = try section(Self.network)
        #expect(network["network.ipv4_config.ip"] == .address("192.168.1.20"))
        #expect(network["network.wifi_psk"] == .secret(bytes: 2))
    }

    /// section; path; value; what is said
    static let refusals: [(String, String, String, SettingRefusal)] = [
        (lora, "lora.hoplimit", "5", .unknown("lora.hoplimit")), (lora, "lora", "5", .unknown("lora")),
        (lora, "mqtt.enabled", "true", .unknown("mqtt.enabled")),
        (lora, "lora.region.x", "1", .unknown("lora.region.x")),
        (lora, "lora.use_preset", "maybe", .badValue(path: "lora.use_preset", expected: "true or false")),
        (
            lora, "lora.hop_limit", "-1",
            .badValue(path: "lora.hop_limit", expected: "a whole number from 0 to 7")
        ),
        (lora, "lora.frequency_offset", "nan", .badValue(path: "lora.frequency_offset", expected: "a number")),
        (security, "security.private_key", "AAAA", .notHere("security.private_key")),
        (security, "security.admin_key", "AAAA", .badValue(path: "security.admin_key", expected: "32 bytes in base64")),
        (network, "network.ipv4_config", "1", .notHere("network.ipv4_config")),
        (
            network, "network.ipv4_config.ip", "1.2.3",
            .badValue(
                path: "network.ipv4_config.ip", expected: "an IPv4 address such as 192.168.1.20")
        ),
        (
            network, "network.wifi_ssid", String(repeating: "x", count: 33),
            .badValue(
                path: "network.wifi_ssid", expected: "at most 32 bytes")
        ),
        ("22 03 12 01 41", "owner.role", "ROUTER", .notHere("owner.role")),
        (
            "22 03 12 01 41", "owner.short_name", "\u{1B}[",
            .badValue(path: "owner.short_name", expected: "text on one line")
        ),
    ]

    @Test(arguments: refusals) func whatIsNoValue(
        _ raw: String, _ path: String, _ value: String, _ refusal: SettingRefusal
    ) throws {
        let section = try section(raw)
        #expect(throws: refusal) { try section.applying([(path, value)]) }
    }

    @Test func anEnumNamesItsValues() throws {
        let region = try #require(try section(Self.lora).settings.first { $0.path == "lora.region" })
        #expect(region.choices.prefix(4) == ["UNSET", "US", "EU_433", "EU_868"])
        #expect(throws: SettingRefusal.self) { try section(Self.lora).applying([("lora.region", "MARS")]) }
    }
}
