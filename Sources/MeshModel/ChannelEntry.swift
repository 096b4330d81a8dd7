/// An entry of the channel database: a channel whose key the gateway has, so that it can read what the radio cannot.
public struct ChannelEntry: Hashable, Sendable {
    /// Never used again, not even when the entry is gone: what it has decrypted still carries its ``channel``.
    public var id: Int64
    /// As displayed on radios that have the channel: it is part of the hash that packets carry.
    public var name: String
    /// 1, 16 or 32 bytes. A secret: shown to writers only.
    public var psk: [UInt8]
    public var description: String?
    public var isEnabled: Bool
    /// Only packets with the hash of this name and key are tried.
    public var enforcesName: Bool
    /// The lowest is tried first.
    public var sortOrder: Int64
    /// Packets that it has decrypted, and when the last one, in host milliseconds.
    public var decryptedPackets: Int64
    public var lastDecryptedAt: Int64?
    /// Host milliseconds, as the next.
    public var createdAt: Int64
    public var updatedAt: Int64

    public init(
        id: Int64 = 0, name: String, psk: [UInt8], description: String? = nil, isEnabled: Bool = true,
        enforcesName: Bool = false, sortOrder: Int64 = 0, decryptedPackets: Int64 = 0, lastDecryptedAt: Int64? = nil,
        createdAt: Int64, updatedAt: Int64
    ) {
        self.id = id
        self.name = name
        self.psk = psk
        self.description = description
        self.isEnabled = isEnabled
        self.enforcesName = enforcesName
        self.sortOrder = sortOrder
        self.decryptedPackets = decryptedPackets
        self.lastDecryptedAt = lastDecryptedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// The number of the first entry's channel is one more. The radio's own channels are 0 to 7.
    public static let channelOffset: Int64 = 100

    /// The channel number of what an entry has decrypted (Contract 3.5).
    public static func channel(of id: Int64) -> Int { Int(channelOffset + id) }
}
