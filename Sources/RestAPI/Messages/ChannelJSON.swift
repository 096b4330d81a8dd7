import JSON
import MeshModel
import Nettle
import Routes

extension JSONWriter {
    /// One row of `channels` (contract 3.4).
    ///
    /// - Parameters:
    ///   - lora: Gives a nameless primary channel its name: that of the modem preset, which is how every radio shows
    ///     it. The contract's `Primary` stands in as long as no radio has told its settings.
    ///   - caller: sees the key only with configuration:write. The contract shows it to everybody who may write to
    ///     the channel, which would give it to every chat program.
    mutating func channel(_ channel: Channel, lora: LoRaSettings?, for caller: Caller) {
        let role = channel.shownRole
        let name =
            if !channel.name.trimmed.isEmpty { channel.name } else {
                switch role {
                case .primary: lora?.defaultChannelName ?? ""
                case .secondary: "Channel \(channel.index)"
                case .disabled: channel.name
                }
            }
        object { json in
            json.member("id", channel.index)
            json.member("name", name)
            json.member("displayName", channel.shownName(lora))
            json.member("role", role.rawValue)
            json.member("roleName", role.shownName)
            json.member("uplinkEnabled", channel.uplinkEnabled)
            json.member("downlinkEnabled", channel.downlinkEnabled)
            json.member("positionPrecision", channel.positionPrecision)
            json.null("scope")
            json.member("pskSet", !channel.psk.isEmpty)
            json.member("encryptionStatus", channel.encryptionStatus)
            if caller.may(.write, .configuration) {
                json.member("psk", channel.psk.isEmpty ? nil : Base64.encoded(channel.psk))
            }
        }
    }
}

extension Channel {
    /// What it is called by people: a nameless primary channel by the modem preset, as every radio shows it.
    func shownName(_ lora: LoRaSettings?) -> String {
        let stored = name.trimmed
        guard stored.isEmpty else { return stored }
        return switch shownRole {
        case .primary: lora?.defaultChannelName ?? "Primary"
        case .secondary: "Channel \(index)"
        case .disabled: stored
        }
    }

    var isInUse: Bool { shownRole != .disabled }

    /// Slot 0 is the primary channel and no other slot is; a slot with neither name nor key is not in use.
    var shownRole: Role {
        if index == 0 { return .primary }
        if role == .disabled || (name.trimmed.isEmpty && psk.isEmpty) { return .disabled }
        return .secondary
    }

    fileprivate var encryptionStatus: String {
        if psk.isEmpty { return "none" }
        // The key byte 1 stands for the key that everybody knows.
        return psk == [1] ? "default" : "secure"
    }
}

extension Channel.Role {
    var shownName: String {
        switch self {
        case .disabled: "Disabled"
        case .primary: "Primary"
        case .secondary: "Secondary"
        }
    }
}
