import CMeshtastic
import MeshModel
import Testing

@testable import MeshProtocol

/// What the attached radio keeps to itself is a list of fields (``Redaction/secrets``). It stays in the radio wherever the
/// schema has such a field, and a new field that looks like a secret has to be judged before anything is green again.
@Suite struct EverySecretOfTheSchemaIsHidden {
    /// Fields that look like secrets and are none, or whose readers need them.
    private static let open: [String: Set<String>] = [
        // Keys that everybody may know, those of channels, which programs that share the radio need, and what is said of keys.
        "User": ["public_key"], "MeshPacket": ["public_key", "encrypted"], "ChannelSettings": ["psk"],
        "Config.SecurityConfig": ["public_key", "admin_key"], "NodeInfo": ["is_key_manually_verified"],
        "NodeFilter": ["public_key_switch"], "KeyVerification": ["hash1", "hash2"],
        "ClientNotification": [
            "key_verification_number_inform", "key_verification_number_request", "key_verification_final",
            "duplicated_public_key", "low_entropy_key",
        ],
        // What nodes say to each other.
        "Data": ["payload", "xeddsa_signature"], "Routing": ["ack_proof"], "StoreAndForward": ["text"],
        "RemoteShell": ["payload"],
        "StoreForwardPlusPlus": ["message_hash", "commit_hash", "root_hash", "message"], "Compressed": ["data"],
        "ChunkedPayload": ["payload_chunk"], "MqttClientProxyMessage": ["data"],
        // Files of the radio, which no client is told.
        "XModem": ["buffer"],
        // What a radio is, and how it is built.
        "MyNodeInfo": ["device_id"], "AdminMessage.OTAEvent": ["ota_hash"],
        "Config": ["sessionkey"], "DeviceUIConfig": ["calibration_data", "compass_mode"],
        "Config.DisplayConfig": ["compass_north_top", "compass_orientation"],
        // Pins of a processor.
        "NodeRemoteHardwarePin": ["pin"], "RemoteHardwarePin": ["gpio_pin"],
        "NodeRemoteHardwarePinsResponse": ["node_remote_hardware_pins"],
        "ModuleConfig.RemoteHardwareConfig": ["allow_undefined_pin_access", "available_pins"],
        "ModuleConfig.DetectionSensorConfig": ["monitor_pin"], "ModuleConfig.AudioConfig": ["ptt_pin"],
        "ModuleConfig.CannedMessageConfig": ["inputbroker_pin_a", "inputbroker_pin_b", "inputbroker_pin_press"],
    ]
    private static let openOfAdmin: Set<String> = [
        "get_node_remote_hardware_pins_request", "get_node_remote_hardware_pins_response", "key_verification",
    ]
    private static let openOfUser: Set<String> = ["macaddr"]

    private static func isOpen(_ message: String, _ field: String) -> Bool {
        switch message {
        case "AdminMessage" where openOfAdmin.contains(field): true
        case "User" where openOfUser.contains(field): true
        default: open[message]?.contains(field) == true
        }
    }

    @Test func whatLooksLikeOneIsJudged() throws {
        var found: Set<String> = []
        for fact in try Schema.inventory() where fact.hasPrefix("field\t") {
            let parts = fact.split(separator: "\t").map(String.init)
            let (message, field, type) = (parts[1], parts[3], parts[4])
            let isSecret = Redaction.secrets.contains { $0 == (message, field) }
            if isSecret { found.insert("\(message).\(field)") }
            let looksLikeOne = type == "bytes" || ["key", "pin", "psk", "pass"].contains { field.contains($0) }
            guard looksLikeOne else { continue }
            #expect(isSecret != Self.isOpen(message, field), "\(message).\(field)")
        }
        #expect(found.count == Redaction.secrets.count && found.count == 8)
    }

    // MARK: Wherever it stands

    private typealias Field = ProtobufCFieldDescriptor

    /// Paths of fields from a message to a secret.
    private static func paths(_ message: Schema.Message) -> [[Field]] {
        let name = Schema.name(message.name)
        return Schema.fields(message).flatMap { field -> [[Field]] in
            if let inner = Schema.message(of: field) { return paths(inner).map { [field] + $0 } }
            let isSecret = Redaction.secrets.contains { $0 == (name, String(cString: field.name)) }
            return isSecret ? [[field]] : []
        }
    }

    private static let text: [UInt8] = Array("c5-geheim".utf8)
    /// 0x0C5C5C5
    private static let number: [UInt8] = [0xC5, 0x8B, 0x97, 0x06]

