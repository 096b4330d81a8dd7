import MeshModel
import Testing

@testable import MQTTBridge

@Suite struct OnlyWhatDiffersIsPublished {
    private let node = DeviceID.node(NodeNumber(0x100))

    /// Gateway and radios first: a device that leads to one that is not there makes a nameless one.
    @Test func everythingAtFirstInItsOrder() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let objects = home.log.compactMap { FakeHome.names.object(ofConfiguration: $0.topic).map(String.init) }
        #expect(objects == ["gateway", "radio_89abcdef", "00000100", "00000101"])
        #expect(home.log.first?.topic == FakeHome.names.status)
        #expect(home.kept[FakeHome.names.status]?.payload == Array("online".utf8))
        #expect(home.stored.values.map(\.state).allSatisfy { $0 == .published } && home.stored.count == 4)
    }

    @Test func nothingOfItTwice() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        home.disconnect()
        home.connectAndSettle()
        let again = home.published(since: place)
        #expect(!again.contains { FakeHome.names.object(ofConfiguration: $0) != nil }, "\(again)")
        // Values are levels: they are told again.
        #expect(again.contains(FakeHome.names.state(node, .environment)))
    }

    @Test func neitherAfterARestart() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        home.restart(Device.house())
        home.connectAndSettle()
        #expect(!home.published(since: place).contains { FakeHome.names.object(ofConfiguration: $0) != nil })
    }

    /// An upgrade changes every configuration: all of it, once, and its values behind it.
    @Test func allOfItAfterAnUpgrade() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        home.restart(Device.house(), version: "2.0")
        home.connectAndSettle()
        let again = home.published(since: place)
        #expect(again.count { FakeHome.names.object(ofConfiguration: $0) != nil } == 4)
        let configuration = again.firstIndex(of: FakeHome.names.configuration(node.object))
        let state = again.firstIndex(of: FakeHome.names.state(node, .environment))
        #expect(configuration! < state!)
    }

    /// What it measures is no part of a configuration.
    @Test func aReportIsOneMessage() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        for _ in 0..<2 {
            // Also the same again: it is the word that the sensor lives.
            home.plan.show(
                [.node(0x100, at: home.now.wall)], reported: [.init(device: node, group: .environment)], at: home.now)
            home.pass(seconds: 1)
        }
        #expect(home.published(since: place) == [String](repeating: FakeHome.names.state(node, .environment), count: 2))
    }

    @Test func linksOnceAMinute() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        for second in 0..<180 {
            var device = Device.node(0x100, at: home.now.wall)
            device.reports[.link]?.values["snr"] = .whole(Int64(second))
            home.plan.show([device], reported: [.init(device: node, group: .link)], at: home.now)
            home.pass(seconds: 1)
        }
        home.pass(seconds: 61)
        let count = home.published(since: place).count { $0 == FakeHome.names.state(node, .link) }
        #expect((3...4).contains(count), "\(count)")
        // The last word is not swallowed.
        #expect(home.state(node, .link)?["snr"] == .number(179))
    }

    /// A changed configuration makes its measured values unavailable until they are published again, and values that follow it
    /// at once are lost.
    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func valuesFollowAChangedConfiguration(version: ProtocolChoice.Version) throws {
        var home = FakeHome(Device.house(), version: version)
        home.connectAndSettle()
        var device = Device.node(0x100, at: home.now.wall)
        device.name = "Renamed"
        let place = home.log.count
        home.plan.show([device], at: home.now)
        home.pass(seconds: 1)
        #expect(home.published(since: place).first == FakeHome.names.configuration(node.object))
        #expect(!home.published(since: place).contains(FakeHome.names.state(node, .environment)))
        home.pass(seconds: 2)
        let published = home.published(since: place)
        for group in [Group.device, .environment, .link, .node, .position] {
            #expect(published.contains(FakeHome.names.state(node, group)), "\(group)")
        }
        // The same entities under another name.
        let configuration = try #require(home.configuration(node))
        #expect(configuration["dev"]?["name"]?.string == "Renamed")
        #expect(configuration["cmps"]?["sensor_snr"]?["unique_id"]?.string == "meshgw_0a1b2c3d_00000100_sensor_snr")
    }

    /// Measured values are kept for what is left of their life, and with MQTT 3.1.1 not at all.
    @Test func aValueIsKeptAsLongAsItCounts() throws {
        var home = FakeHome(Device.house())
        home.now.wall += 3_600_000
        home.connectAndSettle()
        let state = try #require(home.log.last { $0.topic == FakeHome.names.state(node, .environment) })
        let left = Int64(try #require(state.expiry))
        #expect(abs(left - 11 * 3600) < 60, "\(left)")
        #expect(home.log.last { $0.topic == FakeHome.names.state(node, .position) }?.expiry == nil)
        home.pass(seconds: 12 * 3600)
        #expect(home.state(node, .environment) == nil)
        #expect(home.state(node, .node) != nil && home.state(node, .position) != nil)
        // What is over is not published again.
        home.disconnect()
        let place = home.log.count
        home.connectAndSettle()
        #expect(!home.published(since: place).contains(FakeHome.names.state(node, .environment)))

        var old = FakeHome(Device.house(), version: .mqtt311)
        old.connectAndSettle()
        #expect(old.state(node, .environment) == nil && old.state(node, .node) != nil)
        #expect(old.log.contains { $0.topic == FakeHome.names.state(node, .environment) && !$0.isRetained })
    }

    /// After Home Assistant's `online` all values, some seconds later; the word of before is not one.
    @Test func allValuesWhenHomeAssistantStarts() {
        for version in [ProtocolChoice.Version.mqtt5, .mqtt311] {
            var home = FakeHome(Device.house(), version: version)
            home.connectAndSettle()
            let place = home.log.count
            home.plan.received(FakeHome.names.birth, Array("online".utf8), isRetained: true, at: home.now)
            home.plan.received(FakeHome.names.birth, Array("offline".utf8), isRetained: false, at: home.now)
            home.pass(seconds: 40)
            #expect(home.published(since: place) == [])
            home.plan.received(FakeHome.names.birth, Array("online".utf8), isRetained: false, at: home.now)
            home.pass(seconds: 4)
            #expect(home.published(since: place) == [])
            home.pass(seconds: 30)
            let published = home.published(since: place)
            #expect(published.count == 12 && Set(published).count == 12, "\(published)")
            #expect(!published.contains { FakeHome.names.object(ofConfiguration: $0) != nil })
        }
    }

    /// A new value is a new entity; what is no longer told stays until somebody asks for order.
    @Test func aComponentComesAndGoes() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        var device = Device.node(0x100, at: home.now.wall)
        device.components.insert("sensor_humidity")
        device.components.remove("sensor_temperature")
        home.plan.show([device], at: home.now)
        home.pass(seconds: 5)
        let components = try #require(home.configuration(node)?["cmps"])
        #expect(components["sensor_humidity"]?["unit_of_measurement"]?.string == "%")
        #expect(components["sensor_temperature"]?["name"] != nil)
        home.plan.refresh(at: home.now)
        home.pass(seconds: 5)
        // Its platform alone takes it away, and stays there.
        let after = try #require(home.configuration(node)?["cmps"])
        #expect(after["sensor_temperature"] == .object(["p": .string("sensor")]))
        home.restart([device])
        let place = home.log.count
        home.connectAndSettle()
        #expect(!home.published(since: place).contains(FakeHome.names.configuration(node.object)))
    }

    /// A report beyond what was measured before changes how long all of them count, and that the configuration.
    @Test func aLifeChangesSeldom() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        func expiry() -> Int64? {
            home.configuration(node)?["cmps"]?["sensor_temperature"]?["expire_after"]?.integer
        }
        #expect(expiry() == (12 * 3600) as Int64)
        var device = Device.node(0x100, at: home.now.wall)
        device.times[.environment] = (0..<5).map { home.now.wall - $0 * 900_000 }
        home.plan.show([device], at: home.now)
        home.pass(seconds: 5)
        #expect(expiry() == (2 * 3600) as Int64)
        device.times[.environment] = (0..<5).map { home.now.wall - $0 * 9_000_000 }
        home.plan.show([device], at: home.now)
        home.pass(seconds: 5)
        #expect(expiry() == (2 * 3600) as Int64)
        #expect(home.configuration(node)?["cmps"]?["sensor_battery_level"]?["expire_after"] == .number(43_200))
    }

    /// No more than 20 at a time, and a thousand nodes one after the other.
    @Test func aThousandNodes() {
        var home = FakeHome(Device.house(1_000))
        home.connectAndSettle()
        home.pass(seconds: 150)
        #expect(home.shown.count == 1_002)
        let place = home.log.count
        home.homeStarts()
        home.pass(seconds: 120)
        #expect(home.log.count - place == 5_002)
    }
}
