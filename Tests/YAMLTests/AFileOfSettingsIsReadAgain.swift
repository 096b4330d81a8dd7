import MeshModel
import MeshProtocol
import Testing
import YAML

/// What is written for a radio's sections says the same when it is read.
@Suite struct AFileOfSettingsIsReadAgain {
    /// A FromRadio with the answer of an admin module: packet { decoded { ADMIN, payload } }.
    private func section(_ payload: [UInt8]) throws -> SettingsSection {
        let data = [0x08, 0x06, 0x12, UInt8(payload.count)] + payload
        let packet = [0x22, UInt8(data.count)] + data
        guard case .section(let section) = AdminAnswer(frame: [0x12, UInt8(packet.count)] + packet) else {
            throw Missing()
        }
        return section
    }

    private struct Missing: Error {}

    private func config(_ tag: UInt8, _ content: [UInt8]) throws -> SettingsSection {
        try section([0x32, UInt8(content.count + 2), tag << 3 | 2, UInt8(content.count)] + content)
    }

    /// - Parameter key: of the field, in one or two bytes.
    private func module(_ key: [UInt8], _ content: [UInt8]) throws -> SettingsSection {
        try section([0x42, UInt8(content.count + key.count + 1)] + key + [UInt8(content.count)] + content)
    }

    private func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private func sections() throws -> [SettingsSection] {
        let key = [UInt8](repeating: 0xAB, count: 32)
        return [
            try section([0x22, 12, 0x12, 5] + Array("Hütt".utf8) + [0x1A, 1, 0x41, 0x30, 1]),
            // role ROUTER, is_managed
            try config(1, [0x08, 2, 0x48, 1]),
            // position_broadcast_smart_enabled stays off; fixed_position
            try config(2, [0x08, 60, 0x18, 1]),
            // powermon_enables 5
            try config(3, [0x80, 0x02, 5]),
            // wifi_ssid, wifi_psk, ipv4_config { ip }
            try config(4, [0x1A] + text("on: [1]") + [0x22] + text("geheim\"\\#") + [0x42, 5, 0x0D, 192, 168, 1, 20]),
            // use_12h_clock
            try config(5, [0x60, 1]),
            // region EU_868, tx_power -9, sx126x_rx_boosted_gain, ignore_incoming 1 and 300, override_frequency 868.5
            try config(
                6,
                [0x38, 3, 0x50] + [0xF7] + [UInt8](repeating: 0xFF, count: 8) + [0x01, 0x68, 1]
                    + [0xBA, 6, 3, 1, 0xAC, 2] + [0x75, 0x00, 0x20, 0x59, 0x44]),
            try config(7, [0x08, 1, 0x18, 0xC0, 0xC4, 0x07]),
            // public_key, private_key, admin_key twice, is_managed
            try config(8, [0x0A, 32] + key + [0x12, 32] + key + [0x1A, 32] + key + [0x20, 1]),
            // address, password, map_report_settings { publish_interval_secs }
            try module([0x0A], [0x12] + text("broker") + [0x22] + text("sekrit") + [0x5A, 2, 0x08, 60]),
            // available_pins { gpio_pin 4 }
            try module([0x4A], [0x08, 1, 0x1A, 2, 0x08, 4]),
            // statusmessage { node_status }
            try module([0x72], [0x0A] + text("away")),
        ]
    }

    private func read(_ text: String) throws -> ReadSettingsFile {
        let values = try YAML.values(of: Array(text.utf8)).map { value in
            SettingsFileValue(path: value.words, text: value.text, line: value.line)
        }
        return try ReadSettingsFile(values)
    }

