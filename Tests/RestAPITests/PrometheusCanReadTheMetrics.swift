import MeshModel
import Platform
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct PrometheusCanReadTheMetrics {
    private static let names = [
        "meshmonitor_info", "meshmonitor_source_info", "meshmonitor_source_connected", "meshmonitor_nodes_total",
        "meshmonitor_nodes_active", "meshmonitor_messages_last_hour", "meshmonitor_packets_by_port_last_hour",
        "mesh_gateway_packets_received_total", "mesh_gateway_packets_sent_total",
        "meshmonitor_node_channel_utilization_percent", "meshmonitor_node_air_util_tx_percent",
        "meshmonitor_node_battery_level", "meshmonitor_node_voltage_volts", "meshmonitor_node_snr_db",
        "meshmonitor_node_rssi_dbm", "meshmonitor_node_last_heard_timestamp_seconds", "meshmonitor_node_hops_away",
        "mesh_gateway_node_environment",
    ]

    private static let hostile = "a\\\"} 1\nmeshmonitor_x{\t\r🏔"

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let now = WallClock.milliseconds()
        try test.update(TestGateway.peer, at: now) { node in
            node.shortName = Self.hostile
            node.lastHeard = now / 1000
            (node.voltage, node.channelUtilization, node.airUtilTx) = (Double(Float(3.7)), 6.25, 0)
            (node.batteryLevel, node.snr, node.rssi, node.hopsAway) = (101, -7.25, -97, 2)
        }
        try test.update(NodeNumber(0x55), at: now) { node in
            node.lastHeard = now / 1000 - 3 * 3600
            node.channel = 3
        }
        try test.update(NodeNumber(0x66), at: now) { node in
            node.lastHeard = now / 1000
            node.isIgnored = true
        }
        try test.update(NodeNumber(0x77), at: now) { $0.lastHeard = now / 1000 - 90_000 }
        try test.insert("hello", packetID: 1, at: now)
        try test.insert("long ago", packetID: 2, at: now - 3_700_000)
        let id = test.id
        let text = MeshPacket(
            from: TestGateway.peer, to: .broadcast, id: 5,
            payload: .decoded(MeshData(port: .textMessage, payload: [])))
        let secret = MeshPacket(from: TestGateway.peer, to: .broadcast, id: 6, payload: .encrypted([1]))
        try test.store.commit { writer in
            try writer.logPacket(text, direction: .rx, in: id, at: now - 3_700_000)
            for packet in [text, text, secret] { try writer.logPacket(packet, direction: .rx, in: id, at: now) }
        }
        return test
    }

    @Test func everyGaugeIsThereAndWellFormed() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/metrics")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let metrics = try Exposition(answer.text)
        #expect(metrics.families == Self.names)
        let source = ["source": test.uuid]
        #expect(metrics["meshmonitor_info", ["version": "1.2.3"]] == 1)
        let named = ["source": test.uuid, "name": "Default", "type": "meshtastic_tcp"]
        #expect(metrics["meshmonitor_source_info", named] == 1)
        #expect(metrics["meshmonitor_source_connected", source] == 0)
        #expect(metrics["meshmonitor_nodes_total", source] == 4)
        #expect(metrics["meshmonitor_nodes_active", source] == 2)
        #expect(metrics["meshmonitor_messages_last_hour", source] == 1)
        let port = { (number: String, name: String) in
            ["source": test.uuid, "portnum": number, "portnum_name": name]
        }
        #expect(metrics["meshmonitor_packets_by_port_last_hour", port("1", "TEXT_MESSAGE_APP")] == 2)
        #expect(metrics["meshmonitor_packets_by_port_last_hour", port("0", "UNKNOWN_APP")] == 1)
        let node = ["source": test.uuid, "node_id": "!abcdef12", "short_name": Self.hostile]
        let values = Self.names.dropFirst(9).dropLast().map { metrics[$0, node] }
        let heard = try #require(try test.store.read { try $0.node(TestGateway.peer, in: test.id) }?.lastHeard)
        #expect(values == [6.25, 0, 101, 3.7, -7.25, -97, Double(heard), 2])
        #expect(answer.text.contains("} 3.7\n"))
        #expect(metrics.nodes == ["!abcdef12", "!00000055"])
    }

    /// The newest report of each node, when it is of today.
    @Test func whatNodesMeasureAroundThem() throws {
        let test = try gateway()
        let (id, now) = (test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            for (node, temperature, age) in [
                (TestGateway.peer, 3.5, 7_200_000), (TestGateway.peer, -4.25, 60_000),
                (NodeNumber(0x55), 9, 90_000_000),
            ] as [(NodeNumber, Double, Int64)] {
                let report = Telemetry(
                    time: nil, kind: .environment,
                    values: [.init("temperature", temperature), .init("humidity", 81)])
                try writer.insertTelemetry(report, from: node, packet: nil, in: id, at: now - age)
            }
        }
        let metrics = try Exposition(try test.get("/api/v1/metrics").text)
        let environment = metrics.samples.filter { $0.name == "mesh_gateway_node_environment" }
        #expect(environment.count == 2)
        func value(_ type: String, _ unit: String) -> Double? {
            metrics[
                "mesh_gateway_node_environment",
                [
                    "source": test.uuid, "node_id": "!abcdef12", "short_name": Self.hostile, "type": type,
                    "unit": unit,
                ]]
        }
        #expect(value("temperature", "°C") == -4.25 && value("humidity", "%") == 81)
    }

    @Test(arguments: [
        ("", 2), ("?window=100000", 3), ("?window=7200", 1), ("?window=text", 2), ("?window=1", 1),
        ("?window=-5", 1), ("?window=999999999999", 3),
    ])
    func theWindowBoundsTheNodes(_ query: String, _ count: Int) throws {
        let metrics = try Exposition(try gateway().get("/api/v1/metrics" + query).text)
        #expect(metrics.nodes.count == count)
    }

    @Test func aTokenSeesItsGaugesOnly() throws {
        let test = try gateway()
        let info = try Exposition(try test.ask("GET", "/api/v1/metrics", as: try test.token(["info:read"])).text)
        #expect(info.families == Self.names)
        #expect(
            Set(info.samples.map(\.name)) == [
                "meshmonitor_info", "meshmonitor_source_info", "meshmonitor_source_connected",
            ])
        // Any token is admitted; this one may not even know of the source.
        let least = try test.ask("GET", "/api/v1/metrics", as: try test.token(["traceroute:read"]))
        #expect(least.status == 200)
        #expect(try Exposition(least.text).samples.map(\.name) == ["meshmonitor_info"])
        let packets = try test.ask("GET", "/api/v1/metrics", as: try test.token(["packetmonitor:read"]))
        #expect(
            Set(try Exposition(packets.text).samples.map(\.name)) == [
                "meshmonitor_info", "meshmonitor_packets_by_port_last_hour",
            ])
        let token = try test.token(["nodes:read", "channel_3:viewOnMap"])
        let third = try Exposition(try test.ask("GET", "/api/v1/metrics", as: token).text)
        #expect(third.nodes == ["!00000055"])
        #expect(third["meshmonitor_nodes_total", ["source": test.uuid]] == 1)
        #expect(try test.ask("GET", "/api/v1/metrics").status == 401)
    }

    /// Of messages and packets as of nodes.
    @Test func countsGoByTheChannels() throws {
        let test = try TestGateway()
        let (id, now) = (test.id, WallClock.milliseconds())
        for (place, channel) in [0, 0, 1, -1].enumerated() {
            try test.insert("hello", packetID: PacketID(place + 1), at: now) { $0.channel = channel }
            let packet = MeshPacket(
                from: TestGateway.peer, to: channel < 0 ? TestGateway.own : .broadcast,
                channel: UInt32(max(0, channel)),
                id: PacketID(place + 1), payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
            try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: now) }
        }
        for (scopes, messages, packets) in [
            (["messages:read"], 1, nil), (["messages:read", "channel_0:read"], 3, nil), (["read"], 4, 4),
            (["packetmonitor:read", "channel_0:read"], nil, 2), (["packetmonitor:read"], nil, nil),
            (["packetmonitor:read", "messages:read", "channel_1:read"], 2, 2),
        ] as [([String], Double?, Double?)] {
            let text = try test.ask("GET", "/api/v1/metrics", as: try test.token(scopes)).text
            let metrics = try Exposition(text)
            #expect(metrics["meshmonitor_messages_last_hour", ["source": test.uuid]] == messages, "\(scopes)")
            let port = ["source": test.uuid, "portnum": "1", "portnum_name": "TEXT_MESSAGE_APP"]
            #expect(metrics["meshmonitor_packets_by_port_last_hour", port] == packets, "\(scopes)")
        }
    }

    @Test func sharedPortsHaveTheirFigures() throws {
        var port = SharedPortReport(address: "*:4403", right: .send)
        port.clients = [
            .init(address: "192.168.1.7", port: 40_001, since: 1, sent: 4, refused: 0),
            .init(address: "192.168.1.8", port: 40_002, since: 2, sent: 0, refused: 2),
        ]
        (port.sent, port.refusedPackets, port.refusedConnections) = (5, 2, 9)
        let closed = SharedPortReport(address: "[::1]:4404", right: .admin, problem: "It is taken.")
        let test = try TestGateway(shares: [port, closed])
        let answer = try test.get("/api/v1/metrics")
        let metrics = try Exposition(answer.text)
        func value(_ name: String, _ port: SharedPortReport) -> Double? {
            let labels = ["source": test.uuid, "address": port.address, "right": port.right.rawValue]
            return metrics["mesh_gateway_share_\(name)", labels]
        }
        let names = [
            "open", "clients", "packets_sent_total", "packets_refused_total", "connections_refused_total",
        ]
        #expect(names.map { value($0, port) } == [1, 2, 5, 2, 9])
        #expect(names.map { value($0, closed) } == [0, 0, 0, 0, 0])
        #expect(answer.text.contains("# TYPE mesh_gateway_share_packets_sent_total counter\n"))
        #expect(!answer.text.contains("192.168"))
        // Who may not know of the source does not learn who has its radio.
        let least = try test.ask("GET", "/api/v1/metrics", as: try test.token(["traceroute:read"]))
        #expect(!least.text.contains("mesh_gateway_share_clients{"))
    }

    @Test func atMostAThousandNodesOfASource() throws {
        let test = try TestGateway()
        let (id, now) = (test.id, WallClock.milliseconds())
        try test.store.commit { writer in
            for number in 1...1100 {
                try writer.updateNode(NodeNumber(0x1000 + UInt32(number)), in: id, at: now) { node in
                    node.lastHeard = now / 1000 - Int64(number)
                    node.isIgnored = number == 1
                }
            }
        }
        let answer = try test.get("/api/v1/metrics")
        let metrics = try Exposition(answer.text)
        #expect(metrics.nodes.count == 1000)
        #expect(metrics.nodes.first == NodeNumber(0x1002).id)
        #expect(answer.chunks.count > 10)
        #expect(answer.chunks.allSatisfy { $0 < 200_000 })
    }
}

