import MeshModel
import Testing

@testable import MQTTBridge

/// Below our own topic anybody may publish anything who may publish there.
@Suite struct AForeignNameIsNotKept {
    /// The longest topic that MQTT allows.
    @Test func thatIsLongerThanOurs() {
        var home = FakeHome(Device.house(1))
        for number in 0..<100 {
            let object = "\(number)" + String(repeating: "x", count: 65_000)
            home.kept[FakeHome.names.configuration(object)] = .init(payload: Array("{}".utf8))
        }
        home.connectAndSettle()
        for number in 100..<200 {
            let topic = FakeHome.names.configuration("\(number)" + String(repeating: "x", count: 65_000))
            home.plan.received(topic, Array("{}".utf8), isRetained: false, at: home.now)
        }
        #expect(home.plan.present.count == 3 && home.plan.corrected.isEmpty && home.plan.clearings.isEmpty)
        #expect(!home.log.contains { $0.topic.utf8.count > 1_000 })
    }

    /// Those that could be ours are cleared, as many as 64 kB of topics are in one connection.
    @Test func beyondSomeKilobytes() {
        var home = FakeHome(Device.house(1))
        for number in 0..<4_000 {
            home.kept[FakeHome.names.configuration("x\(number)")] = .init(payload: Array("{}".utf8))
        }
        home.connect()
        home.pass(seconds: 3_600)
        let cleared = home.log.filter { $0.payload.isEmpty }
        let bytes = cleared.reduce(0) { $0 + $1.topic.utf8.count }
        #expect(!cleared.isEmpty && bytes <= Plan.mostGarbage)
        for number in 4_000..<8_000 {
            let topic = FakeHome.names.configuration("x\(number)")
            home.plan.received(topic, Array("{}".utf8), isRetained: false, at: home.now)
        }
        home.pass(seconds: 3_600)
        #expect(home.log.filter { $0.payload.isEmpty }.count == cleared.count)
        // The next connection goes on with the rest.
        home.disconnect()
        home.connect()
        home.pass(seconds: 3_600)
        #expect(home.log.filter { $0.payload.isEmpty }.count > cleared.count)
    }
}
