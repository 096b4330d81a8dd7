import MeshModel
import Testing

@testable import MQTTBridge

/// Names of topics, keys and entities: users' automations hold on to them.
@Suite struct AKeyNamesOneValueForEver {
    @Test(arguments: [
        ("batteryLevel", "battery_level"), ("rainfall1h", "rainfall1h"), ("spO2", "sp_o2"), ("co2", "co2"),
        ("pm10Standard", "pm10_standard"), ("hostDiskfree1Bytes", "host_diskfree1_bytes"),
        ("adcVoltageCh0", "adc_voltage_ch0"), ("envVoltage", "env_voltage"), ("iaq", "iaq"),
    ])
    func inSnakeCase(name: String, key: String) { #expect(snakeCase(name) == key) }

    @Test func everyKeyIsThereOnce() {
        let kinds: [Telemetry.Kind] = [
            .device, .localStats, .environment, .soilWater, .airQuality, .power, .health, .host,
        ]
        // Two kinds of telemetry share the group `device` and three of its values.
        var groups: [String: Set<Group>] = [:]
        for entity in kinds.flatMap(Entity.measured) { groups[entity.key, default: []].insert(entity.group!) }
        for (key, found) in groups { #expect(found.count == 1, "\(key) is in \(found)") }
        #expect(Entity.all["sensor_battery_level"]?.deviceClass == "battery")
        #expect(Entity.all["sensor_wind_direction"]?.stateClass == "measurement_angle")
        #expect(Entity.all["binary_sensor_powered"]?.group == .device)
        #expect(Entity.measured(.trafficManagement).isEmpty)
    }

    @Test func topicsAndIdentifiers() {
        let names = TopicNames(gateway: "0a1b2c3d", prefix: "ha")
        let node = DeviceID.node(NodeNumber(0xAB))
        #expect(node.object == "000000ab")
        #expect(names.configuration(node.object) == "ha/device/meshgw_0a1b2c3d/000000ab/config")
        #expect(names.state(node, .environment) == "mesh-gateway/0a1b2c3d/000000ab/environment")
        #expect(names.status == "mesh-gateway/0a1b2c3d/status")
        #expect(names.identifier(.gateway) == "meshgw_0a1b2c3d_gateway")
        #expect(names.uniqueID(node, "sensor_snr") == "meshgw_0a1b2c3d_000000ab_sensor_snr")
        #expect(names.object(ofConfiguration: "ha/device/meshgw_0a1b2c3d/gateway/config") == "gateway")
        for other in [
            "ha/device/meshgw_0a1b2c3d//config", "ha/device/meshgw_0a1b2c3d/a/b/config",
            "ha/device/meshgw_99999999/gateway/config", "ha/device/meshgw_0a1b2c3d/gateway", "ha/status", "",
        ] {
            #expect(names.object(ofConfiguration: other) == nil, "\(other)")
        }
    }

    @Test func anObjectIsOursOrNot() {
        var source = Source(uuid: "89abcdef-0000-4000-8000-000000000000", name: "a", isEnabled: true, createdAt: 0)
        #expect(DeviceID(source: source) == .radio("89abcdef"))
        source.name = "b"
        for id in [DeviceID.gateway, .radio("89abcdef"), .node(NodeNumber(0xA1B2_C3D4))] {
            #expect(DeviceID(object: id.object) == id)
        }
        for other in ["", "radio_", "radio_89ABCDEF", "a1b2c3d", "A1B2C3D4", "gateways", "+", "#"] {
            #expect(DeviceID(object: other) == nil, "\(other)")
        }
        // What others lead to comes first.
        #expect(
            [DeviceID.node(NodeNumber(5)), .radio("ffffffff"), .gateway].sorted() == [
                .gateway, .radio("ffffffff"), .node(NodeNumber(5)),
            ])
    }
}
