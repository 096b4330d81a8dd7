import MeshModel
import MeshProtocol
import Store

// Sharing the radio's channels by a link, and taking over somebody else's.

/// What a link, or an edit of single slots, would change in the radio's channels.
public struct ChannelPlan: Sendable {
    public struct Slot: Sendable {
        public var index: Int
        /// A disabled slot has no channel.
        public var old: Channel?
        public var new: Channel?
        /// What is to be written, if anything.
        fileprivate var written: RadioChannel?
        public var isChange: Bool { written != nil }
        /// The primary channel, which was called after the preset, gets a name.
        fileprivate var isFirstName: Bool {
            isChange && new?.role == .primary && old?.name == "" && new?.name != ""
        }
        /// Who writes there is not understood any more.
        fileprivate var isAnotherChannel: Bool {
            guard isChange, let old else { return false }
            return new.map { !old.isSame(as: $0) } ?? true
        }
    }

    /// The link's channels replace those that are there, and the LoRa settings; otherwise they are added to them.
    public var replaces: Bool
    /// All eight.
    public var slots: [Slot]
    /// Of the link's channels, those that are there already.
    public var known: [Channel]
    /// LoRa settings of the link that differ from the radio's. They change only when the link replaces.
    public var lora: [SettingsChange.Row]
    public var consequences = SettingsConsequences()
    public var isApplied = false
    private(set) var newLoRa: SettingsSection?
    /// The radio chooses the slot in its band by the name of the primary channel, and there are several.
    var namesChooseFrequency = false

    public var changesNothing: Bool { !slots.contains(where: \.isChange) && newLoRa == nil }
}

extension ChannelPlan {
    /// The LoRa settings that a mesh must have in common. What else is in a link, such as the power, is the radio's own
    /// business.
    fileprivate static let shared = SettingsConsequences.modem.union(["region", "hop_limit"])

    /// - Throws: ``RadioRefusal/noFreeSlot(wanted:free:)``.
    init(
        _ link: ChannelLink, replaces: Bool, channels: [RadioChannel], lora: SettingsSection
    ) throws(RadioRefusal) {
        self.replaces = replaces
        known = link.channels.filter { wanted in channels.contains { $0.channel.isSame(as: wanted) } }
        let targets = try replaces ? link.entries : Self.added(link.entries, to: channels)
        // A program that does not know of authentication leaves it out, which must not switch it off.
        let knowsAEAD = link.channels.contains(where: \.usesAEAD)
        slots = (0..<8).map { index in
            Slot(
                index, from: channels.first { $0.channel.index == index },
                to: targets.indices.contains(index) ? targets[index] : nil, knowsAEAD: knowsAEAD)
        }
        let target = link.lora.map { lora.taking(Self.sharedIn($0), from: $0) } ?? lora
        self.lora = lora.settings.compactMap { setting in
            guard let new = target[setting.path], new != setting.value else { return nil }
            return SettingsChange.Row(path: setting.path, old: setting.value, new: new)
        }
        newLoRa = replaces && !self.lora.isEmpty ? target : nil
    }

    /// Nothing changes yet.
    init(_ channels: [RadioChannel]) {
        (replaces, known, lora) = (false, [], [])
        slots = (0..<8).map { index in
            let real = channels.first { $0.channel.index == index }
            return Slot(index, from: real, to: real, knowsAEAD: true)
        }
    }

    /// One slot is changed by hand.
    ///
    /// - Throws: when the link changes that slot, too.
    mutating func change(_ slot: SettingsEdit.Slot, from channels: [RadioChannel]) throws(RadioRefusal) {
        guard !slots[slot.index].isChange else {
            throw .setting(.badValue(path: "channels[\(slot.index)]", expected: "a slot that nothing else changes"))
        }
        let real = channels.first { $0.channel.index == slot.index } ?? RadioChannel(Channel(index: slot.index))
        slots[slot.index] = Slot(real, slot.applied(to: real))
    }

    /// For a person, who should know them before.
    func warnings(_ heard: HeardMesh) -> [String] {
        var warnings = slots.filter(\.isAnotherChannel).compactMap { heard.sentence(ofChannel: $0.index) }
        if namesChooseFrequency, slots.contains(where: \.isFirstName) {
            warnings.append(
                "With its first name the primary channel moves to another frequency: nodes that use the standard one are not "
                    + "heard any more, and do not hand on what is said.")
        }
        if slots.contains(where: { $0.isChange && $0.old != nil }) {
            warnings.append(
                "Messages that are stored here stay under the number of their slot, whatever channel it has then.")
        }
        return warnings
    }

