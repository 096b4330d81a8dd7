import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// A program that sets something and reads it in the same breath is shown what it has set.
@Suite struct AGetterStandsBehindTheSetters {
    /// A radio that restarts half a minute after a change: an order that it is given while it does so waits for it.
    private func slowlyRestarting() throws -> SharedHouse { try SharedHouse([.admin]) { $0.timeScale = 0.2 } }

    @Test func onTheSameConnection() throws {
        let house = try slowlyRestarting()
        let (app, other) = (try house.connected(), try house.connected())
        for round in 0..<4 as Range<UInt32> {
            let name = Array("Hut \(round)".utf8)
            let handshakes = house.simulated.completedHandshakes
            let (set, get, elsewhere) = (0xa00 + round, 0xb00 + round, 0xc00 + round)
            app.administer(set, [0x82, 2, UInt8(name.count + 2), 0x0a + 8, UInt8(name.count)] + name, at: house.number)
            app.administer(get, [0x18, 1], at: house.number)
            // Nobody else waits for that.
            other.administer(elsewhere, [0x18, 1], at: house.number)
            let answers = try #require(app.wait { $0.contains { $0.admin(get) != nil } })
            let answer = try #require(answers.compactMap { $0.admin(get) }.first)
            #expect(answer.contains(name), "round \(round): it was shown what was there before")
            #expect(answers.contains { $0.routing(set) == RoutingError.none }, "round \(round): \(house.logged)")
            _ = try #require(other.wait { $0.contains { $0.admin(elsewhere) != nil } })
            try #require(eventually { house.gateway.radios.all[0].administration.orders.isIdle })
            // The gateway reads the radio again after a change.
            try #require(eventually { house.simulated.completedHandshakes > handshakes })
            try house.waitForHandshake()
        }
    }

    /// The gateway reads the radio again after each change: the next order comes in the middle of that, and is obeyed.
    @Test func whileTheRadioIsReadAgain() throws {
        let house = try slowlyRestarting()
        let app = try house.connected()
        for round in 0..<8 as Range<UInt32> {
            let name = Array("Hut \(round)".utf8)
            let (set, get) = (0xa00 + round, 0xb00 + round)
            app.administer(set, [0x82, 2, UInt8(name.count + 2), 0x0a + 8, UInt8(name.count)] + name, at: house.number)
            app.administer(get, [0x18, 1], at: house.number)
            let answers = try #require(app.wait { $0.contains { $0.admin(get) != nil } })
            #expect(answers.contains { $0.routing(set) == RoutingError.none }, "round \(round): \(house.logged)")
            #expect(try #require(answers.compactMap { $0.admin(get) }.first).contains(name), "round \(round)")
        }
    }
}
