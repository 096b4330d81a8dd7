import MeshModel

/// Where the values of a name belong, looked up once for each name.
enum RowKind: Hashable {
    case telemetry, position, paxcounter

    private static let known: [String: RowKind] = {
        var known: [String: RowKind] = [:]
        for kind in Telemetry.shownKinds { for metric in kind.metrics { known[metric.name] = .telemetry } }
        for name in Report.positionNames { known[name] = .position }
        for name in Report.paxcounterNames { known[name] = .paxcounter }
        return known
    }()

    static func of(_ name: String) -> RowKind? { known[name] }

    /// What MeshMonitor itself has worked out, or what is new: nothing here shows it.
    static func unknown(_ name: String) -> Fate {
        let isWord = name.utf8.count <= 40 && name.utf8.allSatisfy { (33...126).contains($0) }
        return .leftOut(isWord ? "is \(name), which is not kept here" : "is something that is not kept here")
    }
}

extension Report {
    static let positionNames = ["latitude", "longitude", "altitude", "sats_in_view", "ground_speed", "ground_track"]
    static let paxcounterNames = ["paxcounterWifi", "paxcounterBle", "paxcounterUptime"]

    /// Seconds since 1970 by the sender.
    private var time: UInt32? { claimedAt.flatMap { UInt32(exactly: $0 / 1000) } }

    /// By kind. Three values come with the state of a device as well as with the statistics of a radio.
    var telemetry: [Telemetry] {
        var rest = Set(values.keys)
        let isStatistics = Telemetry.Kind.localStats.metrics.contains {
            values[$0.name] != nil && !Self.sharedNames.contains($0.name)
        }
        let kinds = isStatistics ? [.localStats] + Telemetry.shownKinds : Telemetry.shownKinds
        return kinds.compactMap { kind in
            let found = kind.metrics.filter { rest.contains($0.name) }.map {
                Telemetry.Value($0.name, values[$0.name]!)
            }
            rest.subtract(found.map(\.name))
            return found.isEmpty ? nil : Telemetry(time: time, kind: kind, values: found)
        }
    }

    private static let sharedNames: Set = ["uptimeSeconds", "channelUtilization", "airUtilTx"]

    /// With the number of values in it.
    var paxcount: (Paxcount, rows: Int)? {
        let counts = Self.paxcounterNames.map { values[$0].flatMap { UInt32(exactly: $0.rounded()) } }
        let rows = Self.paxcounterNames.count { values[$0] != nil }
        return rows == 0 ? nil : (Paxcount(wifi: counts[0] ?? 0, ble: counts[1] ?? 0, uptime: counts[2] ?? 0), rows)
    }

    /// Nil without coordinates, with the number of values that then have no place.
    var position: (Position?, rows: Int) {
        let rows = Self.positionNames.count { values[$0] != nil }
        guard let latitude = values["latitude"], let longitude = values["longitude"], abs(latitude) <= 90,
            abs(longitude) <= 180
        else { return (nil, rows) }
        var position = Position(
            latitudeI: Int32((latitude * 1e7).rounded()), longitudeI: Int32((longitude * 1e7).rounded()), time: time)
        position.altitude = values["altitude"].flatMap { Int32(exactly: $0.rounded()) }
        position.satsInView = values["sats_in_view"].flatMap { UInt32(exactly: $0.rounded()) }
        position.groundSpeed = values["ground_speed"].flatMap { UInt32(exactly: $0.rounded()) }
        // Hundredths of a degree, as far as a circle goes.
        position.groundTrack = values["ground_track"].flatMap {
            (0...360).contains($0) ? UInt32(($0 * 100).rounded()) : nil
        }
        position.precisionBits = precisionBits
        return (position.hasFix ? position : nil, rows)
    }
}
