import CommandLine
import JSON
import Terminal

/// `mesh-gateway links`: who hears whom, and how well.
struct LinksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "Shows how well nodes hear each other.",
        discussion: """
            A link has a direction: TO hears FROM. Its signals come from packets that were received here directly, \
            from the neighbours that nodes report, and from the hops of traceroutes. P10, P50 and P90 are percentiles: \
            one signal in ten is below P10, and one in ten above P90. All are SNR in dB. A link is good, fair or weak by \
            its P50 and the modem's setting: a slow one reads signals that a fast one has lost.
            """)

    @Flag(help: "Sort by signal, the weakest first.")
    var worst = false

    @Flag(help: "Print a graph for graphviz: mesh-gateway links --graphviz | dot -Tsvg")
    var graphviz = false

    @Option(help: ArgumentHelp("Only the last 24h, 7d, 4w.", valueName: "time"))
    var since = "7d"

    @Option(help: "Only links with this node at one end.", completion: Completion.nodes)
    var node: String?

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get(
            "/local/links",
            [("source", viewing.source), ("since", since), ("node", node), ("worst", worst ? "true" : nil)])
        try viewing.show(page) { graphviz ? graph($0) : text($0) }
    }

    private func text(_ page: JSONValue) -> String {
        let links = page["links"]?.array ?? []
        guard !links.isEmpty else {
            return "No link is known of this time. A traceroute shows some: mesh-gateway traceroute NODE\n"
        }
        var table = Table([
            .init("FROM", widest: 24), .init("TO", widest: 24), .init("P10", .right, expendability: 2),
            .init("P50", .right),
            .init("P90", .right, expendability: 2), .init("GRADE", expendability: 1),
            .init("SIGNALS", .right, expendability: 3),
            .init("HEARD", .right, expendability: 4), .init("TOLD BY", expendability: 5),
        ])
        for link in links {
            table.add([
                link["from"]?["longName"]?.string ?? "", link["to"]?["longName"]?.string ?? "",
                link["snr"]?["p10"]?.decimal(1) ?? "-", link["snr"]?["p50"]?.decimal(1) ?? "-",
                link["snr"]?["p90"]?.decimal(1) ?? "-", link["grade"]?.string ?? "-",
                link["count"]?.decimal(0) ?? "", viewing.ago(link["lastHeard"]), witnesses(link),
            ])
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }

    private func witnesses(_ link: JSONValue) -> String {
        [("packets", "packets"), ("neighborReports", "neighbours"), ("traceroutes", "routes")]
            .filter { link[$0.0]?.integer ?? 0 > 0 }.map(\.1).joined(separator: ", ")
    }

    // MARK: graphviz

    private func graph(_ page: JSONValue) -> String {
        let links = page["links"]?.array ?? []
        var names: [String: String] = [:]
        for end in links.flatMap({ [$0["from"], $0["to"]] }) {
            if let id = end?["nodeId"]?.string { names[id] = end?["longName"]?.string ?? id }
        }
        var text = "digraph mesh {\n  overlap=false; splines=true; node [shape=box, style=rounded];\n"
        for (id, name) in names.sorted(by: { $0.key < $1.key }) {
            let own = id == page["own"]?.string ? ", penwidth=2" : ""
            text += "  \(quoted(id)) [label=\(quoted(name))\(own)];\n"
        }
        for link in links {
            let snr = link["snr"]?["p50"]?.decimal(1) ?? "?"
            text +=
                "  \(quoted(link["from"]?["nodeId"]?.string ?? "?")) -> \(quoted(link["to"]?["nodeId"]?.string ?? "?"))"
            text += " [label=\(quoted("\(snr) dB"))];\n"
        }
        return text + "}\n"
    }

    /// A quoted ID of the DOT language. A name that looks like one of its escapes is one no longer.
    private func quoted(_ text: String) -> String {
        "\"" + printable(text).flatMap { ["\"", "\\"].contains($0) ? ["\\", $0] : [$0] }.map(String.init).joined()
            + "\""
    }
}
