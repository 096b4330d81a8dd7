import JSON
import MeshModel
import Testing

@testable import MQTTBridge

/// Entities that are there because a broker's file asks for them.
@Suite struct WhatTheFileNoLongerAsksForGoes {
    private static let radio = DeviceID.radio("89abcdef")

    private func house(_ spoken: Set<String>) -> [Device] {
        var house = Device.house(0)
        house[1].components.formUnion(spoken)
        return house
    }

    private func components(_ home: FakeHome) -> [String: JSONValue] {
        guard case .object(let components)? = home.configuration(Self.radio)?["cmps"] else { return [:] }
        return components
    }

    @Test func withItsPlatformAlone() throws {
        var home = FakeHome(house(["event_text_1", "event_text_direct", "notify_text_1", "button_restart"]))
        home.connectAndSettle()
        #expect(components(home).count == 5)
        home.plan.show(house(["event_text_1"]), at: home.now)
        home.work()
        var left = components(home)
        #expect(left["event_text_1"]?["state_topic"]?.string == "mesh-gateway/0a1b2c3d/radio_89abcdef/event/text_1")
        for (gone, platform) in [
            ("event_text_direct", "event"), ("notify_text_1", "notify"), ("button_restart", "button"),
        ] {
            #expect(left[gone] == .object(["p": .string(platform)]), "\(gone)")
        }
        // A restart knows it by its name alone.
        home.restart(house(["event_text_1"]))
        home.connectAndSettle()
        #expect(components(home) == left)
        // Asked for again, it is whole again.
        home.plan.show(house(["event_text_1", "notify_text_1"]), at: home.now)
        home.work()
        left = components(home)
        #expect(
            left["notify_text_1"]?["command_topic"]?.string == "mesh-gateway/0a1b2c3d/radio_89abcdef/command/text_1")
    }

    /// A Home Assistant that was not running has it still: it sees it come and go once more, each time that it starts.
    @Test func alsoFromAHomeAssistantThatWasAway() throws {
        var home = FakeHome(house(["event_text_1", "notify_text_1"]))
        home.connectAndSettle()
        home.plan.show(house(["event_text_1"]), at: home.now)
        home.pass(seconds: 10)
        for _ in 0..<2 {
            let place = home.log.count
            home.homeStarts()
            let told = home.log[place...].filter { $0.topic == FakeHome.names.configuration(Self.radio.object) }
                .compactMap { JSONValue($0.payload)?["cmps"]?["notify_text_1"] }
            #expect(told.count == 2)
            #expect(told.first?["command_topic"] != nil && told.last == .object(["p": .string("notify")]))
            #expect(components(home)["notify_text_1"] == .object(["p": .string("notify")]))
        }
        // Where nothing was withdrawn, no configuration comes again.
        var other = FakeHome(house(["event_text_1"]))
        other.connectAndSettle()
        let place = other.log.count
        other.homeStarts()
        #expect(!other.published(since: place).contains { $0.hasSuffix("/config") })
    }

    /// A value that is silent for a while is no entity that nobody asks for.
    @Test func aValueStays() {
        var home = FakeHome(Device.house(1))
        home.connectAndSettle()
        var node = Device.node(0x100)
        node.components.remove("sensor_temperature")
        node.reports[.environment] = nil
        home.plan.show([node], at: home.now)
        home.work()
        #expect(home.plan.memory[.node(NodeNumber(0x100))]?.components.contains("sensor_temperature") == true)
    }

    @Test func everyOneIsAsHomeAssistantTakesIt() throws {
        var device = Device(.node(NodeNumber(0x100)), name: "Roof")
        device.components = Set(Entity.allSpoken.map(\.component))
        let names = FakeHome.names
        let payload = device.configuration(names, components: device.components, version: "1.0")
        #expect(mistakes(inConfiguration: payload, at: names.configuration(device.id.object)) == [])
        // 9 that are fixed, and two for each of eight channels.
        #expect(device.components.count == 25)
        for component in device.components { #expect(Entity.named(component)?.component == component) }
        for other in ["event_text_8", "notify_text_", "button_text", "event_", ""] {
            #expect(Entity.named(other) == nil)
        }
    }

    @Test func aDeviceIsHeardOnceItsConfigurationIsTaken() {
        var home = FakeHome(house(["event_text_1"]))
        #expect(home.plan.hearing(of: Self.radio) == .later)
        home.connect()
        #expect(home.plan.hearing(of: Self.radio) == .later)
        home.pass(seconds: 10)
        guard case .from(let time) = home.plan.hearing(of: Self.radio) else {
            Issue.record("\(home.plan.hearing(of: Self.radio))")
            return
        }
        #expect(time <= home.now.steady && time > 2_000)
        home.delete(Self.radio)
        #expect(home.plan.hearing(of: Self.radio) == .never)
        #expect(home.plan.hearing(of: .node(NodeNumber(7))) == .never)
    }
}
