import MeshModel
import Testing

@testable import MQTTBridge

/// Home Assistant's `online` once a second: the values are published again within thirty seconds of the first all the same.
@Test func whoSaysOnlineAgainPutsNothingOff() {
    var home = FakeHome(Device.house(1))
    home.connectAndSettle()
    let before = home.log.count
    for _ in 0..<30 {
        home.plan.received(FakeHome.names.birth, Array("online".utf8), isRetained: false, at: home.now)
        home.pass(seconds: 1)
    }
    #expect(home.log.count > before)
}
