import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct ChannelRowsShowNoKey {
    private func row(_ channel: Channel, _ lora: LoRaSettings? = LoRaSettings()) -> JSONText {
        JSONText { $0.channel(channel, lora: lora, for: Caller(token: 1, scopes: .standard)) }
    }

    @Test func allKeysInOrder() {
        let channel = Channel(
            index: 1, role: .secondary, name: "Hikers", psk: Array(repeating: 7, count: 16), uplinkEnabled: true)
        #expect(
            row(channel).text == #"{"id":1,"name":"Hikers","displayName":"Hikers","role":2,"roleName":"Secondary","#
                + #""uplinkEnabled":true,"downlinkEnabled":false,"positionPrecision":null,"scope":null,"pskSet":true,"#
                + #""encryptionStatus":"secure"}"#)
    }

    /// index, role, name, key bytes -> name, displayName, role
    @Test(arguments: [
        (0, Channel.Role.primary, "", 1, "LongFast", "LongFast", "1"),
        (0, .primary, "  ", 1, "LongFast", "LongFast", "1"),
        (0, .primary, "Mine ", 1, "Mine ", "Mine", "1"),
        (0, .disabled, "", 0, "LongFast", "LongFast", "1"),  // slot 0 is never disabled
        (3, .secondary, "", 16, "Channel 3", "Channel 3", "2"),
        (3, .primary, "x", 16, "x", "x", "2"),  // no other slot is primary
        (3, .secondary, "", 0, "Channel 3", "Channel 3", "0"),  // neither name nor key: not in use
        (1, .disabled, " ", 0, "Channel 1", "Channel 1", "0"),
        (7, .disabled, "", 0, "Channel 7", "Channel 7", "0"), (7, .disabled, "Old", 16, "Old", "Old", "0"),
    ])
    func names(
        _ index: Int, _ role: Channel.Role, _ stored: String, _ keyBytes: Int, _ name: String, _ displayName: String,
        _ shownRole: String
    ) {
        let row = row(Channel(index: index, role: role, name: stored, psk: Array(repeating: 1, count: keyBytes)))
        #expect(row.raw("name") == "\"\(name)\"")
        #expect(row.raw("displayName") == "\"\(displayName)\"")
        #expect(row.raw("role") == shownRole)
    }

    @Test func thePresetNamesANamelessPrimaryChannel() {
        let channel = Channel(index: 0, role: .primary, psk: [1])
        #expect(row(channel, LoRaSettings(modemPreset: ModemPreset(rawValue: 4))).raw("name") == "\"MediumFast\"")
        #expect(row(channel, LoRaSettings(usePreset: false)).raw("name") == "\"Custom\"")
        #expect(row(channel, nil).raw("name") == "\"\"")
        #expect(row(channel, nil).raw("displayName") == "\"Primary\"")
    }

    /// key -> pskSet, encryptionStatus
    @Test(
        arguments: [
            ([], "false", "none"), ([1], "true", "default"), ([2], "true", "secure"),
            ([UInt8](repeating: 1, count: 32), "true", "secure"),
        ] as [([UInt8], String, String)])
    func keys(_ psk: [UInt8], _ isSet: String, _ status: String) {
        let row = row(Channel(index: 0, role: .primary, psk: psk))
        #expect(row.raw("pskSet") == isSet)
        #expect(row.raw("encryptionStatus") == "\"\(status)\"")
        #expect(!row.keys.contains("psk"))
    }
}
