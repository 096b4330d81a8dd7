extension Telemetry {
    /// One thing that telemetry can measure.
    public struct Metric: Hashable, Sendable {
        /// The field in the schema's message of this kind.
        public var field: UInt32
        public var fieldName: String
        /// The name under which the REST API shows it (Contract 3.7); the names of health, lightning, ADC, one-wire,
        /// soil and water values are ours, because upstream does not store those.
        public var name: String
        public var unit: String?

        init(_ field: UInt32, _ fieldName: String, _ name: String, _ unit: String?) {
            (self.field, self.fieldName, self.name, self.unit) = (field, fieldName, name, unit)
        }
    }

    /// The unit in which a value of this name is measured; nil for one without a unit, and for an unknown name.
    public static func unit(of name: String) -> String? { units[name] ?? nil }

    private static let units: [String: String?] = {
        let kinds: [Kind] = [
            .device, .environment, .airQuality, .power, .localStats, .health, .host, .trafficManagement, .soilWater,
        ]
        var units = Dictionary(
            kinds.flatMap(\.metrics).map { ($0.name, $0.unit) }, uniquingKeysWith: { first, _ in first })
        for (name, unit) in Position.units { units[name] = unit }
        for (name, unit) in Paxcount.units { units[name] = unit }
        for metric in DerivedMetric.allCases { units[metric.name] = metric.unit }
        return units
    }()
}

