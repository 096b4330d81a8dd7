import JSON
import MeshModel
import Testing

@testable import MQTTBridge

/// Every configuration and every state keeps to the rules of Home Assistant's documentation.
@Suite struct HomeAssistantTakesEveryDevice {
    /// A node that has told everything that there is.
    private static var talker: Device {
        var device = Device.node(0xA1B2_C3D4)
        device.components = Set(Entity.all.keys).subtracting(Entity.ofGateway.map(\.component))
        return device
    }

    @Test func withEverythingThatThereIs() throws {
        let topic = FakeHome.names.configuration(Self.talker.id.object)
        let payload = Self.talker.configuration(
            FakeHome.names, components: Self.talker.components, gone: ["sensor_version"], version: "3.0")
        #expect(mistakes(inConfiguration: payload, at: topic) == [])
        // We read it back, and take 64 kB.
        #expect(payload.count < 60_000, "\(payload.count)")
        guard case .object(let components)? = JSONValue(payload)?["cmps"] else {
            Issue.record("no cmps")
            return
        }
        #expect(components.count == Self.talker.components.count + 1)
        #expect(components["sensor_version"] == .object(["p": .string("sensor")]))
    }

    @Test func aHouse() throws {
        var home = FakeHome(Device.house(3))
        home.connectAndSettle()
        let configurations = home.kept.filter { FakeHome.names.object(ofConfiguration: $0.key) != nil }
        #expect(configurations.count == 5)
        for (topic, kept) in configurations { #expect(mistakes(inConfiguration: kept.payload, at: topic) == []) }
        for device in Device.house(3) {
            let configuration = try #require(home.kept[FakeHome.names.configuration(device.id.object)])
            for group in device.reports.keys where group != .position {
                let topic = FakeHome.names.state(device.id, group)
                let state = try #require(home.kept[topic], "\(topic)")
                #expect(missingKeys(configuration.payload, topic: topic, state: state.payload) == [])
            }
        }
        #expect(home.state(.node(NodeNumber(0x100)), .device)?["voltage"] == .number(4.05))
        #expect(home.state(.node(NodeNumber(0x100)), .node)?["last_heard"]?.string == "2026-11-18T11:06:40.000Z")
    }

    /// What is not known is null, and of a position nothing may be.
    @Test func withValuesMissing() throws {
        var device = Device.node(0x100)
        device.reports[.device] = Device.Report(at: FakeHome.start, values: [:])
        let state = try #require(device.state(of: .device, components: device.components))
        #expect(String(decoding: state, as: UTF8.self) == #"{"powered":null,"battery_level":null,"voltage":null}"#)
        #expect(device.state(of: .health, components: device.components) == nil)
        // A group that has no report any more.
        device.reports[.link] = nil
        let link = try #require(device.state(of: .link, components: device.components))
        #expect(String(decoding: link, as: UTF8.self) == #"{"snr":null}"#)
        let position = try #require(device.state(of: .position, components: device.components))
        #expect(!String(decoding: position, as: UTF8.self).contains("null"))
    }

    /// Names of the mesh are anybody's.
    @Test(arguments: [
        "a/b+c#d", "\"quoted\" \\ {{ states }}", String(repeating: "ü", count: 400), "\u{0}\u{1}\n", "🤖‍",
    ])
    func underAnyName(name: String) throws {
        var device = Device.node(0x100)
        (device.name, device.software) = (name, name)
        let payload = device.configuration(FakeHome.names, components: device.components, version: "1.0")
        #expect(mistakes(inConfiguration: payload, at: FakeHome.names.configuration(device.id.object)) == [])
        let shown = try #require(JSONValue(payload)?["dev"]?["name"]?.string)
        #expect(shown == name.cut(to: 255) && shown.unicodeScalars.count <= 255)
    }

    @Test func textsAreCutToWhatAStateHolds() throws {
        var device = Device(.gateway, name: "g")
        device.components = ["sensor_problems", "sensor_version"]
        let sentence = String(repeating: "é", count: 300)
        device.reports[.state] = Device.Report(
            at: 0,
            values: ["version": .text(sentence), "problems": .whole(1), "problems_attribute_disk": .text(sentence)])
        let state = try #require(device.state(of: .state, components: device.components).flatMap { JSONValue($0) })
        #expect(state["version"]?.string?.unicodeScalars.count == 255)
        // Attributes are not states: a sentence stays whole.
        #expect(state["problems"] == .number(1) && state["problems_attributes"] == .object(["disk": .string(sentence)]))
    }
}
