import JSON
import MeshModel
import Platform
import Routes
import Store

// `mesh-gateway telemetry`: what a node measured, the last values and one of them over time.

extension ControlAPI {
    static let telemetryPages: [LocalPage] = [
        LocalPage("/local/telemetry/{node}", "telemetry/1", TelemetryPage.one)
    ]
}

private enum TelemetryPage {
    /// The newest points in which the last values are looked for. What the gateway has worked out is among them.
    private static let newest = 2000
    /// The most points of a series: one every two minutes for a week.
    private static let longest = 5000
    private static let day: Int64 = 86_400_000

    /// `?metric=&since=24h`
    static func one(_ question: LocalQuestion, _ json: inout JSONWriter) throws {
        let source = try question.source()
        let (number, node) = try question.node(named: question.parameters[0], in: source)
        let now = WallClock.milliseconds()
        let since = try question.since() ?? now - day
        let latest = try latest(of: number, question, in: source)
        let metric = try metric(question.request.queryValue("metric"), among: latest.map(\.name), of: number)
        let points = try series(of: number, metric, since: since, question, in: source)
        json.source(source)
        json.key("node")
        json.object { $0.who(number, node) }
        json.time("since", milliseconds: since)
        json.time("until", milliseconds: now)
        json.key("latest")
        json.array { json in for point in latest { json.object { $0.value(of: point) } } }
        json.series(metric, points)
    }

    /// The last value of every metric, in the order in which a person looks for them.
    private static func latest(
        of node: NodeNumber, _ question: LocalQuestion, in source: FoundSource
    ) throws -> [TelemetryPoint] {
        var seen: Set<String> = []
        let query = TelemetryQuery(source: source.id, node: node)
        return try question.reader.telemetryPoints(query, limit: newest)
            .filter { DerivedMetric(rawValue: $0.name) == nil && seen.insert($0.name).inserted }
            .sorted { ($0.isFromDevice ? 0 : 1, $0.name) < ($1.isFromDevice ? 0 : 1, $1.name) }
    }

    /// The series to show; nil when the node has none.
    private static func metric(_ asked: String?, among names: [String], of node: NodeNumber) throws -> String? {
        guard let asked else { return names.contains("batteryLevel") ? "batteryLevel" : names.first }
        // As the API shows it or as the protocol has it: batteryLevel, battery_level.
        let key = { (name: String) in name.lowercased().filter { $0 != "_" } }
        guard let name = names.first(where: { key($0) == key(asked) }) else {
            throw APIError.notFound(
                names.isEmpty
                    ? "\(node.id) has sent no telemetry; mesh-gateway request telemetry '\(node.id)' asks for it"
                    : "\(node.id) has not sent any \(asked); it has \(names.joined(separator: ", "))")
        }
        return name
    }

    /// Oldest first; of too many the newest.
    private static func series(
        of node: NodeNumber, _ metric: String?, since: Int64, _ question: LocalQuestion, in source: FoundSource
    ) throws -> [TelemetryPoint] {
        guard let metric else { return [] }
        let query = TelemetryQuery(source: source.id, node: node, name: metric, since: since)
        return try question.reader.telemetryPoints(query, limit: longest).filter(\.value.isFinite).reversed()
    }
}

extension TelemetryPoint {
    fileprivate var isFromDevice: Bool { Telemetry.Kind.device.metrics.contains { $0.name == name } }
}

extension JSONWriter {
    fileprivate mutating func value(of point: TelemetryPoint) {
        member("metric", point.name)
        key("value")
        measurement(point.value)
        member("unit", Telemetry.unit(of: point.name))
        time("time", milliseconds: point.at)
    }

    fileprivate mutating func series(_ metric: String?, _ points: [TelemetryPoint]) {
        key("series")
        guard let metric else { return null() }
        object { json in
            json.member("metric", metric)
            json.member("unit", Telemetry.unit(of: metric))
            json.float("min", points.map(\.value).min())
            json.float("max", points.map(\.value).max())
            json.key("points")
            json.array { json in
                for point in points {
                    json.object { json in
                        json.time("time", milliseconds: point.at)
                        json.key("value")
                        json.measurement(point.value)
                    }
                }
            }
        }
    }
}
