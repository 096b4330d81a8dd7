import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// 16 texts of a client wait at most, besides the one that goes out at once; what is beyond is refused at once. `free` says
/// how many places are left, never 0: some clients then wait for ever.
@Suite struct AClientHasTheRoomOfARadioOfItsOwn {
    @Test func twentyTextsAtOnce() throws {
        let house = try SharedHouse(pace: .radio)
        let app = try house.connected()
        for id in 1...20 as ClosedRange<PacketID> { app.text(id, "text \(id)") }
        let frames = try #require(
            app.wait { frames in (1...20).allSatisfy { id in frames.contains { $0.status?.packetID == id } } })
        try app.settle()
        let refused = (1...20 as ClosedRange<PacketID>).filter { id in
            app.frames.contains { $0.routing(id) == .rateLimitExceeded }
        }
        #expect((3...4).contains(refused.count), "\(refused)")
        let states = frames.compactMap(\.status)
        #expect(states.count >= 20 && states.allSatisfy { $0.free >= 1 && $0.free <= 16 && $0.capacity == 16 })
        // Another client of the same address has room of its own.
        let other = try house.connected()
        other.text(41, "hi")
        let status = try #require(other.wait { $0.contains { $0.status?.packetID == 41 } })
        #expect(status.compactMap(\.status).first?.free == 15 && !other.frames.contains { $0.routing(41) != nil })
    }

    /// 60 texts of three clients and the API: once each, in turns.
    @Test func inTurns() throws {
        let house = try SharedHouse()
        let apps = try (0..<3).map { _ in try house.connected() }
        var ofREST: [PacketID] = []
        for number in 0..<15 {
            for (place, app) in apps.enumerated() { app.text(PacketID(100 * (place + 1) + number), "text \(number)") }
            let accepted = try house.gateway.send(
                OutgoingText(parts: ["rest \(number)"], destination: .channel(0)), by: Sender(.rest, "x"),
                to: house.source)
            ofREST += accepted.map(\.packetID)
        }
        for (place, app) in apps.enumerated() {
            for number in 0..<15 {
                let id = PacketID(100 * (place + 1) + number)
                _ = try #require(app.wait { $0.contains { $0.status?.packetID == id } })
                #expect(eventually { house.written(id).count == 1 }, "\(id)")
            }
        }
        #expect(ofREST.count == 15)
        for id in ofREST { #expect(eventually { house.written(id).count == 1 }, "\(id)") }
        let source = house.source
        #expect(try house.store.read { try $0.counts(in: source).messages } == 60)
        // None of them comes again behind the others.
        let texts = house.tap.written.withLock { $0 }.count {
            ClientPacket(inToRadio: $0)?.content?.port == .textMessage
        }
        #expect(texts == 60)
    }
}
