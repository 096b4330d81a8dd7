import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// What charts are drawn from. Outside v1, these are open upstream; here no data of the mesh goes to strangers.

extension RestAPI {
    static let telemetryChartEndpoints: [Endpoint] = [
        .session(.get, "/api/telemetry/available/nodes", Permission(.nodes, .read), RestAPI.nodesWithTelemetry),
        .session(.get, "/api/telemetry/{nodeId}", Permission(.nodes, .read), RestAPI.telemetryMeans),
        .session(.get, "/api/telemetry/{nodeId}/linkquality", Permission(.nodes, .read), RestAPI.linkQuality),
    ]

    /// `/api/telemetry/{nodeId}?sourceId&hours`: the means of each series, newest first, as a bare array.
    func telemetryMeans(_ call: Call) throws(APIError) -> Response {
        let source = try sourceOfChart(call)
        let hours = min(max(call.request.hours, 1), TelemetryMeans.maximumHours)
        var means = TelemetryMeans(hours: hours)
        if let node = try nodeOfChart(call, source) {
            let query = TelemetryQuery(
                source: source.id, node: node, since: clock() - hours * 3_600_000,
                channels: call.caller.channels(for: .viewOnMap))
            means = try read("telemetry data") { [means] reader in
                var means = means
                try reader.eachTelemetryPoint(query) { means.add($0) }
                return means
            }
        }
        return .json(to: call.request) { json in
            json.array { json in
                for mean in means.newestFirst { json.mean(mean, source: source.source.uuid) }
            }
        }
    }

    /// `/api/telemetry/{nodeId}/linkquality?sourceId&hours`: the grades of a node's link, oldest first.
    func linkQuality(_ call: Call) throws(APIError) -> Response {
        let source = try sourceOfChart(call)
        let hours = min(max(call.request.hours, 1), Self.linkQualityHours)
        var grades: [TelemetryPoint] = []
        if let node = try nodeOfChart(call, source) {
            let query = TelemetryQuery(
                source: source.id, node: node, name: DerivedMetric.linkQuality.name, since: clock() - hours * 3_600_000,
                channels: call.caller.channels(for: .viewOnMap))
            grades = try read("telemetry data") { try $0.telemetryPoints(query, limit: Self.linkQualityRows) }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.key("data")
                json.array { json in
                    for grade in grades.reversed() {
                        json.object { json in
                            json.member("timestamp", grade.at)
                            json.key("quality")
                            json.measurement(grade.value)
                        }
                    }
                }
            }
        }
    }

    /// A week.
    private static let linkQualityHours: Int64 = 168
    /// The newest ones: one every minute.
    private static let linkQualityRows = 10_000

    /// `/api/telemetry/available/nodes`: the ids of nodes with any telemetry, with weather, and with a key.
    func nodesWithTelemetry(_ call: Call) throws(APIError) -> Response {
        let asked = call.request.sourceAsked(nil)
        let source = try source(asked).id
        let channels = call.caller.channels(for: .viewOnMap)
        let (found, keyed) = try read("telemetry data") { reader in
            let numbers = try reader.nodeNumbers(in: source, channels: channels)
            let keyed = try numbers.filter { try reader.node($0, in: source)?.publicKey != nil }
            return (try reader.nodesWithTelemetry(in: source, channels: channels), keyed.sorted())
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.list("nodes", of: found.map(\.node))
                json.list("weather", of: found.filter(\.hasWeather).map(\.node))
                // Positions that upstream guesses from neighbours.
                json.list("estimatedPosition", of: [])
                json.list("pkc", of: keyed)
            }
        }
    }

    private func sourceOfChart(_ call: Call) throws(APIError) -> FoundSource {
        guard let asked = call.request.sourceAsked(nil) else {
            throw .codedFailure(400, "sourceId is required", code: "MISSING_SOURCE_ID")
        }
        return try source(asked)
    }

    /// Nil: the source knows no such node.
    private func nodeOfChart(_ call: Call, _ source: FoundSource) throws(APIError) -> NodeNumber? {
        guard let number = NodeNumber(id: call.parameters[0]), !number.isBroadcast,
            let node = try read("node", { try $0.node(number, in: source.id) })
        else { return nil }
        guard call.caller.mayView(node.channel) else {
            throw .insufficientForSession(Permission(.channel(node.channel ?? 0), .viewOnMap))
        }
        return number
    }
}

/// The mean values of series over spans of time, which keep a chart small however often a node reports.
struct TelemetryMeans {
    struct Mean {
        let node: NodeNumber
        let name: String
        /// Host milliseconds of the span's beginning.
        let at: Int64
        let value: Double
    }

    private struct Span: Hashable {
        var at: Int64
        var name: String
    }

    /// A month: nothing is kept longer.
    static let maximumHours: Int64 = 720

    /// Milliseconds: three minutes of a day, a quarter of an hour of a week, else an hour.
    let span: Int64
    private var node = NodeNumber(0)
    private var sums: [Span: (sum: Double, count: Double)] = [:]

    init(hours: Int64) { span = hours <= 24 ? 180_000 : hours <= 168 ? 900_000 : 3_600_000 }

    /// - Parameter point: of the same node as all others.
    mutating func add(_ point: TelemetryPoint) {
        node = point.node
        let at = point.at - (point.at % span + span) % span
        sums[Span(at: at, name: point.name), default: (0, 0)].sum += point.value
        sums[Span(at: at, name: point.name), default: (0, 0)].count += 1
    }

    var newestFirst: [Mean] {
        sums.map { span, value in
            // Seven decimals are what a coordinate has; adding and dividing would leave noise behind them.
            let mean = value.sum / value.count
            let rounded = abs(mean) < 1e8 ? (mean * 1e7).rounded() / 1e7 : mean
            return Mean(node: node, name: span.name, at: span.at, value: rounded)
        }
        .sorted { ($1.at, $0.name) < ($0.at, $1.name) }
    }
}

extension Request {
    /// `hours`: text and 0 mean a day.
    fileprivate var hours: Int64 {
        let hours = (number("hours") ?? nil) ?? 0
        return hours == 0 ? 24 : hours
    }
}

extension JSONWriter {
    fileprivate mutating func mean(_ mean: TelemetryMeans.Mean, source: String) {
        object { json in
            json.member("nodeId", mean.node.id)
            json.member("nodeNum", mean.node.rawValue)
            json.member("telemetryType", mean.name)
            json.member("timestamp", mean.at)
            json.key("value")
            json.measurement(mean.value)
            json.member("unit", Telemetry.unit(of: mean.name))
            json.member("createdAt", mean.at)
            json.member("sourceId", source)
        }
    }

    fileprivate mutating func list(_ name: StaticString, of nodes: [NodeNumber]) {
        key(name)
        array { json in
            for node in nodes { json.value(node.id) }
        }
    }
}
