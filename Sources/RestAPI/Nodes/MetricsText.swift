import Gateway
import MeshModel
import Routes
import Synchronization

// The Prometheus text format, version 0.0.4: for each gauge or counter its HELP and TYPE, then a line a sample,
// `name{label="value",…} number`.

/// The gauges one after the other, each printed when it is sent.
final class MetricsPages: Sendable {
    private typealias Page = @Sendable (inout MetricsText, [MeasuredSource]) -> Void

    private let sources: [MeasuredSource]
    private let ofFolders: [FolderDoor.Metric]
    private let version: String
    private let printed = Mutex(0)

    /// - Parameter ofFolders: what the token may see of targets and brokers.
    init(sources: [MeasuredSource], ofFolders: [FolderDoor.Metric], version: String) {
        (self.sources, self.ofFolders, self.version) = (sources, ofFolders, version)
    }

    /// The next chunk; nil behind the last one.
    func next() -> [UInt8]? {
        let index = printed.withLock { printed in
            defer { printed += 1 }
            return printed
        }
        guard index < Self.pages.count else { return nil }
        var text = MetricsText()
        if index == 0 {
            text.gauge("meshmonitor_info", "The version of the server.")
            text.sample("meshmonitor_info", [("version", version)], 1)
            for metric in ofFolders where !metric.values.isEmpty { text.print(metric) }
        }
        Self.pages[index](&text, sources)
        // An empty chunk would end the answer.
        return text.bytes.isEmpty ? next() : text.bytes
    }

    private static let pages: [Page] = [
        { text, sources in
            text.gauge("meshmonitor_source_info", "What a source is called, and its kind.")
            for source in sources where source.isListed {
                text.sample(
                    "meshmonitor_source_info",
                    [("source", source.uuid), ("name", source.name), ("type", "meshtastic_tcp")], 1)
            }
        },
        page("meshmonitor_source_connected", "1 while the radio of a source is connected, else 0.") {
            $0.isListed ? $0.isConnected ? 1 : 0 : nil
        },
        shares("mesh_gateway_share_clients", .gauge, "Programs that have the shared radio now.") { $0.clients.count },
        shares("mesh_gateway_share_packets_sent_total", .counter, "Packets that they gave to the radio.") {
            Int(clamping: $0.sent)
        },
        shares("mesh_gateway_share_packets_refused_total", .counter, "Packets that they were refused.") {
            Int(clamping: $0.refusedPackets)
        },
        shares("mesh_gateway_share_connections_refused_total", .counter, "Connections that were not let in.") {
            Int(clamping: $0.refusedConnections)
        },
        shares("mesh_gateway_share_open", .gauge, "1 while the port can be connected to, else 0.") {
            $0.problem == nil ? 1 : 0
        },
        page("meshmonitor_nodes_total", "Nodes that are known.") { $0.nodeCounts?.total },
        page("meshmonitor_nodes_active", "Nodes that were heard in the last two hours.") { $0.nodeCounts?.active },
        page("meshmonitor_messages_last_hour", "Messages that were stored in the last hour.") { $0.messagesLastHour },
        packets,
        packets("mesh_gateway_packets_received_total", "Packets from other nodes since the start, by their port.") {
            $0.received
        },
        packets("mesh_gateway_packets_sent_total", "Packets given to the radio since the start, by their port.") {
            $0.sent
        },
        page("meshmonitor_node_channel_utilization_percent", "How busy a node finds its channel, in percent.") {
            $0.channelUtilization
        },
        page("meshmonitor_node_air_util_tx_percent", "How much of the last hour a node was sending, in percent.") {
            $0.airUtilTx
        },
        page("meshmonitor_node_battery_level", "Charge in percent; 101 with external power.") {
            $0.batteryLevel.map { Double($0) }
        },
        page("meshmonitor_node_voltage_volts", "Voltage of the battery.") { $0.voltage },
        page("meshmonitor_node_snr_db", "Signal to noise ratio of the last packet.") { $0.snr },
        page("meshmonitor_node_rssi_dbm", "Signal strength of the last packet.") { $0.rssi.map { Double($0) } },
        page("meshmonitor_node_last_heard_timestamp_seconds", "When a node was heard last, in seconds since 1970.") {
            $0.lastHeard.map { Double($0) }
        },
        page("meshmonitor_node_hops_away", "How many hops away a node is.") { $0.hopsAway.map { Double($0) } },
        environment,
    ]

