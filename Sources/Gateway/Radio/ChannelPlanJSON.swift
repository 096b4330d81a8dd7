import JSON
import MeshModel

// What a channel is, and what becomes of a slot, as JSON: never with a key.

extension JSONWriter {
    /// A channel without its key.
    ///
    /// - Parameter lora: names a channel that has no name of its own, as every radio shows it.
    public mutating func linked(_ channel: Channel, lora: LoRaSettings?, index: Int) {
        member("index", index)
        member("role", "\(channel.role)")
        member("name", channel.name.isEmpty ? lora?.defaultChannelName ?? "" : channel.name)
        member("key", channel.keyKind)
        member("keyBytes", channel.psk.count)
        member("authenticated", channel.usesAEAD)
        member("uplinkEnabled", channel.uplinkEnabled)
        member("downlinkEnabled", channel.downlinkEnabled)
        member("positionPrecision", channel.positionPrecision)
    }

    /// A slot that is in use, or will be.
    public mutating func slot(_ slot: ChannelPlan.Slot, lora: LoRaSettings?) {
        member("index", slot.index)
        member(
            "change",
            !slot.isChange ? "none" : slot.old == nil ? "added" : slot.new == nil ? "removed" : "changed")
        for (name, channel) in [("old" as StaticString, slot.old), ("new", slot.new)] {
            key(name)
            if let channel { object { $0.linked(channel, lora: lora, index: slot.index) } } else { null() }
        }
    }
}

extension Channel {
    /// `none`; `public`: one of the keys that everybody has (SerialReference 7.3); `own`.
    fileprivate var keyKind: String {
        switch psk.count {
        case 0: role == .secondary ? "primary's" : "none"
        case 1: psk[0] == 0 ? "none" : "public"
        default: "own"
        }
    }
}
