import MeshModel
import Testing

@testable import MeshProtocol

/// Channels with `use_aead` (firmware 2.8.1). The bytes were made with Python: `cryptography`'s AESCCM with a tag of 12 bytes,
/// the nonce `struct.pack("<QI", id, sender) + b"\\0"`, the associated data `struct.pack("<II", sender, recipient)`.
@Suite struct AuthenticatedChannelsAreOpenedByTheirKey {
    private static let open = MeshPacket(
        from: NodeNumber(0xA11C_E001), to: .broadcast, channel: 0xA6, id: 0x1234_5678,
        payload: .encrypted(bytes("9228d088a653d6749b74a1dad86a081c86efcd919fbe2e59991eee8a2ca0b59c37494a")))
    private static let direct = MeshPacket(
        from: NodeNumber(0xCA40_1003), to: NodeNumber(0x1234_5678), channel: 0x99, id: 1,
        payload: .encrypted(bytes("4ddb866ea7038561754d7ec6bd718e71723dbdfc36df")))

    private let longFast = ChannelCipher(name: "LongFast", psk: [1])!
    private let rescue = ChannelCipher(name: "Rescue", psk: Array(0x40..<0x60))!

    @Test func withAES128AndAES256() {
        #expect(
            longFast.decrypt(Self.open)
                == MeshData(port: .textMessage, payload: Array("Good morning mesh".utf8), bitfield: 1))
        #expect(rescue.decrypt(Self.direct) == MeshData(port: .textMessage, payload: Array("to one".utf8)))
    }

    @Test func whateverItsNameWhenThatIsNotAsked() {
        let nameless = ChannelCipher(name: "Something", psk: [1])!
        #expect(nameless.decrypt(Self.open) == nil)
        #expect(nameless.decrypt(Self.open, matchesHash: false)?.port == .textMessage)
        #expect(rescue.decrypt(Self.open, matchesHash: false) == nil)
    }

    /// Each byte of the packet, and each of its two addresses, is covered by the tag.
    @Test func notWhenAnythingWasChangedOnTheWay() throws {
        guard case .encrypted(let sealed) = Self.open.payload else { return }
        for place in sealed.indices {
            var forged = Self.open
            var bytes = sealed
            bytes[place] ^= 1
            forged.payload = .encrypted(bytes)
            #expect(longFast.decrypt(forged) == nil)
        }
        for change: (inout MeshPacket) -> Void in [
            { $0.to = NodeNumber(1) }, { $0.from = NodeNumber(1) }, { $0.id += 1 },
        ] {
            var forged = Self.open
            change(&forged)
            #expect(longFast.decrypt(forged) == nil)
        }
    }

    @Test func asTheSimulatedRadioSendsIt() throws {
        let data = MeshData(port: .textMessage, payload: Array("Good morning mesh".utf8), bitfield: 1)
        var plain = Self.open
        plain.payload = .decoded(data)
        #expect(longFast.encrypted(plain, isAuthenticated: true) == Self.open)
        #expect(longFast.decrypt(longFast.encrypted(plain)) == data)
    }
}
