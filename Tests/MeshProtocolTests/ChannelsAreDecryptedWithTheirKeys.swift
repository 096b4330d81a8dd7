import MeshModel
import Testing

@testable import MeshProtocol

/// The bytes were made with Python: `cryptography`'s AES in CTR mode over a counter block of `struct.pack("<QII", id,
/// sender, 0)`, the Data messages put together by hand, the hashes by xor over name and expanded key.
@Suite struct ChannelsAreDecryptedWithTheirKeys {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var psk: [UInt8]
        var hash: UInt32
        var id: PacketID
        var from: UInt32
        var encrypted: String
        var data: MeshData
        var testDescription: String { name }

        var packet: MeshPacket {
            MeshPacket(
                from: NodeNumber(from), to: .broadcast, channel: hash, id: id, payload: .encrypted(bytes(encrypted)))
        }
    }

    private static func text(_ text: String, bitfield: UInt32? = nil) -> MeshData {
        MeshData(port: .textMessage, payload: Array(text.utf8), bitfield: bitfield)
    }

    static let vectors = [
        // One byte: the well-known key.
        Vector(
            name: "LongFast", psk: [1], hash: 0x08, id: 0x1234_5678, from: 0xA11C_E001,
            encrypted: "a699e6fe7d8efc063095c02a30ca7b3538bbaa2ca40e5e", data: text("Good morning mesh", bitfield: 1)),
        // AES-128, more than one block.
        Vector(
            name: "Hikers", psk: Array(0x10..<0x20), hash: 0x2E, id: 0xFEDC_BA98, from: 0xB0B0_0002,
            encrypted:
                "5b2dbd2301b8709ac54ca10417c173a00da419c77244f3fdbbb762fb13fce77206df0e895b97a21c40a4165270b12d5d"
                + "c7b6a261d703d4d7413318a86e5c",
            data: text("Two of us at the hut, more than one block of sixteen bytes")),
        // AES-256.
        Vector(
            name: "Rescue", psk: Array(0x40..<0x60), hash: 0x37, id: 1, from: 0xCA40_1003,
            encrypted: "36accaa21a4d141c8e5a",
            data: MeshData(port: .telemetry, payload: [0x0D, 1, 2, 3], wantResponse: true)),
        // Filled up to 16 and to 32 bytes.
        Vector(
            name: "Short", psk: [9, 8, 7], hash: 0x54, id: 0xFFFF_FFFF, from: 0xFFFF_FFFE,
            encrypted: "d79ae925419c9029f8ab", data: text("padded")),
        Vector(
            name: "Middle", psk: Array(1...20), hash: 0x39, id: 77, from: 0x1234,
            encrypted: "992c39429277bd8b5d533c696d7879ac", data: text("padded to 32")),
        // No encryption at all.
        Vector(
            name: "Open", psk: [0], hash: 0x34, id: 5, from: 0x1234, encrypted: "08011208696e20636c656172",
            data: text("in clear")),
    ]

    @Test(arguments: vectors) func itsOwnKeyOpensIt(vector: Vector) throws {
        let cipher = try #require(ChannelCipher(name: vector.name, psk: vector.psk))
        #expect(UInt32(cipher.hash) == vector.hash)
        #expect(cipher.decrypt(vector.packet) == vector.data)
        #expect(
            cipher.encrypt(vector.data, from: NodeNumber(vector.from), id: vector.id) == bytes(vector.encrypted))
    }

    /// The hashes that real radios show for the presets under the well-known key (SerialReference 7.3).
    @Test(
        arguments: [
            ("LongFast", 0x08), ("MediumFast", 0x1F), ("MediumSlow", 0x18), ("ShortFast", 0x70), ("ShortTurbo", 0x0E),
            ("LongSlow", 0x0F), ("LongMod", 0x6E), ("LongTurbo", 0x76),
        ] as [(String, UInt8)])
    func aPresetHasItsHash(name: String, hash: UInt8) throws {
        #expect(try #require(ChannelCipher(name: name, psk: [1])).hash == hash)
    }

    @Test func theShorthandCountsOnInTheLastByte() throws {
        // 2 ends the key in 02, 255 in FF: the hash shows it.
        let first = try #require(ChannelCipher(name: "", psk: [1])).hash
        #expect(try #require(ChannelCipher(name: "", psk: [2])).hash == first ^ 0x01 ^ 0x02)
        #expect(try #require(ChannelCipher(name: "", psk: [255])).hash == first ^ 0x01 ^ 0xFF)
    }

    @Test func moreThan32BytesAreNoKey() {
        #expect(ChannelCipher(name: "Long", psk: [UInt8](repeating: 1, count: 33)) == nil)
    }

    @Test func theNameCountsOnlyWhenTheHashDoes() throws {
        let vector = Self.vectors[1]
        let misnamed = try #require(ChannelCipher(name: "Climbers", psk: vector.psk))
        #expect(misnamed.decrypt(vector.packet) == nil)
        #expect(misnamed.decrypt(vector.packet, matchesHash: false) == vector.data)
    }

    @Test func whatIsForOneRecipientAloneIsLeftAlone() throws {
        var packet = Self.vectors[0].packet
        packet.pkiEncrypted = true
        let cipher = try #require(ChannelCipher(name: "LongFast", psk: [1]))
        #expect(cipher.decrypt(packet) == nil)
        #expect(cipher.decrypt(packet, matchesHash: false) == nil)
        packet.payload = .decoded(Self.vectors[0].data)
        packet.pkiEncrypted = false
        #expect(cipher.decrypt(packet) == nil)
    }

    /// An answer of the admin module can hold a private key, on whatever channel it comes.
    @Test func secretsAreCutOutHereToo() throws {
        let secret = [UInt8](repeating: 0x5A, count: 32)
        let security = [0x12, 32] + secret
        let config: [UInt8] = [0x42, UInt8(security.count)] + security
        let data = MeshData(port: .admin, payload: [0x32, UInt8(config.count)] + config)
        let cipher = try #require(ChannelCipher(name: "admin", psk: Array(0..<32)))
        let packet = MeshPacket(
            from: NodeNumber(9), to: NodeNumber(8), channel: UInt32(cipher.hash), id: 7,
            payload: .encrypted(cipher.encrypt(data, from: NodeNumber(9), id: 7)))
        let read = try #require(cipher.decrypt(packet))
        #expect(read.port == .admin)
        #expect(!read.payload.contains(0x5A))
    }
}
