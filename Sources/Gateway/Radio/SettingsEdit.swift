import MeshModel
import MeshProtocol

/// What somebody wants of a radio's settings. It is written in one edit, so that the radio restarts once at most.
public struct SettingsEdit: Sendable {
    /// Of one field; it counts more than what a link says of it.
    public struct Change: Sendable {
        /// Such as `lora.hop_limit`.
        public var path: String
        /// As a person writes it; nil: the secret that is there stays.
        public var text: String?
        /// What the radio must still have, as a person writes it; nil: nothing is compared.
        public var was: String?

        public init(path: String, text: String?, was: String? = nil) {
            (self.path, self.text, self.was) = (path, text, was)
        }
    }

    /// Of one channel slot; what is nil stays.
    public struct Slot: Sendable {
        public var index: Int
        /// It is switched off, and the slot stays empty.
        public var isRemoved = false
        public var name: String?
        public var psk: [UInt8]?
        public var uplinkEnabled: Bool?
        public var downlinkEnabled: Bool?
        /// Bits, 0 to 32.
        public var positionPrecision: UInt32?
        /// What the channel is called where it has no name: as a name it changes nothing.
        public var shownName: String?

        public init(index: Int) { self.index = index }
    }

    public var changes: [Change] = []
    public var slots: [Slot] = []
    public var link: ChannelLink?
    /// The link's channels replace those that are there, and the LoRa settings; otherwise they are added.
    public var replaces = false
    public var texts: [RadioText: String] = [:]
    public var place: FixedPlace?
    /// Of a file, which may be of another radio: what this one lacks is passed over, a secret that it has already is no change, and
    /// messages in a list may be set.
    public var isFile = false

    public init() {}

    var concernsChannels: Bool { link != nil || !slots.isEmpty }
}

extension SettingsEdit.Slot {
    /// The slot as it is wanted.
    func applied(to real: RadioChannel) -> RadioChannel {
        var wanted = real.channel
        if isRemoved { return RadioChannel(Channel(index: index)) }
        wanted.role = index == 0 ? .primary : .secondary
        if let name, !(wanted.name.isEmpty && name == shownName) { wanted.name = name }
        if let psk { wanted.psk = psk }
        if let uplinkEnabled { wanted.uplinkEnabled = uplinkEnabled }
        if let downlinkEnabled { wanted.downlinkEnabled = downlinkEnabled }
        if let positionPrecision { wanted.positionPrecision = positionPrecision }
        // What is not known here stays.
        return real.changed(from: RadioChannel(real.channel), to: RadioChannel(wanted)) ?? RadioChannel(wanted)
    }
}
