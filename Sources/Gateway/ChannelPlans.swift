import MeshModel
import MeshProtocol
import Store

// Sharing the radio's channels by a link, and taking over somebody else's.

/// What a link with channels would change in the radio.
public struct ChannelPlan: Sendable {
    public struct Slot: Sendable {
        public var index: Int
        /// A disabled slot has no channel.
        public var old: Channel?
        public var new: Channel?
        public var isChange: Bool { old != new }
    }

    /// The link's channels replace those that are there, and the LoRa settings; otherwise they are added to them.
    public var replaces: Bool
    /// All eight.
    public var slots: [Slot]
    /// Of the link's channels, those that are there already.
    public var known: [Channel]
    /// LoRa settings of the link that differ from the radio's. They change only when the link replaces.
    public var lora: [SettingsChange.Row]
    public var consequences: SettingsConsequences
    public var isApplied = false
    fileprivate var newLoRa: SettingsSection?

    public var changesNothing: Bool { !slots.contains(where: \.isChange) && newLoRa == nil }
}

extension ChannelPlan {
    /// The LoRa settings that a mesh must have in common. What else is in a link, such as the power, is the radio's own
    /// business.
    fileprivate static let shared = SettingsConsequences.modem.union(["region", "hop_limit"])

    /// - Throws: ``RadioRefusal/noFreeSlot(wanted:free:)``.
    init(
        _ link: ChannelLink, replaces: Bool, channels: [Channel], lora: SettingsSection, firmware: String?
    ) throws(RadioRefusal) {
        self.replaces = replaces
        known = link.channels.filter { wanted in channels.contains { $0.isSame(as: wanted) } }
        let targets = try replaces ? link.channels : Self.added(link.channels, to: channels)
        slots = (0..<8).map { index in
            let old = channels.first { $0.index == index && $0.role != .disabled }
            var new = targets.indices.contains(index) ? targets[index] : nil
            if new?.role == .disabled { new = nil }
            return Slot(index: index, old: old, new: new)
        }
        let target = link.lora.map { lora.taking(Self.sharedIn($0), from: $0) } ?? lora
        self.lora = lora.settings.compactMap { setting in
            guard let new = target[setting.path], new != setting.value else { return nil }
            return SettingsChange.Row(path: setting.path, old: setting.value, new: new)
        }
        newLoRa = replaces && !self.lora.isEmpty ? target : nil
        consequences = SettingsConsequences(of: replaces ? self.lora : [], firmware: firmware)
        if slots.contains(where: { $0.isChange && $0.old != nil }) {
            consequences.warnings.append(
                "Messages that are stored here stay under the number of their slot, whatever channel it has then.")
        }
    }

    /// A link without a region or a hop limit does not unset ours, and the numbers behind a preset follow from it.
    private static func sharedIn(_ lora: SettingsSection) -> Set<String> {
        var names = shared
        if lora["lora.region"] == .choice("UNSET") { names.remove("region") }
        if lora["lora.hop_limit"] == .unsigned(0) { names.remove("hop_limit") }
        if lora["lora.use_preset"] == .flag(true) { names.subtract(["bandwidth", "spread_factor", "coding_rate"]) }
        return names
    }

    /// Nothing that is there changes; what is new goes into the first free slots.
    private static func added(_ wanted: [Channel], to channels: [Channel]) throws(RadioRefusal) -> [Channel] {
        let new = wanted.filter { wanted in !channels.contains { $0.isSame(as: wanted) } }
        var slots = (0..<8).map { index in channels.first { $0.index == index } ?? Channel(index: index) }
        let free = slots.indices.filter { slots[$0].role == .disabled }
        guard new.count <= free.count else { throw .noFreeSlot(wanted: new.count, free: free.count) }
        for (index, channel) in zip(free, new) {
            slots[index] = channel
            (slots[index].index, slots[index].role) = (index, .secondary)
        }
        return slots
    }

    fileprivate var changedChannels: [Channel] {
        slots.filter(\.isChange).map { slot in slot.new ?? Channel(index: slot.index) }
    }
}

extension Channel {
    /// The same conversation: what it is called and its key.
    fileprivate func isSame(as other: Channel) -> Bool {
        role != .disabled && name == other.name && psk == other.psk
    }
}

extension Gateway {
    /// A link with the radio's channels and LoRa settings, read from it now.
    ///
    /// - Parameter all: all channels, not the primary one alone.
    public func channelLink(all: Bool, of source: SourceID) throws(RadioRefusal) -> ChannelLink {
        let radio = radio(at: source)
        let enabled = try radio.channels(of: source).filter { $0.role != .disabled }
            .sorted { ($0.role == .primary ? 0 : 1, $0.index) < ($1.role == .primary ? 0 : 1, $1.index) }
        return ChannelLink(
            channels: all ? enabled : Array(enabled.prefix(1)), lora: try radio.settings(.lora, of: source))
    }

    /// Takes over a link's channels.
    ///
    /// - Parameters:
    ///   - replaces: in place of those that are there; otherwise beside them.
    ///   - isPreview: nothing is written.
    public func take(
        _ link: ChannelLink, replaces: Bool, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> ChannelPlan {
        try radio(at: source).questions.change.withLock { _ throws(RadioRefusal) in
            try plan(link, replaces: replaces, isPreview: isPreview, of: source)
        }
    }

    private func plan(
        _ link: ChannelLink, replaces: Bool, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> ChannelPlan {
        let radio = radio(at: source)
        let lora = try radio.settings(.lora, of: source)
        var plan = try ChannelPlan(
            link, replaces: replaces, channels: radio.channels(of: source), lora: lora,
            firmware: self.radio(of: source).firmwareVersion)
        guard !isPreview, !plan.changesNothing else { return plan }
        try radio.write(channels: plan.changedChannels, plan.newLoRa.map { [$0] } ?? [], of: source)
        let taken = try radio.channels(of: source)
        for place in plan.slots.indices {
            // What the radio made of it: firmware before 2.8 knows fewer fields.
            plan.slots[place].new = taken[place].role == .disabled ? nil : taken[place]
        }
        plan.isApplied = true
        radio.readAgain()
        return plan
    }
}
