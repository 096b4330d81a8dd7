import MeshModel
import Testing

@testable import MeshProtocol

/// The cipher has no authentication: a wrong key makes noise, and only its form tells.
@Suite struct NoiseIsNotTakenForAMessage {
    /// An unencrypted channel: what the packet holds is what is looked at.
    private let open: ChannelCipher

    init() throws { open = try #require(ChannelCipher(name: "", psk: [])) }

    private func read(_ text: String, matchesHash: Bool = true) -> MeshData? {
        // With a hash that is not the channel's, the content has to speak for itself.
        let packet = MeshPacket(
            from: NodeNumber(9), to: .broadcast, channel: matchesHash ? 0 : 1, id: 7, payload: .encrypted(bytes(text)))
        return open.decrypt(packet, matchesHash: matchesHash)
    }

    /// portnum 08, payload 12, want_response 18, dest 25, source 2D, request_id 35, reply_id 3D, emoji 45, bitfield 48
    @Test(arguments: ["0801 1201 61", "0801", "088002 1201 61", "0843 1801"]) func aWholeMessageIsRead(text: String) {
        #expect(read(text) != nil)
    }

    @Test func allFieldsAreRead() throws {
        let text = "0805 1202 1805 1801 25 01000000 2D 02000000 35 03000000 3D 04000000 45 01000000 4803 5201 07"
        let data = try #require(read(text))
        #expect(
            data
                == MeshData(
                    port: .routing, payload: [0x18, 5], wantResponse: true, dest: 1, source: 2, requestID: 3,
                    replyID: 4, emoji: 1, bitfield: 3, xeddsaSignature: [7]))
    }

    @Test func aFieldOfALaterFirmwareMayFollow() {
        #expect(read("0801 1201 61 5805")?.payload == [0x61])
    }

    @Test(
        "noise",
        arguments: [
            ("", "nothing"), ("1201 61", "no port number"), ("0800 1201 61", "port 0"), ("0863 1201 61", "unused port"),
            ("08FF03 1201 61", "the end of the ports"), ("088100 1201 61", "a number longer than it need be"),
            ("0801 1202 61", "cut off"), ("0801 1201 61 00", "a byte too many"), ("0801 1201 61 0801", "twice"),
            ("1201 61 0801", "turned round"), ("0801 1001", "a wrong type"), ("0801 1201 61 1800", "a written false"),
            ("0801 1201 61 1802", "two for true"), ("0801 1201 61 5B5C", "a group"), ("0801 1201 61 35 0000", "half"),
            ("0801 1201 61 8201 01 00", "field 16"), ("0801 12FFFFFFFF0F 61", "a length beyond everything"),
        ]) func isRefused(text: String, what: String)
    {
        #expect(read(text) == nil, "\(what)")
    }

    /// Found without the hash's word for it.
    @Test(arguments: [
        ("0801 1201 61", true), ("0801 1201 FF", false), ("0801 1201 07", false), ("0801", false),
        ("0843 1202 FFFF", false), ("0805 1202 1805", true), ("088002 1201 FF", true),
    ]) func withoutAHashTheContentCounts(text: String, isTaken: Bool) {
        #expect((read(text, matchesHash: false) != nil) == isTaken)
    }

    /// 20,000 packets under a wrong key, their hash right: none may become a message.
    @Test func aWrongKeyFindsNothing() throws {
        let right = try #require(ChannelCipher(name: "Hikers", psk: Array(0x10..<0x20)))
        // Another order of the same bytes has the same hash.
        let wrong = try #require(ChannelCipher(name: "Hikers", psk: (0x10..<0x20).reversed()))
        #expect(right.hash == wrong.hash)
        let data = MeshData(port: .textMessage, payload: Array("Soup is ready".utf8))
        let taken = (PacketID(1)...20_000).filter { id in
            let packet = MeshPacket(
                from: NodeNumber(9), to: .broadcast, channel: UInt32(right.hash), id: id,
                payload: .encrypted(right.encrypt(data, from: NodeNumber(9), id: id)))
            return wrong.decrypt(packet) != nil
        }
        #expect(taken == [])
    }

    @Test(arguments: [0, 257, 512]) func anImpossibleLengthIsNotTried(length: Int) {
        // Without the limit, the long ones would be a text.
        let text = [UInt8](repeating: 0x61, count: max(0, length - 5))
        let message: [UInt8] = length == 0 ? [] : [8, 1, 0x12, UInt8(text.count & 0x7F | 0x80), UInt8(text.count >> 7)]
        let packet = MeshPacket(from: NodeNumber(9), to: .broadcast, id: 7, payload: .encrypted(message + text))
        #expect(open.decrypt(packet) == nil)
    }
}
