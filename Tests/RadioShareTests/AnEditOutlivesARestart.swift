import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// A radio forgets what was not committed when it restarts, as it was told by somebody before. What a program has written in its
/// edit is written again then, and committed when the program says so.
@Suite struct AnEditOutlivesARestart {
    private func payloads(_ house: SharedHouse) -> [[UInt8]] {
        house.tap.written.withLock { $0 }.compactMap { ClientPacket(inToRadio: $0)?.content?.payload }
    }

    @Test func itIsWrittenAgainAndCommitted() throws {
        let house = try SharedHouse([.admin]) { $0.timeScale = 0.2 }
        let app = try house.connected()
        func order(_ id: PacketID, _ order: [UInt8]) throws {
            app.administer(id, order, at: house.number)
            _ = try #require(app.wait { $0.contains { $0.routing(id) == RoutingError.none } }, "\(id)")
        }
        // A change that makes it restart; then begin, an owner, and the restart in between.
        try order(0x10, [0x82, 2, 7, 0x12, 5] + Array("First".utf8))
        try order(0x11, [0x80, 4, 1])
        try order(0x12, [0x82, 2, 8, 0x12, 6] + Array("Second".utf8))
        house.simulated.unplug()
        try #require(eventually { !house.gateway.status(of: house.source).isConnected })
        let before = payloads(house).count
        app.administer(0x13, [0x88, 4, 1], at: house.number)
        try app.settle()
        try house.simulated.replug()
        _ = try #require(app.wait { $0.contains { $0.routing(0x13) == RoutingError.none } })
        let orders = payloads(house).dropFirst(before).compactMap { payload -> String? in
            if payload.starts(with: [0x80, 4]) { return "begin" }
            if payload.starts(with: [0x88, 4]) { return "commit" }
            return payload.contains(Array("Second".utf8)) && payload.starts(with: [0x82, 2]) ? "owner" : nil
        }
        #expect(orders == ["begin", "owner", "commit"])
    }
}