extension Telemetry.Kind {
    /// What a packet of this kind can hold, in the order of the schema. Host loads are in hundredths, as they are sent.
    public var metrics: [Telemetry.Metric] {
        switch self {
        case .device:
            [
                .init(1, "battery_level", "batteryLevel", "%"),
                .init(2, "voltage", "voltage", "V"),
                .init(3, "channel_utilization", "channelUtilization", "%"),
                .init(4, "air_util_tx", "airUtilTx", "%"),
                .init(5, "uptime_seconds", "uptimeSeconds", "s"),
            ]
        case .environment:
            [
                .init(1, "temperature", "temperature", "°C"),
                .init(2, "relative_humidity", "humidity", "%"),
                .init(3, "barometric_pressure", "pressure", "hPa"),
                .init(4, "gas_resistance", "gasResistance", "MΩ"),
                .init(5, "voltage", "envVoltage", "V"),
                .init(6, "current", "envCurrent", "mA"),
                .init(7, "iaq", "iaq", "IAQ"),
                .init(8, "distance", "distance", "mm"),
                .init(9, "lux", "lux", "lux"),
                .init(10, "white_lux", "whiteLux", "lux"),
                .init(11, "ir_lux", "irLux", "lux"),
                .init(12, "uv_lux", "uvLux", "lux"),
                .init(13, "wind_direction", "windDirection", "°"),
                .init(14, "wind_speed", "windSpeed", "m/s"),
                .init(15, "weight", "weight", "kg"),
                .init(16, "wind_gust", "windGust", "m/s"),
                .init(17, "wind_lull", "windLull", "m/s"),
                .init(18, "radiation", "radiation", "µR/h"),
                .init(19, "rainfall_1h", "rainfall1h", "mm"),
                .init(20, "rainfall_24h", "rainfall24h", "mm"),
                .init(21, "soil_moisture", "soilMoisture", "%"),
                .init(22, "soil_temperature", "soilTemperature", "°C"),
                .init(24, "adc_voltage_ch0", "adcVoltageCh0", "V"),
                .init(25, "adc_voltage_ch1", "adcVoltageCh1", "V"),
                .init(26, "adc_voltage_ch2", "adcVoltageCh2", "V"),
                .init(27, "adc_voltage_ch3", "adcVoltageCh3", "V"),
                .init(28, "adc_voltage_ch4", "adcVoltageCh4", "V"),
                .init(29, "adc_voltage_ch5", "adcVoltageCh5", "V"),
                .init(30, "adc_voltage_ch6", "adcVoltageCh6", "V"),
                .init(31, "adc_voltage_ch7", "adcVoltageCh7", "V"),
                .init(32, "one_wire_temperature_ch0", "oneWireTemperatureCh0", "°C"),
                .init(33, "one_wire_temperature_ch1", "oneWireTemperatureCh1", "°C"),
                .init(34, "one_wire_temperature_ch2", "oneWireTemperatureCh2", "°C"),
                .init(35, "one_wire_temperature_ch3", "oneWireTemperatureCh3", "°C"),
                .init(36, "one_wire_temperature_ch4", "oneWireTemperatureCh4", "°C"),
                .init(37, "one_wire_temperature_ch5", "oneWireTemperatureCh5", "°C"),
                .init(38, "one_wire_temperature_ch6", "oneWireTemperatureCh6", "°C"),
                .init(39, "one_wire_temperature_ch7", "oneWireTemperatureCh7", "°C"),
                .init(40, "lightning_strike_count_1h", "lightningStrikeCount1h", "strikes"),
                .init(41, "lightning_distance_km", "lightningDistanceKm", "km"),
            ]
        case .airQuality:
            [
                .init(1, "pm10_standard", "pm10Standard", "µg/m³"),
                .init(2, "pm25_standard", "pm25Standard", "µg/m³"),
                .init(3, "pm100_standard", "pm100Standard", "µg/m³"),
                .init(4, "pm10_environmental", "pm10Environmental", "µg/m³"),
                .init(5, "pm25_environmental", "pm25Environmental", "µg/m³"),
                .init(6, "pm100_environmental", "pm100Environmental", "µg/m³"),
                .init(7, "particles_03um", "particles03um", "#/0.1L"),
                .init(8, "particles_05um", "particles05um", "#/0.1L"),
                .init(9, "particles_10um", "particles10um", "#/0.1L"),
                .init(10, "particles_25um", "particles25um", "#/0.1L"),
                .init(11, "particles_50um", "particles50um", "#/0.1L"),
                .init(12, "particles_100um", "particles100um", "#/0.1L"),
                .init(13, "co2", "co2", "ppm"),
                .init(14, "co2_temperature", "co2Temperature", "°C"),
                .init(15, "co2_humidity", "co2Humidity", "%"),
                .init(16, "form_formaldehyde", "formFormaldehyde", "ppb"),
                .init(17, "form_humidity", "formHumidity", "%"),
                .init(18, "form_temperature", "formTemperature", "°C"),
                .init(19, "pm40_standard", "pm40Standard", "µg/m³"),
                .init(20, "particles_40um", "particles40um", "#/0.1L"),
                .init(21, "pm_temperature", "pmTemperature", "°C"),
                .init(22, "pm_humidity", "pmHumidity", "%"),
                .init(23, "pm_voc_idx", "pmVocIdx", "VOC"),
                .init(24, "pm_nox_idx", "pmNoxIdx", "NOx"),
                .init(25, "particles_tps", "particlesTps", "µm"),
                .init(26, "pm_status_flags", "pmStatusFlags", nil),
            ]
        case .power:
            [
                .init(1, "ch1_voltage", "ch1Voltage", "V"),
                .init(2, "ch1_current", "ch1Current", "mA"),
                .init(3, "ch2_voltage", "ch2Voltage", "V"),
                .init(4, "ch2_current", "ch2Current", "mA"),
                .init(5, "ch3_voltage", "ch3Voltage", "V"),
                .init(6, "ch3_current", "ch3Current", "mA"),
                .init(7, "ch4_voltage", "ch4Voltage", "V"),
                .init(8, "ch4_current", "ch4Current", "mA"),
                .init(9, "ch5_voltage", "ch5Voltage", "V"),
                .init(10, "ch5_current", "ch5Current", "mA"),
                .init(11, "ch6_voltage", "ch6Voltage", "V"),
                .init(12, "ch6_current", "ch6Current", "mA"),
                .init(13, "ch7_voltage", "ch7Voltage", "V"),
                .init(14, "ch7_current", "ch7Current", "mA"),
                .init(15, "ch8_voltage", "ch8Voltage", "V"),
                .init(16, "ch8_current", "ch8Current", "mA"),
            ]
        case .localStats:
            [
                .init(1, "uptime_seconds", "uptimeSeconds", "s"),
                .init(2, "channel_utilization", "channelUtilization", "%"),
                .init(3, "air_util_tx", "airUtilTx", "%"),
                .init(4, "num_packets_tx", "numPacketsTx", "packets"),
                .init(5, "num_packets_rx", "numPacketsRx", "packets"),
                .init(6, "num_packets_rx_bad", "numPacketsRxBad", "packets"),
                .init(7, "num_online_nodes", "numOnlineNodes", "nodes"),
                .init(8, "num_total_nodes", "numTotalNodes", "nodes"),
                .init(9, "num_rx_dupe", "numRxDupe", "packets"),
                .init(10, "num_tx_relay", "numTxRelay", "packets"),
                .init(11, "num_tx_relay_canceled", "numTxRelayCanceled", "packets"),
                .init(12, "heap_total_bytes", "heapTotalBytes", "bytes"),
                .init(13, "heap_free_bytes", "heapFreeBytes", "bytes"),
                .init(14, "num_tx_dropped", "numTxDropped", "packets"),
                .init(15, "noise_floor", "noiseFloor", "dBm"),
            ]
        case .health:
            [
                .init(1, "heart_bpm", "heartBpm", "bpm"),
                .init(2, "spO2", "spO2", "%"),
                .init(3, "temperature", "bodyTemperature", "°C"),
            ]
        case .host:
            [
                .init(1, "uptime_seconds", "hostUptimeSeconds", "s"),
                .init(2, "freemem_bytes", "hostFreememBytes", "bytes"),
                .init(3, "diskfree1_bytes", "hostDiskfree1Bytes", "bytes"),
                .init(4, "diskfree2_bytes", "hostDiskfree2Bytes", "bytes"),
                .init(5, "diskfree3_bytes", "hostDiskfree3Bytes", "bytes"),
                .init(6, "load1", "hostLoad1", "load"),
                .init(7, "load5", "hostLoad5", "load"),
                .init(8, "load15", "hostLoad15", "load"),
            ]
        case .trafficManagement:
            [
                .init(1, "packets_inspected", "tmPacketsInspected", "packets"),
                .init(2, "position_dedup_drops", "tmPositionDedupDrops", "packets"),
                .init(3, "nodeinfo_cache_hits", "tmNodeinfoCacheHits", "hits"),
                .init(4, "rate_limit_drops", "tmRateLimitDrops", "packets"),
                .init(5, "unknown_packet_drops", "tmUnknownPacketDrops", "packets"),
                .init(6, "hop_exhausted_packets", "tmHopExhaustedPackets", "packets"),
                .init(7, "router_hops_preserved", "tmRouterHopsPreserved", "hops"),
            ]
        case .soilWater:
            [
                .init(1, "soil_ph", "soilPh", nil),
                .init(2, "ph", "ph", nil),
                .init(3, "electrical_conductivity", "electricalConductivity", "mS/cm"),
                .init(4, "salinity", "salinity", "mg/l"),
                .init(5, "nitrogen", "nitrogen", "mg/kg"),
                .init(6, "phosphorus", "phosphorus", "mg/kg"),
                .init(7, "potassium", "potassium", "mg/kg"),
                .init(8, "dissolved_oxygen", "dissolvedOxygen", "mg/l"),
                .init(9, "orp", "orp", "mV"),
                .init(10, "chemical_oxygen_demand", "chemicalOxygenDemand", "mg/l"),
                .init(11, "turbidity", "turbidity", "NTU"),
                .init(12, "nitrate", "nitrate", "ppm"),
                .init(13, "ammonium", "ammonium", "ppm"),
                .init(14, "biochemical_oxygen_demand", "biochemicalOxygenDemand", "mg/l"),
                .init(15, "solar_irradiance", "solarIrradiance", "W/m²"),
            ]
        }
    }
}