    /// What the radio made of it: firmware before 2.8 knows fewer fields.
    mutating func take(_ taken: [RadioChannel]) {
        for place in slots.indices {
            guard let channel = taken.first(where: { $0.channel.index == place })?.channel else { continue }
            slots[place].new = channel.role == .disabled ? nil : channel
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
    private static func added(
        _ wanted: [RadioChannel], to channels: [RadioChannel]
    ) throws(RadioRefusal) -> [RadioChannel] {
        let new = wanted.filter { wanted in !channels.contains { $0.channel.isSame(as: wanted.channel) } }
        var slots = (0..<8).map { index in
            channels.first { $0.channel.index == index } ?? RadioChannel(Channel(index: index))
        }
        let free = slots.indices.filter { slots[$0].channel.role == .disabled }
        guard new.count <= free.count else { throw .noFreeSlot(wanted: new.count, free: free.count) }
        for (index, channel) in zip(free, new) { slots[index] = channel.placed(at: index, as: .secondary) }
        return slots
    }

    var orders: [AdminRequest] { slots.compactMap(\.written).map { .setChannel($0) } }
}

extension ChannelPlan.Slot {
    fileprivate init(_ real: RadioChannel, _ wanted: RadioChannel) {
        let (old, new) = (real.channel, wanted.channel)
        self.init(
            index: old.index, old: old.role == .disabled ? nil : old, new: new.role == .disabled ? nil : new,
            written: old == new ? nil : wanted)
    }

    /// - Parameter target: what is to be there; nil or disabled: nothing.
    fileprivate init(_ index: Int, from real: RadioChannel?, to target: RadioChannel?, knowsAEAD: Bool) {
        let real = real ?? RadioChannel(Channel(index: index))
        let old = real.channel.role == .disabled ? nil : real.channel
        var new = target.flatMap { $0.channel.role == .disabled ? nil : $0 }
        var written: RadioChannel?
        if let old, let wanted = new, old.isSame(as: wanted.channel, knowsAEAD: knowsAEAD) {
            // The same conversation: what the link does not know of it stays.
            let merged = real.changed(from: RadioChannel(old), to: wanted) ?? wanted
            if old != merged.channel || merged.saysMore(than: real) { written = merged }
            new = merged
        } else if old != new?.channel {
            written = new ?? RadioChannel(Channel(index: index))
        }
        self.init(index: index, old: old, new: new?.channel, written: written)
    }
}

extension Channel {
    /// The same conversation: what it is called, its key, and whether packets are authenticated, which makes another channel
    /// of it on the air.
    ///
    /// - Parameter knowsAEAD: the other one would say that it is authenticated.
    fileprivate func isSame(as other: Channel, knowsAEAD: Bool = true) -> Bool {
        role != .disabled && name == other.name && psk == other.psk && (usesAEAD == other.usesAEAD || !knowsAEAD)
    }
}

extension Gateway {
    /// A link with the radio's channels and LoRa settings, read from it now.
    ///
    /// - Parameter all: all channels, not the primary one alone.
    public func channelLink(all: Bool, of source: SourceID) throws(RadioRefusal) -> ChannelLink {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        let enabled = try radio.channels(of: source).filter { $0.channel.role != .disabled }
            .sorted { one, other in
                let (one, other) = (one.channel, other.channel)
                return (one.role == .primary ? 0 : 1, one.index) < (other.role == .primary ? 0 : 1, other.index)
            }
        return ChannelLink(
            entries: all ? enabled : Array(enabled.prefix(1)), lora: try radio.settings(.lora, of: source))
    }

    /// Takes over a link's channels.
    ///
    /// - Parameters:
    ///   - replaces: in place of those that are there; otherwise beside them.
    ///   - isPreview: nothing is written.
    public func importChannels(
        of link: ChannelLink, replaces: Bool, isPreview: Bool, of source: SourceID
    ) throws(RadioRefusal) -> ChannelPlan {
        var edit = SettingsEdit()
        (edit.link, edit.replaces) = (link, replaces)
        let change = try change(edit, isPreview: isPreview, of: source)
        if let refusal = change.refusal { throw refusal }
        var plan = change.channels!
        plan.consequences = change.consequences
        return plan
    }
}
