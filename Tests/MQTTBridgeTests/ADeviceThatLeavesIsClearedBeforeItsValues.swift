import Foundation
import MeshModel
import Testing

@testable import MQTTBridge

/// Home Assistant reads each message of a value that it listens to, and an empty one is an error in its log. So the configuration goes
/// first, and whatever ends the gateway between the two leaves nothing at the broker.
@Suite struct ADeviceThatLeavesIsClearedBeforeItsValues {
    private static let node = DeviceID.node(NodeNumber(0x100))
    private let node = Self.node

    /// What was published with an empty payload, in its order.
    private func emptied(_ home: FakeHome, since place: Int) -> [String] {
        home.log[place...].filter(\.payload.isEmpty).map(\.topic)
    }

    @Test func atARealBroker() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port) { messages in
            messages.keys.contains { $0.hasSuffix("/00000101/environment") }
                && messages.keys.contains { $0.hasSuffix("/00000101/link") }
        }
        let reader = try RunningLoop(
            .local(mosquitto.port) { $0.clientID = "reader" }, gateway: "ffffffff",
            user: RecordedUser(subscribingTo: ["homeassistant/#", "mesh-gateway/#"]))
        defer { reader.stop() }
        reader.user.wait("subscribed") { $0.isAllowed == true }
        try test.forget(0x101)
        reader.user.wait("nothing of it is there") { state in
            state.received.count { $0.payload.isEmpty && $0.topic.contains("/00000101/") } == 4
        }
        let gone = reader.user.state.withLock { $0.received.filter(\.payload.isEmpty).map(\.topic) }
        #expect(gone.first?.hasSuffix("/00000101/config") == true, "\(gone)")
        #expect(try !Retained(at: mosquitto.port).messages.keys.contains { $0.contains("00000101") })
    }

    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func someTimeBefore(version: ProtocolChoice.Version) throws {
        var home = FakeHome(Device.house(), version: version)
        home.connectAndSettle()
        let place = home.log.count
        home.plan.show([], gone: [node], at: home.now)
        home.work()
        #expect(emptied(home, since: place) == [FakeHome.names.configuration(node.object)])
        home.pass(seconds: 1)
        #expect(emptied(home, since: place).count == 1)
        home.pass(seconds: 2)
        #expect(emptied(home, since: place).count == (version == .mqtt5 ? 6 : 3))
        #expect(!home.kept.keys.contains { $0.contains(node.object) })
        #expect(home.stored[node]?.state == .removed && home.stored[node]?.hasValues == false)
    }

    /// - Parameter byPerson: Home Assistant has emptied the configuration, instead of us.
    @Test(arguments: [false, true])
    func aKillBetweenTheTwoLeavesNothing(byPerson: Bool) throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        if byPerson {
            home.delete(node)
        } else {
            home.plan.show([], gone: [node], at: home.now)
        }
        home.work()
        #expect(!home.shown.contains(node.object) && home.state(node, .environment) != nil)
        // As a database has it.
        let row = try #require(home.stored[node]).row(node, at: "house")
        home.stored[node] = Memory(row)
        home.restart(byPerson ? Device.house() : Device.house().filter { $0.id != node })
        home.connectAndSettle()
        #expect(!home.kept.keys.contains { $0.contains(node.object) }, "\(home.kept.keys)")
        #expect(home.stored[node]?.state == (byPerson ? .deleted : .removed))
        #expect(home.stored[node]?.hasValues == false && home.shown.count == 3)
    }

    /// Of what stands there and nobody remembers, such as after a database was restored.
    @Test func alsoWhatNobodyRemembers() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.stored[node] = nil
        home.restart(Device.house().filter { $0.id != node })
        let place = home.log.count
        home.connectAndSettle()
        #expect(!home.kept.keys.contains { $0.contains(node.object) })
        #expect(emptied(home, since: place).first == FakeHome.names.configuration(node.object))
        #expect(home.stored[node] == nil)
    }

    /// It is shown again before its values were emptied.
    @Test func whatComesBackMeanwhileKeepsItsValues() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.pass(seconds: 1)
        home.plan.show([.node(0x100, at: home.now.wall)], at: home.now)
        home.pass(seconds: 10)
        #expect(home.shown.contains(node.object) && home.stored[node]?.hasValues == false)
        #expect(home.state(node, .environment) != nil && home.state(node, .position) != nil)
    }

    /// The same of a broker that is taken out; when the service ends meanwhile, the rest goes at once.
    @Test(arguments: [false, true])
    func aBrokerLikewise(isHurried: Bool) throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        home.plan.sayGoodbye(isForGood: true)
        home.work()
        #expect(emptied(home, since: place).allSatisfy { $0.hasSuffix("/config") })
        #expect(emptied(home, since: place).count == 4)
        if isHurried { home.plan.sayGoodbye(isForGood: false) }
        home.pass(seconds: isHurried ? 0 : 3)
        #expect(home.kept == [:] && home.plan.deadline == nil)
    }
}
