import MeshModel

// How Home Assistant shows telemetry. Its classes and units are Home Assistant's (sensor/const.py): most follow from the unit, and
// the rest are listed here by name.

extension Entity {
    init(_ metric: Telemetry.Metric, _ group: Group) {
        let look = Look(metric)
        self.init(
            snakeCase(metric.name), look.name, group, deviceClass: look.deviceClass, stateClass: look.stateClass,
            unit: look.unit, divisor: look.divisor, precision: look.precision, icon: look.icon,
            isDiagnostic: look.isDiagnostic)
    }
}

private struct Look {
    var name: String
    var deviceClass: String?
    var stateClass: String? = "measurement"
    var unit: String?
    var divisor = 1
    var precision: Int?
    var icon: String?
    var isDiagnostic = false

    init(_ metric: Telemetry.Metric) {
        name = Self.names[metric.name] ?? Self.words(metric.fieldName)
        (deviceClass, unit, precision) = Self.units[metric.unit ?? ""] ?? (nil, metric.unit, nil)
        deviceClass = Self.classes[metric.name] ?? deviceClass
        // Mostly below one.
        if ["channelUtilization", "airUtilTx"].contains(metric.name) { precision = 1 }
        if Self.counters.contains(metric.name) { stateClass = "total_increasing" }
        if metric.name == "windDirection" { stateClass = "measurement_angle" }
        // A bit field, which has no statistics.
        if metric.name == "pmStatusFlags" { stateClass = nil }
        divisor = Self.divisors[metric.unit ?? ""] ?? 1
        if deviceClass == nil { icon = Self.icons[metric.name] ?? Self.icon(of: metric.name) }
        isDiagnostic = Self.diagnostic.contains(metric.name) || metric.name.hasPrefix("num")
    }

    /// Home Assistant's class, unit and decimals, by our unit.
    private static let units: [String: (deviceClass: String?, unit: String?, precision: Int?)] = [
        "%": (nil, "%", 0), "V": ("voltage", "V", 2), "mA": ("current", "mA", 1), "mV": ("voltage", "mV", 0),
        "°C": ("temperature", "°C", 1), "hPa": ("atmospheric_pressure", "hPa", 1), "lux": ("illuminance", "lx", 0),
        "m/s": ("wind_speed", "m/s", 1), "mm": ("precipitation", "mm", 1), "kg": ("weight", "kg", 2),
        "°": ("wind_direction", "°", 0), "km": ("distance", "km", 0), "s": ("duration", "d", 1),
        "bytes": ("data_size", "MB", 1), "dBm": ("signal_strength", "dBm", 0), "ppm": (nil, "ppm", 0),
        // With the Greek letter, as Home Assistant has written it since 2025; our units have the micro sign.
        "µg/m³": (nil, "\u{3BC}g/m³", 0), "µR/h": (nil, "\u{3BC}R/h", 1), "µm": (nil, "\u{3BC}m", 1),
        "mS/cm": ("conductivity", "mS/cm", 2), "W/m²": ("irradiance", "W/m²", 0),
        // No unit: the name says it.
        "IAQ": (nil, nil, 0), "VOC": (nil, nil, 0), "NOx": (nil, nil, 0), "load": (nil, nil, 2),
    ]

    /// How many of our units are one of Home Assistant's.
    private static let divisors = ["s": 86_400, "bytes": 1_000_000]

    /// Classes that do not follow from the unit.
    private static let classes = [
        "batteryLevel": "battery", "humidity": "humidity", "co2Humidity": "humidity", "formHumidity": "humidity",
        "pmHumidity": "humidity", "soilMoisture": "moisture", "distance": "distance", "iaq": "aqi",
        "co2": "carbon_dioxide", "pm10Standard": "pm1", "pm10Environmental": "pm1", "pm25Standard": "pm25",
        "pm25Environmental": "pm25", "pm100Standard": "pm10", "pm100Environmental": "pm10", "ph": "ph", "soilPh": "ph",
    ]

    /// Of those without a class.
    private static let icons = [
        "channelUtilization": "radio-tower", "airUtilTx": "antenna", "numOnlineNodes": "account-group",
        "numTotalNodes": "account-group-outline", "numPacketsTx": "call-made", "numPacketsRx": "call-received",
        "numPacketsRxBad": "alert-octagon-outline", "numRxDupe": "content-copy", "numTxRelay": "swap-horizontal",
        "numTxRelayCanceled": "swap-horizontal", "numTxDropped": "close-octagon-outline", "gasResistance": "smoke",
        "lightningStrikeCount1h": "weather-lightning", "radiation": "radioactive", "heartBpm": "heart-pulse",
        "spO2": "water-percent", "ammonium": "flask-outline", "nitrate": "flask-outline",
        "formFormaldehyde": "molecule", "pmVocIdx": "molecule", "pmNoxIdx": "molecule",
        "pmStatusFlags": "flag-outline", "nitrogen": "sprout", "phosphorus": "sprout", "potassium": "sprout",
    ]

