import CommandLine
import JSON
import Terminal

/// `mesh-gateway traceroute`: the way to a node and back.
struct TracerouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "traceroute",
        abstract: "Asks for the route to a node and back, with the signal at each hop.",
        discussion: """
            Exit code 0 when the node answered, 5 when it did not, 69 when it could not be asked. Radios send a \
            traceroute every 30 seconds; another one waits for its turn.
            """)

    @Argument(help: "Which node: an id, a number, or a name.", completion: Completion.nodes)
    var node: String

    @Option(help: ArgumentHelp("Ask on this channel, 0 to 7.", valueName: "index"))
    var channel: Int?

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "seconds"))
    var timeout = 90

    @Flag(help: "Show the last answer, without asking.")
    var last = false

    @OptionGroup var viewing: Viewing

    func validate() throws { try Awaiting.check(timeout: timeout, channel: channel) }

    func run() throws {
        if last {
            let page = try Backend.reading(viewing).get(
                "/local/traceroutes/\(PercentEncoding.segment(node))", [("source", viewing.source)])
            return try viewing.show(page, text)
        }
        let backend = try Backend.acting(viewing)
        defer { backend.close() }
        let awaiting = Awaiting(backend: backend, viewing: viewing, timeout: timeout)
        let page = try awaiting.answer(to: "traceroute", of: node, channel: channel) { packet, id in
            ("/local/traceroutes/\(PercentEncoding.segment(id))", [("packet", packet)])
        }
        try awaiting.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let name = "\(page["node"]?["longName"]?.string ?? "") (\(page["node"]?["nodeId"]?.string ?? node))"
        guard page["state"]?.string == "answered", let forward = page["forward"]?.array else {
            let reason = page["reason"]?.string ?? "no answer has come"
            return printable("Traceroute to \(name), asked \(viewing.ago(page["askedAt"])): \(reason).") + "\n"
        }
        let hops = forward.count - 2
        let way = hops == 0 ? "heard directly" : hops == 1 ? "1 hop between" : "\(hops) hops between"
        let title = wrapped(
            printable("Traceroute to \(name): \(way), answered \(viewing.ago(page["answeredAt"]))"), to: Screen.width)
        let isUnicode = isUTF8(environment: GatewayOptions.environment)
        let there = RouteDrawing(forward, title: "there", isUnicode: isUnicode)
        // Turned round, so that this radio stands above in both.
        let back = page["back"]?.array.map { RouteDrawing(back: $0, title: "back", isUnicode: isUnicode) }
        return (title + RouteDrawing.beside(there, back, width: Screen.width)).joined(separator: "\n") + "\n"
    }
}

/// A way from node to node, drawn from above to below.
struct RouteDrawing {
    private let lines: [String]

    /// - Parameter nodes: each with the signal at which it heard the one before.
    init(_ nodes: [JSONValue], title: String, isUnicode: Bool) {
        let (mark, bar) = isUnicode ? ("●", "↓") : ("*", "v")
        var lines = [title]
        for (index, node) in nodes.enumerated() {
            if index > 0 { lines.append("\(bar) \(Self.signal(node))") }
            lines.append("\(mark) \(Self.name(node))")
        }
        self.lines = lines
    }

    /// The way back, which ends above.
    init(back nodes: [JSONValue], title: String, isUnicode: Bool) {
        let (mark, bar) = isUnicode ? ("●", "↑") : ("*", "^")
        var lines = [title]
        for (index, node) in nodes.enumerated().reversed() {
            lines.append("\(mark) \(Self.name(node))")
            // The signal at which this one heard the next one below.
            if index > 0 { lines.append("\(bar) \(Self.signal(node))") }
        }
        self.lines = lines
    }

    private static func name(_ node: JSONValue) -> String {
        printable(node["longName"]?.string ?? "?") + (node["nodeId"]?.string.map { " (\($0))" } ?? "")
    }

    private static func signal(_ node: JSONValue) -> String { node["snr"]?.decimal(2).map { "\($0) dB" } ?? "? dB" }

    /// Side by side where there is room, else one below the other.
    static func beside(_ left: RouteDrawing, _ right: RouteDrawing?, width: Int?) -> [String] {
        guard let right else {
            return left.cut(to: width) + ["It did not report the way back."].flatMap { wrapped($0, to: width) }
        }
        let widest = left.lines.map { displayWidth($0) }.max() ?? 0
        let other = right.lines.map { displayWidth($0) }.max() ?? 0
        guard widest + 4 + other <= width ?? .max else { return left.cut(to: width) + right.cut(to: width) }
        return (0..<max(left.lines.count, right.lines.count)).map { row in
            let a = row < left.lines.count ? left.lines[row] : ""
            guard row < right.lines.count else { return a }
            return a + String(repeating: " ", count: widest + 4 - displayWidth(a)) + right.lines[row]
        }
    }

    private func cut(to width: Int?) -> [String] { lines.map { Terminal.cut($0, to: width) } }
}
