import MeshModel
import MeshProtocol
import Testing

@Suite struct TelemetryKeepsWhatWasMeasured {
    static let kinds: [Telemetry.Kind] = [
        .device, .environment, .airQuality, .power, .localStats, .health, .host, .trafficManagement, .soilWater,
    ]

    func read(_ hex: String) -> Telemetry? {
        if case .telemetry(let telemetry) = PacketContent(MeshData(port: .telemetry, payload: bytes(hex))) {
            telemetry
        } else {
            nil
        }
    }

    /// Every metric of every kind, one after the other and all together.
    @Test(arguments: kinds) func everyMetric(_ kind: Telemetry.Kind) {
        let all = kind.metrics.enumerated().map { Telemetry.Value($0.element.name, Double($0.offset + 1)) }
        let packets = all.map { Telemetry(time: 5, kind: kind, values: [$0]) } + [Telemetry(kind: kind, values: all)]
        for packet in packets {
            #expect(PacketContent(MeshData(port: .telemetry, payload: packet.encoded())) == .telemetry(packet))
        }
    }

    @Test func zeroIsMeasuredAndAbsentIsNot() {
        // device_metrics { battery_level: 0, voltage: 0 }
        #expect(
            read("12 07 08 00 15 00 00 00 00")
                == Telemetry(kind: .device, values: [.init("batteryLevel", 0), .init("voltage", 0)]))
        #expect(read("12 00") == Telemetry(kind: .device, values: []))
    }

    @Test func notANumberIsDropped() {
        // voltage NaN, channel_utilization infinite, air_util_tx -infinite, uptime 1
        #expect(
            read("12 11 15 00 00 c0 7f 1d 00 00 80 7f 25 00 00 80 ff 28 01")
                == Telemetry(kind: .device, values: [.init("uptimeSeconds", 1)]))
    }

    @Test func signsAndSizes() {
        // local_stats { noise_floor: -95 }, host_metrics { freemem_bytes: 2^40, user_string: "up" }
        #expect(
            read("32 0b 78 a1 ff ff ff ff ff ff ff ff 01")
                == Telemetry(kind: .localStats, values: [.init("noiseFloor", -95)]))
        #expect(
            read("42 0b 10 80 80 80 80 80 20 4a 02 75 70")
                == Telemetry(kind: .host, values: [.init("hostFreememBytes", 1_099_511_627_776)], text: "up"))
    }

    @Test func theOldOneWireListHasTheNewNames() {
        // one_wire_temperature: [1.5, NaN, -2]
        #expect(
            read("1a 0f ba 01 0c 00 00 c0 3f 00 00 c0 7f 00 00 00 c0")
                == Telemetry(
                    kind: .environment,
                    values: [.init("oneWireTemperatureCh0", 1.5), .init("oneWireTemperatureCh2", -2)]))
    }

    @Test func whatDoesNotFitIsClamped() {
        let telemetry = Telemetry(kind: .device, values: [.init("batteryLevel", -1), .init("uptimeSeconds", 1e300)])
        let again = PacketContent(MeshData(port: .telemetry, payload: telemetry.encoded()))
        #expect(
            again
                == .telemetry(
                    Telemetry(kind: .device, values: [.init("batteryLevel", 0), .init("uptimeSeconds", 4_294_967_295)]))
        )
    }

    @Test func units() {
        #expect(Telemetry.unit(of: "batteryLevel") == "%")
        #expect(Telemetry.unit(of: "pm10Standard") == "µg/m³")
        #expect(Telemetry.unit(of: "hostLoad15") == "load")
        #expect(Telemetry.unit(of: "pmStatusFlags") == nil)
        #expect(Telemetry.unit(of: "unheard") == nil)
    }
}