    /// A gauge of the sources that have a value for it.
    private static func page(
        _ name: StaticString, _ help: StaticString, _ value: @escaping @Sendable (MeasuredSource) -> Int?
    ) -> Page {
        { text, sources in
            text.gauge(name, help)
            for source in sources {
                if let number = value(source) { text.sample(name, [("source", source.uuid)], Double(number)) }
            }
        }
    }

    /// A gauge of the nodes that have a value for it.
    private static func page(
        _ name: StaticString, _ help: StaticString, _ value: @escaping @Sendable (MeasuredNode) -> Double?
    ) -> Page {
        { text, sources in
            text.gauge(name, help)
            for source in sources {
                for node in source.nodes {
                    guard let number = value(node) else { continue }
                    text.sample(
                        name,
                        [("source", source.uuid), ("node_id", node.number.id), ("short_name", node.shortName)], number)
                }
            }
        }
    }

    /// Of the ports where radios are shared; nothing at all where none is.
    private static func shares(
        _ name: StaticString, _ kind: MetricsText.Kind, _ help: StaticString,
        _ value: @escaping @Sendable (SharedPortReport) -> Int
    ) -> Page {
        { text, sources in
            guard sources.contains(where: { $0.isListed && !$0.shares.isEmpty }) else { return }
            text.header(name, kind, help)
            for source in sources where source.isListed {
                for share in source.shares {
                    text.sample(
                        name, [("source", source.uuid), ("address", share.address), ("right", share.right.rawValue)],
                        Double(value(share)))
                }
            }
        }
    }

    private static let packets: Page = { text, sources in
        let name: StaticString = "meshmonitor_packets_by_port_last_hour"
        text.gauge(name, "Packets in the log of the last hour, by their port.")
        for source in sources {
            for (port, count) in source.packetsLastHour {
                text.sample(name, labels(source, port), Double(count))
            }
        }
    }

    /// A counter by port.
    private static func packets(
        _ name: StaticString, _ help: StaticString, _ value: @escaping @Sendable (PacketCount) -> UInt64
    ) -> Page {
        { text, sources in
            text.header(name, .counter, help)
            for source in sources {
                for count in source.packetCounts where value(count) > 0 {
                    text.sample(name, labels(source, count.port), Double(value(count)))
                }
            }
        }
    }

    private static func labels(_ source: MeasuredSource, _ port: PortNumber) -> [(name: StaticString, value: String)] {
        let portName = port.name ?? "UNKNOWN_\(port.rawValue)"
        return [("source", source.uuid), ("portnum", "\(port.rawValue)"), ("portnum_name", portName)]
    }

    private static let environment: Page = { text, sources in
        let name: StaticString = "mesh_gateway_node_environment"
        text.gauge(name, "What a node measured last, of at most a day ago, by its name in the telemetry.")
        for source in sources {
            for node in source.nodes {
                for one in node.environment {
                    text.sample(
                        name,
                        [
                            ("source", source.uuid), ("node_id", node.number.id), ("short_name", node.shortName),
                            ("type", one.name), ("unit", Telemetry.unit(of: one.name) ?? ""),
                        ], one.value)
                }
            }
        }
    }
}

struct MetricsText {
    private(set) var bytes: [UInt8] = []

    enum Kind: String { case gauge, counter }

    mutating func gauge(_ name: StaticString, _ help: StaticString) { header(name, .gauge, help) }

    mutating func header(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    mutating func sample(_ name: StaticString, _ labels: [(name: StaticString, value: String)], _ number: Double) {
        append("\(name){")
        for (index, label) in labels.enumerated() {
            append("\(index == 0 ? "" : ",")\(label.name)=\"")
            escape(label.value)
            append("\"")
        }
        append("} \(Self.digits(number))\n")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Names come from strangers: a quote or a line feed in one would end the label, or the line.
    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            default: bytes.append(byte)
            }
        }
    }

    private static func digits(_ number: Double) -> String {
        if let whole = Int64(exactly: number) { return String(whole) }
        // What is a Float that was widened is shown with a Float's digits.
        let narrow = Float(number)
        return Double(narrow) == number ? narrow.description : number.description
    }
}

extension MetricsText {
    fileprivate mutating func print(_ metric: FolderDoor.Metric) {
        header(metric.name, metric.isCounter ? .counter : .gauge, metric.help)
        for row in metric.values { sample(metric.name, [(metric.label, row.name)], Double(row.value)) }
    }
}
