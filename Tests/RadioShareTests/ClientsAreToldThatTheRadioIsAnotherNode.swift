import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// The radio has a new key and with it a new number, while clients are connected: they hear that it has restarted, stay
/// connected, and get its new number with the handshake that they ask for then.
@Suite struct ClientsAreToldThatTheRadioIsAnotherNode {
    @Test func andServedUnderTheNewNumber() throws {
        let house = try SharedHouse([.send]) { $0.firmware = .v2_8_1 }
        let old = house.number
        let apps = [try house.connected(), try house.connected()]
        house.simulated.misbehave(.liveNumberChange)
        for app in apps {
            _ = try #require(app.wait { $0.contains { $0.message == .rebooted } })
            #expect(eventually { house.gateway.handshake(of: house.source)?.own == house.number })
            app.send(.wantConfig(8))
            let frames = try #require(app.wait { $0.contains { $0.message == .configComplete(8) } })
            let numbers = frames.compactMap { if case .myInfo(let info) = $0.message { info.number } else { nil } }
            #expect(numbers == [old, house.number] && old != house.number)
        }
        apps[0].text(0xC0DE, "from the new number")
        let heard = house.simulated.waitForPacket(timeout: 90) { $0.id == 0xC0DE }
        #expect(heard.map { $0.from.rawValue == 0 || $0.from == house.number } == true)
    }
}
