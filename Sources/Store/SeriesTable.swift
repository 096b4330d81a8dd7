import MeshModel
import Synchronization

// A series is spread over rows that hold several values each: one packet is one row, and its place in the table and the
// place of a value in the row make the number of a point.

/// Where the values of the names come from that were asked for: to look through all metrics takes as long as to read a row. Only
/// names that are shown are kept, whatever else somebody asks for.
private enum KnownOrigins {
    private static let known = Mutex<[String: Telemetry.Origin]>([:])

    static func origin(of name: String) -> Telemetry.Origin? {
        if let known = known.withLock({ $0[name] }) { return known }
        let origin = Telemetry.origin(of: name)
        if let origin { known.withLock { $0[name] = origin } }
        return origin
    }
}

/// A table that points come from.
enum SeriesTable: Int64, CaseIterable {
    case telemetry = 0
    case positions
    case paxcounts

    var name: String {
        switch self {
        case .telemetry: "telemetry"
        case .positions: "positions"
        case .paxcounts: "paxcounts"
        }
    }

    /// The tables in which a series can be; no name: all of them.
    static func holding(_ name: String?) -> [SeriesTable] {
        guard let name else { return allCases }
        switch KnownOrigins.origin(of: name) {
        case .telemetry, .derived: return [.telemetry]
        case .position: return [.positions]
        case .paxcounter: return [.paxcounts]
        case nil: return []
        }
    }

    /// More values than a packet has: environment metrics are 41.
    private static let placesInARow: Int64 = 64

    /// Three tables share the numbers, so that a fourth could join.
    func pointID(row: Int64, place: Int) -> Int64 { (row * 4 + rawValue) * Self.placesInARow + Int64(place) }

    // MARK: SQL

    /// An expression: how many points of this series a row holds that ``condition(_:)`` lets pass.
    func count(of name: String?) -> String {
        guard name == nil else { return "1" }
        return switch self {
        // Names are letters and digits: each colon is a value.
        case .telemetry: "length(metrics) - length(replace(metrics, ':', ''))"
        case .positions:
            """
            2 + (altitude IS NOT NULL) + (sats_in_view IS NOT NULL) + (ground_speed IS NOT NULL) \
            + (ground_track IS NOT NULL)
            """
        case .paxcounts: "3"
        }
    }

    /// A condition: the row holds points of this series.
    func condition(_ name: String?) -> String {
        switch self {
        case .telemetry:
            let kinds: [UInt32]
            let health = Telemetry.Kind.health.rawValue
            switch name.map(KnownOrigins.origin(of:)) {
            case .telemetry(let origins): kinds = origins.map(\.rawValue)
            case .derived: return "kind <> \(health) AND instr(metrics, '\"\(name!)\":') > 0"
            default: return "kind <> \(health)"
            }
            let (name, numbers) = (name!, kinds.map { "\($0)" }.joined(separator: ", "))
            return "kind IN (\(numbers)) AND instr(metrics, '\"\(name)\":') > 0"
        case .positions:
            let column = name.flatMap { Self.positionColumns[$0] }.map { " AND \($0) IS NOT NULL" } ?? ""
            return "latitude_i IS NOT NULL AND longitude_i IS NOT NULL" + column
        case .paxcounts: return "1"
        }
    }

    private static let positionColumns = [
        "altitude": "altitude", "sats_in_view": "sats_in_view", "ground_speed": "ground_speed",
        "ground_track": "ground_track",
    ]

    /// An expression: host milliseconds of the storing, as far as a row tells. A value of the radio's memory was heard
    /// before it was stored, and says both.
    var storedAt: String {
        self == .telemetry ? "iif(kind = \(Derivation.kind), ifnull(time * 1000, at), at)" : "at"
    }

    /// The order that the index of a node's rows gives without sorting.
    var order: String {
        self == .telemetry ? "at DESC, kind DESC, packet_id DESC, id DESC" : "at DESC, packet_id DESC, id DESC"
    }

    var columns: String {
        switch self {
        case .telemetry: Telemetry.columns
        case .positions: Position.columns
        case .paxcounts: Paxcount.columns
        }
    }

    // MARK: Rows

    /// The points of a row whose columns begin with those of ``Heard``.
    func points(_ row: Statement) -> [TelemetryPoint] {
        switch self {
        case .telemetry:
            let record = Heard.read(row, Telemetry.readAll)
            let values = record.value.values
            let reported = values.count - Derivation.count(of: values)
            return points(record, values, time: record.value.time).enumerated().map { place, point in
                place < reported ? point : Derivation.shown(point)
            }
        case .paxcounts:
            let record = Heard.read(row, Paxcount.read)
            return points(record, record.value.measurements, time: nil)
        case .positions:
            let record = Heard.read(row, Position.read)
            let position = record.value
            return points(record, position.measurements, time: position.time ?? position.timestamp).map { point in
                var point = point
                point.precisionBits = position.precisionBits
                point.gpsAccuracy = position.gpsAccuracy == 0 ? nil : position.gpsAccuracy
                (point.rxSNR, point.hopStart, point.hopLimit) = (record.rxSNR, record.hopStart, record.hopLimit)
                return point
            }
        }
    }

    private func points<Value>(
        _ record: Record<Value>, _ values: [Telemetry.Value], time: UInt32?
    ) -> [TelemetryPoint] {
        values.enumerated().map { place, value in
            TelemetryPoint(
                id: pointID(row: record.id, place: place), node: record.node, name: value.name, value: value.value,
                at: record.at, packetID: record.packetID, time: time, channel: record.channel)
        }
    }
}
