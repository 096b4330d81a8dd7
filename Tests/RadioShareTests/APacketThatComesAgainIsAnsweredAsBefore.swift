import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// Who has had no queue status sends a packet again. It is answered as before, and is sent once.
@Suite struct APacketThatComesAgainIsAnsweredAsBefore {
    @Test func byTheSameClient() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        // A text, three times at once, and a waypoint.
        for _ in 0..<3 { app.text(0x61, "hi") }
        app.send(packet: app.packet(0x62, port: 8, [8, 5]))
        app.send(packet: app.packet(0x62, port: 8, [8, 5]))
        _ = try #require(app.wait { $0.count { $0.status?.packetID == 0x61 } == 3 })
        _ = try #require(app.wait { $0.count { $0.status?.packetID == 0x62 } == 2 })
        #expect(eventually { house.written(0x61).count == 1 && house.written(0x62).count == 1 })
        // A refusal is one again.
        for count in 1...2 {
            app.administer(0x63, [0x98, 6, 1], at: house.number)
            _ = try #require(app.wait { $0.count { $0.routing(0x63) == .notAuthorized } == count })
        }
        try app.settle()
        #expect(app.frames.count { $0.status?.packetID == 0x63 } == 2)
        #expect(app.frames.allSatisfy { $0.status.map { $0.result == 0 && $0.free > 0 } ?? true })
        #expect(house.written(0x61).count == 1 && house.written(0x62).count == 1)
    }

    /// Nodes would drop it.
    @Test func byAnother() throws {
        let house = try SharedHouse()
        let (a, b) = (try house.connected(), try house.connected())
        a.text(0x71, "hi")
        _ = try #require(a.wait { $0.contains { $0.status?.packetID == 0x71 } })
        b.text(0x71, "something else")
        b.send(packet: b.packet(0x71, port: 8, [8, 5]))
        _ = try #require(b.wait { $0.count { $0.status?.packetID == 0x71 } == 2 })
        try b.settle()
        #expect(b.frames.allSatisfy { $0.routing(0x71) == nil || $0.routing(0x71) == RoutingError.none })
        #expect(eventually { house.written(0x71).count == 1 })
    }

    /// Who leaves the number to the radio is answered with it, and does not see its own packet.
    @Test func withoutANumberItIsAnother() throws {
        let house = try SharedHouse()
        let (a, b) = (try house.connected(), try house.connected())
        a.text(0, "one")
        a.text(0, "two")
        let frames = try #require(a.wait { $0.count { ($0.status?.packetID ?? 0) != 0 } == 2 })
        let ids = frames.compactMap { $0.status?.packetID }
        #expect(Set(ids).count == 2)
        for id in ids { _ = try #require(b.wait { $0.contains { $0.packet?.id == id } }) }
        try a.settle()
        #expect(!a.frames.contains { $0.packet.map { ids.contains($0.id) } ?? false })
    }
}