    /// The same of families of values.
    private static func icon(of name: String) -> String {
        if name.hasPrefix("particles") || name.hasPrefix("pm") { return "blur" }
        if name.hasPrefix("hostLoad") { return "gauge" }
        return "water-outline"
    }

    /// They grow until the next restart.
    private static let counters: Set<String> = [
        "numPacketsTx", "numPacketsRx", "numPacketsRxBad", "numRxDupe", "numTxRelay", "numTxRelayCanceled",
        "numTxDropped", "uptimeSeconds", "hostUptimeSeconds",
    ]

    private static let diagnostic: Set<String> = [
        "batteryLevel", "voltage", "channelUtilization", "airUtilTx", "uptimeSeconds", "heapTotalBytes",
        "heapFreeBytes", "noiseFloor", "hostUptimeSeconds", "pmStatusFlags",
    ]

    /// Where the field's name is not good English.
    private static let names = [
        "batteryLevel": "Battery", "channelUtilization": "Channel use", "airUtilTx": "Air time",
        "uptimeSeconds": "Uptime", "humidity": "Humidity", "pressure": "Pressure", "envVoltage": "Sensor voltage",
        "envCurrent": "Sensor current", "iaq": "Air quality index", "lux": "Illuminance", "whiteLux": "White light",
        "irLux": "Infrared light", "uvLux": "Ultraviolet light", "windDirection": "Wind direction",
        "rainfall1h": "Rain in an hour", "rainfall24h": "Rain in a day",
        "lightningStrikeCount1h": "Lightning strikes in an hour", "lightningDistanceKm": "Lightning distance",
        "pm10Standard": "PM1.0", "pm25Standard": "PM2.5", "pm40Standard": "PM4.0", "pm100Standard": "PM10",
        "pm10Environmental": "PM1.0 ambient", "pm25Environmental": "PM2.5 ambient",
        "pm100Environmental": "PM10 ambient", "particles03um": "Particles over 0.3 \u{3BC}m",
        "particles05um": "Particles over 0.5 \u{3BC}m", "particles10um": "Particles over 1 \u{3BC}m",
        "particles25um": "Particles over 2.5 \u{3BC}m", "particles40um": "Particles over 4 \u{3BC}m",
        "particles50um": "Particles over 5 \u{3BC}m", "particles100um": "Particles over 10 \u{3BC}m",
        "particlesTps": "Typical particle size", "co2": "CO₂", "co2Temperature": "CO₂ sensor temperature",
        "co2Humidity": "CO₂ sensor humidity", "formFormaldehyde": "Formaldehyde",
        "formHumidity": "Formaldehyde sensor humidity", "formTemperature": "Formaldehyde sensor temperature",
        "pmTemperature": "Particle sensor temperature", "pmHumidity": "Particle sensor humidity",
        "pmVocIdx": "VOC index", "pmNoxIdx": "NOx index", "pmStatusFlags": "Particle sensor status",
        "numPacketsTx": "Packets sent", "numPacketsRx": "Packets received", "numPacketsRxBad": "Broken packets",
        "numOnlineNodes": "Nodes online", "numTotalNodes": "Nodes known", "numRxDupe": "Repeated packets",
        "numTxRelay": "Packets relayed", "numTxRelayCanceled": "Relays left to others",
        "numTxDropped": "Packets not sent", "heapTotalBytes": "Memory", "heapFreeBytes": "Free memory",
        "heartBpm": "Heart rate", "spO2": "Blood oxygen", "bodyTemperature": "Body temperature",
        "hostUptimeSeconds": "Host uptime", "hostFreememBytes": "Host free memory",
        "hostDiskfree1Bytes": "Host free disk", "hostDiskfree2Bytes": "Host free disk 2",
        "hostDiskfree3Bytes": "Host free disk 3", "hostLoad1": "Host load 1 min", "hostLoad5": "Host load 5 min",
        "hostLoad15": "Host load 15 min", "soilPh": "Soil pH", "ph": "pH", "orp": "Redox potential",
    ]

    /// `one_wire_temperature_ch0` as "One wire temperature channel 0".
    private static func words(_ field: String) -> String {
        let words = field.split(separator: "_").map { word in
            if word == "adc" { return "ADC" }
            return word.hasPrefix("ch") && word.dropFirst(2).allSatisfy(\.isNumber) && word.utf8.count > 2
                ? "channel \(word.dropFirst(2))" : String(word)
        }
        let text = words.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
