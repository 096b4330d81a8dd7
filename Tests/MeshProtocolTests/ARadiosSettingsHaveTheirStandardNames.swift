import Foundation
import MeshModel
import MeshProtocol
import Testing

/// What a real radio answered to all getters, held against what an independent decoder made of the same packets.
@Suite struct ARadiosSettingsHaveTheirStandardNames {
    private struct Answered {
        var answer: AdminAnswer
        var oracle: [String: Any]
    }

    private func answers() throws -> [Answered] {
        let recording = try #require(Recording.all.first { $0.name == "12-admin" })
        let packets = try #require(try recording.oracle()["packets_received"] as? [[String: Any]])
        return try recording.listen().frames.compactMap { frame in
            guard case .packet(let packet) = fromRadio(frame), packet.decoded?.port == .admin,
                let answer = AdminAnswer(frame: frame),
                let known = packets.first(where: { $0["id"] as? UInt32 == packet.id }),
                let oracle = known["decoded"] as? [String: Any]
            else { return nil }
            return Answered(answer: answer, oracle: oracle)
        }
    }

    @Test func eachSectionIsWhatTheOracleRead() throws {
        var seen: Set<String> = []
        for answered in try answers() {
            guard case .section(let section) = answered.answer else { continue }
            let name = "\(section.name)"
            // In no list of settings: what it holds is the screen's business.
            guard name != "user interface" else { continue }
            let oracle: [String: Any]
            if name == "owner" {
                oracle = try #require(answered.oracle["get_owner_response"] as? [String: Any])
            } else {
                let kind = answered.oracle["get_config_response"] ?? answered.oracle["get_module_config_response"]
                oracle = try #require((kind as? [String: Any])?[name] as? [String: Any])
            }
            seen.insert(name)
            let values = Dictionary(uniqueKeysWithValues: section.settings.map { ($0.path, $0.value) })
            for (field, wanted) in oracle {
                let value = try #require(values["\(name).\(field)"], "\(name).\(field)")
                #expect(agrees(value, wanted), "\(name).\(field): \(value) is not \(wanted)")
            }
            // What the oracle does not mention was not sent: its type's zero.
            for (path, value) in values where oracle[String(path.dropFirst(name.count + 1))] == nil {
                #expect(isZero(value) || path.split(separator: ".").count > 2, "\(path): \(value)")
            }
        }
        let sections = Set(SettingsName.all.map(\.description))
        #expect(seen.isSuperset(of: sections.subtracting(["tak"])))
    }

    @Test func thePrivateKeyIsOnlyALength() throws {
        let sections = try answers().compactMap { if case .section(let section) = $0.answer { section } else { nil } }
        let security = try #require(sections.first { "\($0.name)" == "security" })
        #expect(security["security.private_key"] == .secret(bytes: 32))
        // The bytes of a key would show as a list of numbers.
        for text in ["\(security)", String(reflecting: security), "\(AdminAnswer.section(security))"] {
            #expect(!text.contains("["), "\(text)")
        }
    }

    @Test func channelsAndMetadataAreRead() throws {
        var channels: [Channel] = []
        var firmware: Set<String> = []
        for answered in try answers() {
            if case .channel(let channel) = answered.answer { channels.append(channel.channel) }
            if case .metadata(let metadata) = answered.answer { firmware.insert(metadata.firmwareVersion) }
        }
        #expect(Set(channels.map(\.index)) == Set(0..<8))
        #expect(channels.contains { $0.index == 2 && $0.name == "Fernseh" && $0.psk == [1] && $0.role == .secondary })
        #expect(firmware == ["2.8.0.7754068"])
    }

    private func agrees(_ value: SettingValue, _ wanted: Any) -> Bool {
        switch value {
        case .flag(let flag): wanted as? Bool == flag
        case .integer(let number): (wanted as? NSNumber)?.int64Value == number
        case .unsigned(let number): (wanted as? NSNumber)?.uint64Value ?? UInt64(wanted as? String ?? "") == number
        case .number(let number): (wanted as? NSNumber)?.doubleValue == number
        case .text(let text), .choice(let text), .address(let text): wanted as? String == text
        case .bytes(let bytes): wanted as? String == Data(bytes).base64EncodedString()
        // The oracle shows its length, or nothing of it.
        case .secret(let bytes): bytes > 0
        case .list(let values): (wanted as? [Any])?.count == values.count
        }
    }

    private func isZero(_ value: SettingValue) -> Bool {
        switch value {
        case .flag(let flag): !flag
        case .integer(let number): number == 0
        case .unsigned(let number): number == 0
        case .number(let number): number == 0
        case .text(let text): text.isEmpty
        case .choice: true
        case .address(let text): text == "0.0.0.0"
        case .bytes(let bytes): bytes.isEmpty
        case .secret(let bytes): bytes == 0
        case .list(let values): values.isEmpty
        }
    }
}
