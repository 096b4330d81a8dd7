import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// When the settings are others, those who were given the old ones hear that the radio has restarted, and read them again on
/// the same connection. Without a change they hear nothing.
@Suite struct ChangedSettingsAreToldByRebooted {
    @Test func toAllWhoHaveTheOldOnes() throws {
        let house = try SharedHouse([.admin])
        let (a, b) = (try house.connected(), try house.connected())
        let mute = try house.connect()
        mute.send(.heartbeat(nonce: 0))
        a.administer(0xa1, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        _ = try #require(a.wait { $0.contains { $0.routing(0xa1) == RoutingError.none } })
        for app in [a, b] {
            _ = try #require(app.wait { $0.contains { $0.message == .rebooted } })
            app.send(.wantConfig(8))
            let frames = try #require(app.wait { $0.contains { $0.message == .configComplete(8) } })
            let own = try #require(frames.compactMap(\.node).last { $0.number == house.number })
            #expect(own.user?.longName == "Hut")
        }
        try a.settle()
        #expect(a.frames.count { $0.message == .rebooted } == 1)
        try mute.settle()
        #expect(mute.frames.allSatisfy { $0.status != nil })
        // A radio that says the same once more, and one that restarts.
        house.gateway.radios.all[0].readAgain()
        let handshakes = house.simulated.completedHandshakes
        #expect(eventually { house.simulated.completedHandshakes >= handshakes + 2 })
        house.simulated.reboot()
        #expect(eventually { house.simulated.completedHandshakes >= handshakes + 4 })
        try a.settle()
        #expect(a.frames.count { $0.message == .rebooted } == 1)
    }

    /// The radio takes a while to tell them: who comes meanwhile waits for the new ones.
    @Test func whoConnectsBehindTheChangeIsToldTheNewOnes() throws {
        let house = try SharedHouse([.admin]) { $0.timeScale = 2 }
        let app = try house.connected()
        app.administer(0xa2, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xa2) == RoutingError.none } })
        let late = try house.connected()
        let own = try #require(late.frames.compactMap(\.node).first { $0.number == house.number })
        #expect(own.user?.longName == "Hut")
        #expect(!late.frames.contains { $0.message == .rebooted })
    }

    /// A radio that leaves before it has told them is shown as it was told last.
    @Test func whenTheRadioLeavesBeforeNobodyWaits() throws {
        let house = try SharedHouse([.admin]) { $0.timeScale = 2 }
        let app = try house.connected()
        app.administer(0xa3, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        _ = try #require(app.wait { $0.contains { $0.routing(0xa3) == RoutingError.none } })
        house.simulated.unplug()
        #expect(eventually { !house.gateway.status(of: house.source).isConnected })
        _ = try house.connected()
        #expect(!house.gateway.isReadAgain(house.source))
    }
}