    private static func message(_ path: [Field]) -> [UInt8] {
        var bytes: [UInt8] = []
        if let field = path.first, path.count > 1 {
            WireBytes.append(field.id, message(Array(path.dropFirst())), to: &bytes)
        } else if let field = path.first {
            if field.type == PROTOBUF_C_TYPE_UINT32 {
                WireBytes.append(field.id, varint: 0x0C5_C5C5, to: &bytes)
            } else {
                WireBytes.append(field.id, text, to: &bytes)
            }
        }
        return bytes
    }

    private func expectNone(_ bytes: [UInt8]?, of whole: [UInt8], _ what: String) {
        for secret in [Self.text, Self.number] {
            #expect(bytes?.contains(secret) != true, "\(what): \(whole)")
        }
    }

    private func isIn(_ bytes: [UInt8]) -> Bool { bytes.contains(Self.text) || bytes.contains(Self.number) }

    @Test func inHandshakes() {
        let paths = Self.paths(meshtastic__from_radio__descriptor)
        #expect(paths.count == 6)
        for path in paths {
            let frame = Self.message(path)
            #expect(isIn(frame) && fromRadio(frame) != nil)
            expectNone(Redaction.fromRadioFrame(frame), of: frame, "stored")
            expectNone(Redaction.toldFromRadio(frame), of: frame, "told")
            expectNone(Redaction.blankedFromRadio(frame), of: frame, "recorded")
            #expect(Redaction.blankedFromRadio(frame)?.count == frame.count)
            expectExplainedWithout(frame)
        }
    }

    /// Getters' answers, and what settings are written with.
    @Test func inAdministration() {
        let paths = Self.paths(meshtastic__admin_message__descriptor)
        #expect(paths.count == 15)
        for path in paths {
            let payload = Self.message(path)
            expectNone(Redaction.adminPayload(payload), of: payload, "shown")
            expectNone(Redaction.toldAdminPayload(payload), of: payload, "told")
            var (data, packet, frame, order): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
            WireBytes.append(1, varint: 6, to: &data)
            WireBytes.append(2, payload, to: &data)
            WireBytes.append(4, data, to: &packet)
            WireBytes.append(2, packet, to: &frame)
            WireBytes.append(1, packet, to: &order)
            #expect(isIn(frame) && isIn(order))
            expectNone(Redaction.fromRadioFrame(frame), of: frame, "stored")
            expectNone(Redaction.toldFromRadio(frame), of: frame, "told")
            expectNone(Redaction.blankedFromRadio(frame), of: frame, "recorded")
            expectNone(Redaction.blankedToRadio(order), of: order, "recorded")
            expectExplainedWithout(frame)
            // A far node tells its administrator what he may set: only what nobody may know is missing.
            let field = String(cString: path.last!.name)
            let isKept = !["private_key", "passphrase"].contains(field)
            #expect(isIn(Redaction.fromAdministeredNode(frame)) == isKept, "\(field)")
        }
    }

    private func expectExplainedWithout(_ frame: [UInt8]) {
        let annotation = Annotation(frame, as: .fromRadio)
        for field in annotation.fields {
            let isIn = isIn(Array(frame[field.offset..<field.offset + field.length]))
            #expect(!isIn || !annotation.hexadecimal(of: field).contains("c5"), "\(field)")
            #expect(!field.value.contains("geheim") && !field.value.contains("12961221"), "\(field)")
        }
    }

    // MARK: Written back

    /// Blank, as it was shown, or as 0: the radio's PIN stays; another one counts.
    @Test func aBlankPINIsNoChange() throws {
        let bluetooth = try #require(SettingsName("bluetooth"))
        for (name, field) in [(bluetooth, UInt8(0x18)), (.userInterface, 0x30)] {
            // A flag or a number, and the PIN.
            let real = try #require(SettingsSection(name, [8, 1, field, 0xC0, 0xC4, 7]))
            let shown = try #require(SettingsSection(name, Redaction.told(real)))
            #expect(shown.bytes == [8, 1])
            for blank in [[], [field, 0], [field, 0x80, 0]] as [[UInt8]] {
                let wanted = try #require(SettingsSection(name, [8, 2] + blank))
                #expect(real.changed(from: shown, to: wanted)?.bytes == [8, 2, field, 0xC0, 0xC4, 7])
            }
            let wanted = try #require(SettingsSection(name, [8, 1, field, 5]))
            #expect(real.changed(from: shown, to: wanted)?.bytes == [8, 1, field, 5])
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: part) } }
}
