import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Home Assistant's integration hears nothing more behind one `rebooted`, and comes back when its connection ends, as at a
/// radio's own port. A port may be so.
@Suite struct APortMayCloseInstead {
    @Test func itsClientsAreDisconnectedWhenSettingsChange() throws {
        let house = try SharedHouse([.admin], closes: true)
        let (one, other) = (try house.connected(), try house.connected(from: 2))
        one.administer(0x71, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        #expect(one.waitForEnd() == .fin && other.waitForEnd() == .fin)
        // What it was told before has arrived, and `rebooted` is not among it.
        #expect(one.frames.contains { $0.routing(0x71) == RoutingError.none })
        for app in [one, other] { #expect(!app.frames.contains { $0.message == .rebooted }) }
        #expect(house.logged.contains { $0.contains("because the settings have changed") })
        let again = try house.connected()
        let own = try #require(again.frames.compactMap(\.node).first { $0.number == house.number })
        #expect(own.user?.longName == "Hut")
    }

    /// Who has read nothing yet has nothing to read again.
    @Test func whoHasNoSettingsStays() throws {
        let house = try SharedHouse([.admin], closes: true)
        let (one, mute) = (try house.connected(), try house.connect())
        mute.send(.heartbeat(nonce: 0))
        one.administer(0x72, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        #expect(one.waitForEnd() == .fin)
        try mute.settle()
        mute.send(.wantConfig(5))
        _ = try #require(mute.wait { $0.contains { $0.message == .configComplete(5) } })
    }
}
