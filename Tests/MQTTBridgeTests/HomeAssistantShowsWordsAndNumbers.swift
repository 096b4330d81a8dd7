import Foundation
import JSON
import MeshModel
import MeshProtocol
import Platform
import Testing

@testable import MQTTBridge

/// What people read in Home Assistant: names, words, units that fit a dashboard.
@Suite struct HomeAssistantShowsWordsAndNumbers {
    private static func configuration(_ device: Device) throws -> JSONValue {
        let bytes = device.configuration(FakeHome.names, components: device.components, version: "1.0")
        #expect(mistakes(inConfiguration: bytes, at: FakeHome.names.configuration(device.id.object)) == [])
        return try #require(JSONValue(bytes))
    }

    @Test func aRadioIsCalledAsItself() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway(publicURL: "https://mesh.example/")
        defer { test.stop() }
        let (source, own) = (test.source, NodeNumber(0x0A0B_0C0D))
        let uuid = try test.store.commit { writer in
            try writer.update(source) { found in
                (found.nodeNumber, found.firmwareVersion) = (own, "2.8.0.775406858")
            }
            try writer.updateNode(own, in: source, at: WallClock.milliseconds()) { row in
                (row.longName, row.hardwareModel) = ("Roof radio", 43)
            }
            return try writer.sources()[0].1.uuid
        }
        try test.hear(0x101, temperature: 1, name: "Hut")
        try test.configure(mosquitto.port)
        let kept = try Retained(at: mosquitto.port) { $0.keys.count { $0.hasSuffix("/config") } == 3 }
        func device(_ object: String) throws -> JSONValue {
            let text = try #require(kept.messages.first { $0.key.hasSuffix("/\(object)/config") }?.value)
            return try #require(JSONValue(Array(text.utf8))?["dev"])
        }
        let radio = try device(test.radio.object)
        #expect(radio["name"] == .string("Roof radio") && radio["mdl"] == .string("Heltec V3"))
        #expect(radio["sw"] == .string("2.8.0 (775406858)"))
        #expect(radio["cu"] == .string("https://mesh.example/#/\(uuid)"))
        #expect(try device("gateway")["cu"] == .string("https://mesh.example/"))
        #expect(try device("00000101")["cu"] == .string("https://mesh.example/#/\(uuid)/n/!00000101"))
    }

    @Test func withoutAPublicAddressThereIsNoLink() throws {
        #expect(try Self.configuration(.node(0x100))["dev"]?["cu"] == nil)
    }

    @Test(
        arguments: [
            (43, "Heltec V3"), (4, "T-Beam"), (9, "RAK4631"), (7, "T-Echo"), (3, "T-LoRa V2.1 1P6"), (25, "Station G1"),
            (50, "T-Deck"), (37, "Portduino"), (47, "Raspberry Pi Pico"), (0, nil), (9_999, nil),
        ] as [(UInt32, String?)])
    func hardwareIsWords(model: UInt32, words: String?) { #expect(EnumNames.hardwareWords(model) == words) }

    @Test func noHardwareHasALineBelowIt() {
        let all = (1...300 as ClosedRange<UInt32>).compactMap { EnumNames.hardwareWords($0) }
        #expect(all.count > 100 && !all.contains { $0.contains("_") || $0.isEmpty })
    }

    /// Messages keep the REST API's units, and Home Assistant divides.
    @Test func uptimeIsDaysAndSizesAreMegabytes() throws {
        var device = Device.node(0x100)
        device.components.formUnion(["sensor_uptime_seconds", "sensor_heap_free_bytes"])
        let components = try #require(try Self.configuration(device)["cmps"])
        let uptime = try #require(components["sensor_uptime_seconds"])
        #expect(uptime["unit_of_measurement"] == .string("d") && uptime["device_class"] == .string("duration"))
        let template =
            "{{ (value_json.uptime_seconds / 86400) | round(4) if value_json.uptime_seconds is number else None }}"
        #expect(uptime["value_template"] == .string(template))
        #expect(components["sensor_heap_free_bytes"]?["unit_of_measurement"] == .string("MB"))
        #expect(Entity.all["sensor_database_size"]?.unit == "MB")
    }

    @Test func problemsAreANumberWithSentences() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        let counts = try test.store.readCommitted { try GatewayCounts($0, at: 0) }
        var facts = GatewayFacts(version: "1.0")
        let sentence = "The disk is full. " + String(repeating: "Make room. ", count: 30)
        facts.problems = [
            Problem(.diskFailing, sentence), Problem(.portBusy, "Busy."), Problem(.portBusy, "Busy, too."),
        ]
        let device = Device.gateway(facts, counts, at: 0)
        let state = try #require(device.state(of: .state, components: device.components).flatMap { JSONValue($0) })
        #expect(state["problems"] == .number(3))
        let attributes = state["problems_attributes"]
        #expect(attributes?["disk-failing"] == .string(sentence) && attributes?["port-busy-2"] == .string("Busy, too."))
        let entity = try #require(try Self.configuration(device)["cmps"]?["sensor_problems"])
        #expect(entity["state_class"] == .string("measurement"))
    }

    @Test func aTrackerIsCalledAsItsNode() throws {
        guard case .object(let members)? = try Self.configuration(.node(0x100))["cmps"]?["device_tracker_position"]
        else {
            Issue.record("no tracker")
            return
        }
        #expect(members["name"] == .null)
    }

    /// With a class Home Assistant has its own.
    @Test func whatHasNoClassHasAnIcon() {
        for entity in Entity.all.values where entity.platform != .tracker {
            #expect((entity.deviceClass == nil) == (entity.icon != nil), "\(entity.component)")
        }
    }

    /// Of nodes that are no favourites, what few look at is disabled until somebody enables it there.
    @Test func fewValuesOfOthersThanFavourites() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.hear(0x102, temperature: 1, isFavorite: true)
        try test.configure(mosquitto.port)
        let kept = try Retained(at: mosquitto.port) { $0.keys.count { $0.hasSuffix("/config") } == 4 }
        func disabled(_ object: String) throws -> [String] {
            let text = try #require(kept.messages.first { $0.key.hasSuffix("/\(object)/config") }?.value)
            guard case .object(let components)? = JSONValue(Array(text.utf8))?["cmps"] else { return [] }
            return components.filter { $0.value["enabled_by_default"] == .bool(false) }.keys.sorted()
        }
        #expect(try disabled("00000101") == ["sensor_hops_away", "sensor_last_heard", "sensor_snr"])
        #expect(try disabled("00000102") == [])
        #expect(Entity.all.values.filter(\.isQuiet).map(\.key).sorted() == ["hops_away", "last_heard", "rssi", "snr"])
    }

    /// Users' cards and automations hold on to them.
    @Test func everyUniqueIDStays() {
        let ofNodes = [
            "binary_sensor_key_in_doubt", "device_tracker_position", "sensor_hops_away", "sensor_last_heard",
            "sensor_rssi", "sensor_snr",
        ]
        #expect(Entity.ofNodes.map(\.component).sorted() == ofNodes)
        let ofGateway = [
            "sensor_database_size", "sensor_nodes_heard", "sensor_problems", "sensor_texts_waiting", "sensor_version",
        ]
        #expect(Entity.ofGateway.map(\.component).sorted() == ofGateway)
        #expect(Entity.all["sensor_uptime_seconds"] != nil && Entity.all["sensor_host_diskfree1_bytes"] != nil)
        #expect(Entity.all.count == 138)
        for component in Entity.all.keys {
            let id = FakeHome.names.uniqueID(.node(NodeNumber(0x100)), component)
            #expect(id == "meshgw_0a1b2c3d_00000100_\(component)")
        }
    }
}
