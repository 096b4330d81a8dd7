import CommandLine
import JSON
import Terminal

/// `mesh-gateway request`: asks a node what it knows of itself.
struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Asks a node for its position, names, telemetry or neighbours, and shows the answer.",
        discussion: """
            Exit code 0 when the node answered, 5 when it did not, 69 when it could not be asked. A request for a \
            position or for names sends this radio's own. telemetry is a node's battery and airtime; environment, \
            air-quality and power are what its sensors measure; local-stats is what its radio has sent and received. \
            Only nodes that are heard directly report their neighbours.
            """)

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case position, nodeinfo, telemetry, environment
        case airQuality = "air-quality"
        case power
        case localStats = "local-stats"
        case neighbors
    }

    @Argument(
        help: """
            What to ask for: position, nodeinfo, telemetry, environment, air-quality, power, local-stats or neighbors.
            """)
    var kind: Kind

    @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
    var node: String

    @Option(help: ArgumentHelp("Ask on this channel, 0 to 7.", valueName: "index"))
    var channel: Int?

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "seconds"))
    var timeout = 90

    @OptionGroup var viewing: Viewing

    func validate() throws { try Awaiting.check(timeout: timeout, channel: channel) }

    func run() throws {
        let backend = try Backend.acting(viewing)
        defer { backend.close() }
        let awaiting = Awaiting(backend: backend, viewing: viewing, timeout: timeout)
        let page = try awaiting.answer(to: kind.rawValue, of: node, channel: channel) { packet, id in
            ("/local/requests/\(kind.rawValue)/\(packet)", [("node", id)])
        }
        try awaiting.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        var fields = Fields()
        fields.add("node", "\(page["node"]?["longName"]?.string ?? "") (\(page["node"]?["nodeId"]?.string ?? node))")
        if let position = page["position"] { show(position: position, &fields) }
        if let user = page["nodeinfo"] { show(user: user, &fields) }
        for value in page["telemetry"]?.array ?? [] {
            let unit = value["unit"]?.string.map { " \($0)" } ?? ""
            fields.add(value["metric"]?.string ?? "?", (value["value"]?.shortest(2) ?? "?") + unit)
        }
        if let neighbors = page["neighbors"]?.array { show(neighbors, &fields) }
        return fields.text(width: Screen.width, style: Screen.style(.bold))
    }

    private func show(position: JSONValue, _ fields: inout Fields) {
        let place = position["latitude"]?.decimal(5).flatMap { latitude in
            position["longitude"]?.decimal(5).map { "\(latitude), \($0)" }
        }
        fields.add("position", place ?? "none: it does not know where it is, or does not share it")
        fields.add("altitude", position["altitude"]?.decimal(0).map { "\($0) m" })
        fields.add("precision", position["precisionBits"]?.decimal(0).map { "\($0) of 32 bits" })
    }

    private func show(user: JSONValue, _ fields: inout Fields) {
        fields.add("long name", user["longName"]?.string)
        fields.add("short name", user["shortName"]?.string)
        fields.add("hardware", user["hardware"]?.string)
        fields.add("role", user["role"]?.string)
        fields.add("key", user["key"]?.string ?? "none")
    }

    private func show(_ neighbors: [JSONValue], _ fields: inout Fields) {
        if neighbors.isEmpty { fields.add("hears", "nobody") }
        for (index, neighbor) in neighbors.enumerated() {
            fields.add(
                index == 0 ? "hears" : "",
                "\(neighbor["longName"]?.string ?? "") (\(neighbor["nodeId"]?.string ?? "?")) at "
                    + "\(neighbor["snr"]?.decimal(2) ?? "?") dB")
        }
    }
}
