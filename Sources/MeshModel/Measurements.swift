// What the REST API shows as series of telemetry although other packets bring it (Contract 3.7).

extension Telemetry {
    /// Which packets bring the values of a series.
    public enum Origin: Hashable, Sendable {
        case telemetry([Kind])
        case position
        case paxcounter
        case derived
    }

    /// Where the values of this name come from; nil when nothing that is shown has it.
    public static func origin(of name: String) -> Origin? {
        if Position.units[name] != nil { return .position }
        if Paxcount.units[name] != nil { return .paxcounter }
        if DerivedMetric(rawValue: name) != nil { return .derived }
        let kinds = shownKinds.filter { $0.metrics.contains { $0.name == name } }
        return kinds.isEmpty ? nil : .telemetry(kinds)
    }

    /// All but the health of a person: that is nobody else's business.
    public static let shownKinds: [Kind] = [
        .device, .environment, .airQuality, .power, .localStats, .host, .trafficManagement, .soilWater,
    ]
}

extension Position {
    static let units = [
        "latitude": "°", "longitude": "°", "altitude": "m", "sats_in_view": "sats", "ground_speed": "km/h",
        "ground_track": "°",
    ]

    /// What this report measured; nothing without coordinates. Whether they can be shown (``hasFix``) is decided before
    /// a report is stored.
    public var measurements: [Telemetry.Value] {
        guard let latitudeI, let longitudeI else { return [] }
        var values = [
            Telemetry.Value("latitude", Double(latitudeI) / 1e7),
            Telemetry.Value("longitude", Double(longitudeI) / 1e7),
        ]
        if let altitude { values.append(Telemetry.Value("altitude", Double(altitude))) }
        if let satsInView { values.append(Telemetry.Value("sats_in_view", Double(satsInView))) }
        if let groundSpeed { values.append(Telemetry.Value("ground_speed", Double(groundSpeed))) }
        if let course { values.append(Telemetry.Value("ground_track", course)) }
        return values
    }
}

extension Paxcount {
    static let units = ["paxcounterWifi": "devices", "paxcounterBle": "devices", "paxcounterUptime": "s"]

    public var measurements: [Telemetry.Value] {
        [
            Telemetry.Value("paxcounterWifi", Double(wifi)), Telemetry.Value("paxcounterBle", Double(ble)),
            Telemetry.Value("paxcounterUptime", Double(uptime)),
        ]
    }
}
