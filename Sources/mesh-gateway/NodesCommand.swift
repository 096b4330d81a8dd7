import CommandLine
import JSON
import Terminal

/// `mesh-gateway nodes`: who is out there.
struct NodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes",
        abstract: "Lists the nodes of the mesh.",
        discussion: """
            Filters are direct, favorite, ignored, mqtt, keyless, doubted, located, heard=2h, role=ROUTER, or part of \
            a name or id. With several, a node must match all of them.
            """)

    @Option(
        help: "Sort by heard, name, hops, snr, battery or distance.",
        completion: .list(["heard", "name", "hops", "snr", "battery", "distance"]))
    var sort = "heard"

    @Option(
        help: "Only nodes that match this filter; may be repeated.",
        completion: .list(["direct", "favorite", "ignored", "mqtt", "keyless", "doubted", "located", "heard=", "role="])
    )
    var filter: [String] = []

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get(
            "/local/nodes", [("source", viewing.source), ("sort", sort)] + filter.map { ("filter", $0) })
        try viewing.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let nodes = page["nodes"]?.array ?? []
        guard !nodes.isEmpty else {
            let known = page["known"]?.integer ?? 0
            return known == 0 ? "No node is known yet.\n" : "None of the \(known) nodes passes.\n"
        }
        var table = Table([
            .init("NODE"), .init("SHORT", expendability: 2), .init("NAME", widest: 32), .init("HEARD"),
            .init("HOPS", .right, expendability: 1), .init("SNR", .right, expendability: 3),
            .init("BATTERY", .right, expendability: 5), .init("KM", .right, expendability: 6),
            .init("ROLE", expendability: 7), .init("HARDWARE", expendability: 8), .init("KEY", expendability: 4),
        ])
        for node in nodes {
            table.add([
                node["nodeId"]?.string ?? "?", node["shortName"]?.string ?? "", node["longName"]?.string ?? "",
                node["isOwn"]?.bool == true ? "this radio" : viewing.ago(node["lastHeard"]), hops(node),
                node["snr"]?.decimal(1) ?? "-", battery(node), node["distance"]?.decimal(1) ?? "-",
                node["role"]?.string ?? "-", node["hardware"]?.string ?? "-", node["keyState"]?.string ?? "-",
            ])
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    private func hops(_ node: JSONValue) -> String {
        if node["viaMqtt"]?.bool == true { return "mqtt" }
        return node["hopsAway"]?.integer.map { $0 == 0 ? "direct" : "\($0)" } ?? "-"
    }

    /// Above 100 the node has external power (DeviceMetrics).
    private func battery(_ node: JSONValue) -> String {
        node["batteryLevel"]?.integer.map { $0 > 100 ? "power" : "\($0)%" } ?? "-"
    }
}

extension JSONValue {
    /// A number with so many digits after its point.
    func decimal(_ digits: Int) -> String? {
        guard case .number(let number) = self, number.magnitude < 1e12 else { return nil }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((number.magnitude * scale).rounded())
        let sign = number < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let text = String(scaled)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
}