/// Reads the text format 0.0.4 by its grammar, and nothing else: what Prometheus would refuse fails here.
private struct Exposition {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Malformed: Error { let line: String }

    private(set) var families: [String] = []
    private(set) var samples: [Sample] = []

    subscript(name: String, labels: [String: String]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// In the order of the last gauge that every node has.
    var nodes: [String] {
        samples.filter { $0.name == "meshmonitor_node_last_heard_timestamp_seconds" }.compactMap {
            $0.labels["node_id"]
        }
    }

    init(_ text: String) throws {
        guard text.unicodeScalars.last == "\n" else { throw Malformed(line: "the last line has no end") }
        var help: String?
        for line in text.unicodeScalars.split(separator: "\n") {
            let words = String(line).split(separator: " ", maxSplits: 3).map(String.init)
            if line.starts(with: "# HELP ".unicodeScalars) {
                guard words.count == 4 else { throw Malformed(line: String(line)) }
                help = words[2]
            } else if line.starts(with: "# TYPE ".unicodeScalars) {
                // Once a family, behind its help, and all of its samples behind it.
                guard words.count == 4, ["gauge", "counter"].contains(words[3]), words[2] == help,
                    !families.contains(words[2])
                else {
                    throw Malformed(line: String(line))
                }
                families.append(words[2])
            } else {
                let sample = try Self.sample(line)
                guard sample.name == families.last, self[sample.name, sample.labels] == nil || samples.count > 100
                else {
                    throw Malformed(line: String(line))
                }
                samples.append(sample)
            }
        }
    }

    private static func sample(_ line: Substring.UnicodeScalarView) throws -> Sample {
        let malformed = Malformed(line: String(line))
        var rest = line
        func word() -> String {
            let letters = rest.prefix { $0 == "_" || $0.properties.isAlphabetic && $0.isASCII || ("0"..."9") ~= $0 }
            rest = rest.dropFirst(letters.count)
            return String(letters)
        }
        func skip(_ scalar: Unicode.Scalar) throws {
            guard rest.popFirst() == scalar else { throw malformed }
        }
        let name = word()
        var labels: [String: String] = [:]
        try skip("{")
        while rest.first != "}" {
            let label = word()
            try skip("=")
            try skip("\"")
            var value = String.UnicodeScalarView()
            while let scalar = rest.popFirst(), scalar != "\"" {
                guard scalar == "\\" else {
                    value.append(scalar)
                    continue
                }
                switch rest.popFirst() {
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                case "n": value.append("\n")
                default: throw malformed
                }
            }
            guard !label.isEmpty, labels.updateValue(String(value), forKey: label) == nil else { throw malformed }
            if rest.first == "," { rest.removeFirst() }
        }
        try skip("}")
        try skip(" ")
        guard !name.isEmpty, let value = Double(String(rest)) else { throw malformed }
        return Sample(name: name, labels: labels, value: value)
    }
}
