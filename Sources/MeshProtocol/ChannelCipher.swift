import MeshModel
import Nettle

// What a channel's key does to a packet (SerialReference 5.1 and 7.3), and how little of it can be believed.
//
// 1. The cipher is AES-CTR without authentication: every key turns every packet into something.
// 2. The packet carries one byte of a hash over the channel's name and key. One wrong key in 256 passes.
// 3. So what comes out counts only when it is a well-formed Data message from its first byte to its last (PlausibleData).
// 4. Channels of firmware 2.8.1 can be authenticated (`use_aead`): AES-CCM, a tag of 12 bytes behind the text, sender and
//    recipient authenticated with it, and 0xAE xor-ed into the hash. There nothing has to be believed.

/// A channel's name and key, ready to decrypt what was sent on it.
public struct ChannelCipher: Sendable {
    /// What an encrypted packet carries in its field `channel`: all bytes of the name and of the expanded key, xor-ed.
    /// Channels can share one.
    public let hash: UInt8
    /// 16 or 32 bytes; none when the channel is not encrypted.
    private let key: [UInt8]

    /// What makes the hash of a channel that is authenticated.
    private static let authenticatedHash: UInt8 = 0xAE
    private static let tagLength = 12

    /// An encrypted packet is at most so long on the wire; on the air it is 239 bytes.
    private static let maximumLength = 256

    /// - Parameters:
    ///   - name: the displayed one, so the preset's for a nameless channel.
    ///   - psk: as in the radio's settings, at most 32 bytes.
    public init?(name: String, psk: [UInt8]) {
        guard let key = Self.expanded(psk) else { return nil }
        self.key = key
        hash = name.utf8.reduce(0, ^) ^ key.reduce(0, ^)
    }

    /// What the radio makes of the bytes in its settings (firmware Channels::getKey). One byte stands for the well-known
    /// key with its last byte that much further on, and 0 for no encryption; other lengths are filled up with zeros.
    private static func expanded(_ psk: [UInt8]) -> [UInt8]? {
        switch psk.count {
        case 0: return []
        case 1 where psk[0] == 0: return []
        case 1:
            var key = wellKnownKey
            key[15] &+= psk[0] - 1
            return key
        case ...16: return psk + [UInt8](repeating: 0, count: 16 - psk.count)
        case ...32: return psk + [UInt8](repeating: 0, count: 32 - psk.count)
        default: return nil
        }
    }

    private static let wellKnownKey: [UInt8] = [
        0xD4, 0xF1, 0xBB, 0x3A, 0x20, 0x29, 0x07, 0x59, 0xF0, 0xBC, 0xFF, 0xAB, 0xCF, 0x4E, 0x69, 0x01,
    ]

    /// Whether everybody can read what is sent under this key: there is none, or it is the well-known one in any of its
    /// forms.
    public static func isPublic(psk: [UInt8]) -> Bool {
        guard let key = expanded(psk) else { return false }
        return key.isEmpty || (key.count == 16 && key.starts(with: wellKnownKey.dropLast()))
    }

    /// What the packet says under this key; nil when it is not encrypted, was sent on another channel as far as can be
    /// told, or is encrypted for its recipient alone.
    ///
    /// - Parameter matchesHash: only packets with the hash of this name and key are tried. Without, the name does not
    ///   matter, and what comes out must moreover be what its port number says.
    public func decrypt(_ packet: MeshPacket, matchesHash: Bool = true) -> MeshData? {
        guard case .encrypted(let bytes) = packet.payload, !packet.pkiEncrypted,
            (1...Self.maximumLength).contains(bytes.count)
        else { return nil }
        let isAuthenticated = packet.channel == UInt32(hash ^ Self.authenticatedHash)
        if isAuthenticated || !matchesHash, let data = authenticated(bytes, of: packet) { return data }
        let isOfThisHash = packet.channel == UInt32(hash)
        guard isOfThisHash || !matchesHash else { return nil }
        let plain = crypt(bytes, from: packet.from, id: packet.id)
        guard PlausibleData.isWellFormed(plain), let data = MeshData(decoding: plain) else { return nil }
        return isOfThisHash || PlausibleData.isMeaningful(data) ? data : nil
    }

    /// The bytes that a radio sends for this.
    public func encrypt(_ data: MeshData, from: NodeNumber, id: PacketID) -> [UInt8] {
        crypt(data.encoded(), from: from, id: id)
    }

    /// The packet as a radio sends it on this channel.
    ///
    /// - Parameter isAuthenticated: the channel has `use_aead`.
    public func encrypted(_ packet: MeshPacket, isAuthenticated: Bool = false) -> MeshPacket {
        guard let data = packet.decoded else { return packet }
        var sent = packet
        sent.channel = UInt32(isAuthenticated ? hash ^ Self.authenticatedHash : hash)
        sent.payload = .encrypted(
            isAuthenticated && !key.isEmpty
                ? aesCCMEncrypted(
                    data.encoded(), key: key, nonce: nonce(of: packet), authenticating: Self.addresses(of: packet),
                    tagLength: Self.tagLength) : crypt(data.encoded(), from: packet.from, id: packet.id))
        return sent
    }

    /// Under `use_aead`; nil: the tag is not of this key, or the packet was changed on its way.
    private func authenticated(_ bytes: [UInt8], of packet: MeshPacket) -> MeshData? {
        guard !key.isEmpty, bytes.count > Self.tagLength else { return nil }
        return aesCCMDecrypted(
            bytes, key: key, nonce: nonce(of: packet), authenticating: Self.addresses(of: packet),
            tagLength: Self.tagLength
        ).flatMap { MeshData(decoding: $0) }
    }

    /// The first 13 bytes of the counter block.
    private func nonce(of packet: MeshPacket) -> [UInt8] {
        Self.littleEndian([packet.id, 0, packet.from.rawValue]) + [0]
    }

    /// What cannot be rewritten on the way; hops can.
    private static func addresses(of packet: MeshPacket) -> [UInt8] {
        littleEndian([packet.from.rawValue, packet.to.rawValue])
    }

    private static func littleEndian(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    /// Both ways. The first counter block is the packet's id in eight bytes, the sender's number in
    /// four, and four that count; all but the last little-endian.
    private func crypt(_ bytes: [UInt8], from: NodeNumber, id: PacketID) -> [UInt8] {
        guard !key.isEmpty else { return bytes }
        return aesCounterMode(bytes, key: key, counter: Self.littleEndian([id, 0, from.rawValue, 0]))
    }
}
