import Gateway
import HTTPServer
import MeshModel
import Routes
import Store

// `/api/v1/metrics` for Prometheus (Contract 3.13).
//
// 1. All samples of a gauge stand together under its TYPE line, so the nodes are read once and kept as a few numbers
//    each while one gauge after the other is printed.
// 2. Every token may ask. It sees the server's version and the gauges of what it may read: of the sources that it knows,
//    of nodes on the channels that it may view, and of the messages and packets that it may read.

extension RestAPI {
    static let metricsEndpoints: [Endpoint] = [
        .v1(.get, "metrics", nil, RestAPI.metrics)
    ]

    /// Of each source.
    static let maximumMeasuredNodes = 1000

    /// `window`: seconds within which a node must have been heard; a minute to a week, a day by default.
    func metrics(_ call: Call) throws(APIError) -> Response {
        let window = min(max(call.request.queryValue("window").flatMap { parseInt($0) } ?? 86_400, 60), 604_800)
        let shares = self.shares()
        let sources = try read("metrics", to: "generate") { reader in
            let enabled = try reader.enabledSources()
            return try enabled.map { found in
                var source = try measure(found, within: window, call.caller, reader)
                source.shares = shares.filter { $0.isOf(found.id, first: enabled.first?.id) }
                return source
            }
        }
        let doors = [
            call.caller.may(.read, .configuration) ? targets : nil,
            call.caller.may(.read, .configuration) ? rules : nil, call.caller.may(.read, .mqtt) ? brokers : nil,
        ].compactMap(\.self)
        let metrics = try read("metrics", to: "generate") { reader in try doors.flatMap { try $0.metrics(reader) } }
        let pages = MetricsPages(sources: sources, ofFolders: metrics, version: version)
        return Response(
            headers: [(name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8"), Header.noSniff],
            body: .stream(length: nil) { pages.next() })
    }

    private func measure(
        _ found: FoundSource, within window: Int64, _ caller: Caller, _ reader: Reader
    ) throws -> MeasuredSource {
        let (id, now) = (found.id, clock())
        var source = MeasuredSource(
            uuid: found.source.uuid, name: found.source.name, isConnected: gateway.status(of: id).isConnected,
            isListed: caller.maySeeSources || caller.may(.read, .info))
        if caller.may(.read, .messages) {
            source.messagesLastHour = try reader.messageCount(
                in: id, since: now - 3_600_000, channels: caller.readableChannels)
        }
        if caller.may(.read, .packetMonitor) {
            source.packetsLastHour = try reader.packetCounts(
                in: id, since: now - 3_600_000, readable: caller.readablePackets, trafficOf: found.source.nodeNumber)
            source.packetCounts = gateway.packetCounts(of: id)
        }
        guard caller.may(.read, .nodes) else { return source }
        let channels = caller.channels(for: .viewOnMap)
        let heard = { (seconds: Int64) in
            try reader.nodeNumbers(
                in: id, order: .lastHeardDescending, heardSince: now / 1000 - seconds, channels: channels)
        }
        source.nodeCounts = (
            total: try reader.nodeNumbers(in: id, channels: channels).count, active: try heard(7200).count
        )
        // A reading of yesterday is not how it is there now.
        let since = now - min(window, 86_400) * 1000
        for number in try heard(window) where source.nodes.count < Self.maximumMeasuredNodes {
            guard let node = try reader.node(number, in: id), !node.isIgnored else { continue }
            let environment = try reader.telemetry(of: number, kind: .environment, in: id, since: since, limit: 1).first
                .flatMap { caller.mayView($0.channel.map { Int($0) }) ? $0.value.values : nil }
            source.nodes.append(MeasuredNode(node, environment: environment ?? []))
        }
        return source
    }
}

/// What is shown of a source; nil for what the token may not read.
struct MeasuredSource: Sendable {
    let uuid: String
    let name: String
    let isConnected: Bool
    /// The token may know of the source itself.
    let isListed: Bool
    var nodeCounts: (total: Int, active: Int)?
    var messagesLastHour: Int?
    var packetsLastHour: [(port: PortNumber, count: Int)] = []
    /// Since the start.
    var packetCounts: [PacketCount] = []
    var nodes: [MeasuredNode] = []
    /// Where its radio is shared.
    var shares: [SharedPortReport] = []

    init(uuid: String, name: String, isConnected: Bool, isListed: Bool) {
        (self.uuid, self.name, self.isConnected, self.isListed) = (uuid, name, isConnected, isListed)
    }
}

/// What is shown of a node.
struct MeasuredNode: Sendable {
    let number: NodeNumber
    let shortName: String
    let channelUtilization: Double?
    let airUtilTx: Double?
    let batteryLevel: Int?
    let voltage: Double?
    let snr: Double?
    let rssi: Int?
    let lastHeard: Int64?
    let hopsAway: UInt32?
    /// Its newest report.
    let environment: [Telemetry.Value]

    init(_ node: Node, environment: [Telemetry.Value]) {
        self.environment = environment
        number = node.number
        shortName = node.shownShortName
        channelUtilization = node.channelUtilization
        airUtilTx = node.airUtilTx
        batteryLevel = node.batteryLevel
        voltage = node.voltage
        snr = node.snr
        rssi = node.rssi
        lastHeard = node.lastHeard
        hopsAway = node.hopsAway
    }
}