    @Test func asItIsWritten() throws {
        let file = SettingsFile(
            sections: try sections(), texts: [.cannedMessages: "Ja|Nein: \"#\"", .ringtone: ""],
            place: FixedPlace(latitude: 47.2692, longitude: -0.0000001, altitude: 574))
        let (text, left) = file.text(withSecrets: false)
        #expect(
            text == """
                # Settings of a Meshtastic radio, by mesh-gateway radio config export
                owner: "Hütt"
                owner_short: "A"
                canned_messages: "Ja|Nein: \\"#\\""
                location:
                  lat: 47.2692000
                  lon: -0.0000001
                  alt: 574
                config:
                  device:
                    role: ROUTER
                  position:
                    positionBroadcastSecs: 60
                    positionBroadcastSmartEnabled: false
                    fixedPosition: true
                  power:
                    powermonEnables: '5'
                  network:
                    wifiSsid: "on: [1]"
                    ipv4Config:
                      ip: 335653056
                  display:
                    use_12h_clock: true
                  lora:
                    usePreset: false
                    region: EU_868
                    txEnabled: false
                    txPower: -9
                    sx126xRxBoostedGain: true
                    overrideFrequency: 868.5
                    ignoreIncoming:
                    - '1'
                    - '300'
                  bluetooth:
                    enabled: true
                  security:
                    adminKey:
                    - base64:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=
                    serialEnabled: false
                module_config:
                  mqtt:
                    address: "broker"
                    encryptionEnabled: false
                    mapReportSettings:
                      publishIntervalSecs: 60
                  remoteHardware:
                    enabled: true

                """)
        #expect(left == ["owner.is_licensed", "remote_hardware.available_pins", "statusmessage"])
        let again = try read(text)
        #expect(again.notes.isEmpty, "\(again.notes)")
        #expect(again.texts == [.cannedMessages: "Ja|Nein: \"#\""] && again.place == file.place)
        // The radio's own sections do not change by it.
        for section in try sections() {
            let own = again.changes.filter { $0.path.hasPrefix("\(section.name).") }
            #expect(try section.applying(own).settings == section.settings, "\(section.name)")
        }
    }

    @Test func secretsOnlyWhenTheyAreAskedFor() throws {
        let file = SettingsFile(sections: try sections())
        let secrets = file.text(withSecrets: true).text
        #expect(secrets.contains("wifiPsk: \"geheim\\\"\\\\#\"") && secrets.contains("fixedPin: 123456"))
        // The radio's key pair is nobody's business, and a hidden password is none.
        #expect(!secrets.contains("rivateKey") && !secrets.contains("ublicKey") && !secrets.contains("sekrit"))
        #expect(!secrets.contains("anaged"))
        let again = try read(secrets)
        #expect(again.changes.contains { $0 == ("network.wifi_psk", "geheim\"\\#") })
    }

    /// a file; the changes that it makes; a word of what is said about the rest
    static let others: [(String, [String], String)] = [
        ("ownerShort: ' AB '\nowner: null", ["owner.short_name=AB"], ""),
        ("moduleConfig: {rangeTest: {enabled: true}}", ["range_test.enabled=true"], ""),
        (
            "module_config: {range_test: {is_server: x, enabled: off}}", ["range_test.enabled=off"],
            "range_test.is_server"
        ),
        ("config: {security: {privateKey: base64:AAAA}}", [], "key pair"),
        ("config: {security: {isManaged: true}}", [], "security.is_managed"),
        ("config: {security: {isManaged: false}}", [], ""),
        ("module_config: {mqtt: {password: sekrit, root: a}}", ["mqtt.root=a"], "mqtt.password"),
        ("config: {network: {ipv4Config: {ip: 335653056}}}", ["network.ipv4_config.ip=192.168.1.20"], ""),
        ("config: {network: {ipv4_config: {ip: 1.2.3.4}}}", ["network.ipv4_config.ip=1.2.3.4"], ""),
        ("config: {lora: {ignoreIncoming: [1, '300']}}", ["lora.ignore_incoming=1,300"], ""),
        ("config: {lora: {ignoreIncoming: []}}", ["lora.ignore_incoming="], ""),
        ("config: {lora: {hopLimit: ~, nonsense: 4}, version: 24, lara: {a: 1}}", [], "lora.nonsense"),
        (
            "module_config:\n  statusmessage: {nodeStatus: away}\n  remoteHardware:\n    availablePins:\n"
                + "    - {gpioPin: 4, name: Door, type: DIGITAL_READ}",
            [
                "statusmessage.node_status=away", "remote_hardware.available_pins[0].gpio_pin=4",
                "remote_hardware.available_pins[0].name=Door", "remote_hardware.available_pins[0].type=DIGITAL_READ",
            ], ""
        ),
        ("location: {lat: 1, lon: 2}", [], "fixedPosition"),
        ("owner: Hut\nsomething: else", ["owner.long_name=Hut"], "something"),
    ]

    @Test(arguments: others) func asOthersWriteThem(_ text: String, _ changes: [String], _ note: String) throws {
        let file = try read(text)
        #expect(file.changes.map { "\($0.path)=\($0.text)" } == changes)
        #expect(
            file.notes.isEmpty == note.isEmpty && (note.isEmpty || file.notes.joined().contains(note)), "\(file.notes)")
    }

    /// a file; the line and a word of what is wrong
    static let mistakes: [(String, Int?, String)] = [
        ("a: 1", nil, "no settings"), ("", nil, "no settings"),
        ("config:\n  lora:\n    region: MARS", 3, "EU_868"),
        ("config:\n  lora:\n    hopLimit: three", 3, "a whole number"),
        ("config:\n  network:\n    ipv4Config: {ip: 1.2.3}", 3, "IPv4"),
        ("config:\n  security:\n    adminKey: [base64:AAAA]", 3, "32 bytes"),
        ("owner_short: TOOLONG", 1, "at most 4 bytes"),
        ("owner: a\nchannel_url: https://example.org", 2, "channel_url"),
        ("owner: a\ncanned_messages: \"\(String(repeating: "x", count: 201))\"", 2, "at most 200 bytes"),
        ("config: {position: {fixedPosition: true}}\nlocation:\n  lat: 91\n  lon: 0", 3, "location"),
        ("location: {lat: north}", 1, "a number"),
        ("config: {position: {fixedPosition: true}}\nlocation: {lat: 1, lon: 1, alt: 1e300}", 2, "location"),
    ]

    @Test(arguments: mistakes) func aMistakeHasALine(_ text: String, _ line: Int?, _ reason: String) {
        do {
            _ = try read(text)
            Issue.record("\(text) was read")
        } catch let error as SettingsFileError {
            #expect(error.line == line && error.reason.contains(reason), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }
}
