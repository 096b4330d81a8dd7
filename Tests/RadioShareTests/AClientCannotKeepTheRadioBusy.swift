import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// What the handshake has not told is asked from the radio, before anything that waits for the mesh, and once until the next
/// handshake. A flood of such getters, which every right allows, is refused: each getter has its one answer all the same.
@Suite struct AClientCannotKeepTheRadioBusy {
    @Test func withGettersOfWhatThereIsNot() throws {
        let house = try SharedHouse([.read])
        let app = try house.connected()
        let ids = 0x100..<0x200 as Range<PacketID>
        // get_channel_request of a channel that no radio has.
        let orders = ids.map { id in
            StreamFrame.encode(
                ToRadioFrame.packet(
                    app.packet(id, port: 6, [8, 200, 1], to: house.number, wantsResponse: true)))
        }
        app.send(bytes: orders.flatMap(\.self))
        _ = try #require(
            app.wait { frames in
                ids.allSatisfy { id in frames.contains { $0.routing(id) != nil || $0.admin(id) != nil } }
            }, "a getter has no answer")
        try app.settle()
        let frames = app.frames
        for id in ids {
            #expect(frames.count { $0.status?.packetID == id } == 1)
            #expect(frames.count { $0.routing(id) != nil || $0.admin(id) != nil } == 1)
        }
        let refused = ids.filter { id in frames.contains { $0.routing(id) == .rateLimitExceeded } }
        #expect(refused.count > 100, "\(refused.count)")
        // It is no state that stays.
        app.administer(0x300, [8, 200, 1], at: house.number)
        let answer = try #require(app.wait { $0.contains { $0.routing(0x300) != nil } })
        #expect(!answer.contains { $0.routing(0x300) == .rateLimitExceeded })
        #expect(house.asked([8, 200, 1]) == 1)
    }

    /// Each for another part: after 64 of them nothing more reaches the radio for those who only read, while an administrator
    /// is answered.
    @Test func withGettersOfEverDifferentParts() throws {
        let house = try SharedHouse([.read, .admin])
        let (reader, admin) = (try house.connected(0), try house.connected(1))
        for number in 0..<100 as Range<UInt32> {
            let id = PacketID(0x100 + number)
            reader.administer(id, [8] + varint(100 + number), at: house.number)
            _ = try #require(reader.wait { $0.contains { $0.routing(id) != nil } }, "\(number)")
        }
        let refused = reader.frames.count { frame in
            (0x100..<0x164).contains { frame.routing($0) == .rateLimitExceeded }
        }
        #expect(refused == 36)
        admin.administer(0x200, [8] + varint(5000), at: house.number)
        _ = try #require(admin.wait { $0.contains { $0.routing(0x200) == .badRequest } })
    }
}

private enum ToRadioFrame {
    /// The payload of ToRadio with a packet of fewer than 128 bytes.
    static func packet(_ packet: [UInt8]) -> [UInt8] { [0x0A, UInt8(packet.count)] + packet }
}
