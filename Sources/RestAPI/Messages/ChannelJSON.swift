import JSON
import MeshModel
import Nettle
import Routes

extension JSONWriter {
    /// One row of `channels` (Contract 3.4).
    ///
    /// - Parameters:
    ///   - lora: Gives a nameless primary channel its name: that of the modem preset, which is how every radio shows
    ///     it. The contract's `Primary` stands in as long as no radio has told its settings.
    ///   - caller: sees the key only with configuration:write. The contract shows it to everybody who may write to
    ///     the channel, which would give it to every chat program.
    mutating func channel(
        _ channel: Channel, lora: LoRaSettings?, for caller: Caller, suffix: (inout JSONWriter) -> Void = { _ in }
    ) {
        let role = channel.shownRole
        let name =
            if !channel.name.trimmed.isEmpty { channel.name } else {
                channel.index == 0 ? lora?.defaultChannelName ?? "" : channel.shownName(lora)
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
            suffix(&json)
        }
    }
}

extension Channel {
    fileprivate var encryptionStatus: String {
        if psk.isEmpty { return "none" }
        // The key byte 1 stands for the key that everybody knows.
        return psk == [1] ? "default" : "secure"
    }
}
