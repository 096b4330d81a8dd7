import MeshModel

extension Node {
    /// A node that has not introduced itself is called after its number.
    public var shownLongName: String { longName ?? number.placeholderLongName }
    public var shownShortName: String { shortName ?? number.placeholderShortName }
}

extension Channel {
    /// What it is called by people: a nameless primary channel by the modem preset, as every radio shows it; any other
    /// by its slot, as MeshMonitor stores it, also while it is not in use (Contract 3.4).
    public func shownName(_ lora: LoRaSettings?) -> String {
        let stored = name.trimmed
        guard stored.isEmpty else { return stored }
        return index == 0 ? lora?.defaultChannelName ?? "Primary" : "Channel \(index)"
    }

    public var isInUse: Bool { shownRole != .disabled }

    /// Slot 0 is the primary channel and no other slot is; a slot with neither name nor key is not in use.
    public var shownRole: Role {
        if index == 0 { return .primary }
        if role == .disabled || (name.trimmed.isEmpty && psk.isEmpty) { return .disabled }
        return .secondary
    }
}

extension Channel.Role {
    public var shownName: String {
        switch self {
        case .disabled: "Disabled"
        case .primary: "Primary"
        case .secondary: "Secondary"
        }
    }
}
