import CommandLine
import ControlAPI
import JSON
import Platform
import Terminal

/// `mesh-gateway listen`: what happens, as it happens.
struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Shows live what the radio hears and sends, and what becomes of messages and nodes.",
        discussion: """
            Without a running daemon the command connects to the radio itself. Kinds are packet (received), sent, \
            message (stored), delivery, node (a new one), key, link, problem, solved, restart, notice, and debug (the \
            radio's debug output). Without --kind all but message and debug are shown. --node, --channel and --port \
            limit the events to what they name. Stop it with Ctrl-C (exit code 130). --json prints an object a line: \
            /usr/share/mesh-gateway/schemas/listen.json. Programs on the network follow GET /api/v1/events instead.
            """)

    @Option(help: ArgumentHelp("Only events of this node.", valueName: "node"), completion: Completion.nodes)
    var node: String?

    @Option(
        help: ArgumentHelp("Only this channel: a number or name.", valueName: "channel"),
        completion: Completion.channels)
    var channel: String?

    @Option(
        help: ArgumentHelp("Only this port, such as text, position, nodeinfo, telemetry, or 3.", valueName: "port"),
        completion: .list(["text", "position", "nodeinfo", "telemetry", "traceroute", "routing", "neighborinfo"]))
    var port: String?

    @Option(
        help: ArgumentHelp("Only these kinds; may be repeated, or with commas.", valueName: "kind"))
    var kind: [String] = []

    @Option(help: ArgumentHelp("Stop after so many events.", valueName: "number"))
    var count: Int?

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time: \(TimeSpan.forms).", valueName: "time"))
    var duration: String?

    @OptionGroup var viewing: Viewing

    func run() throws {
        if let count, count < 1 {
            throw failure("--count takes a number from 1 on; try: mesh-gateway listen --count 10", .usage)
        }
        let span = try duration.map { try TimeSpan.milliseconds($0, of: "--for") }
        let backend = try Backend.acting(viewing)
        defer { backend.close() }
        var left = count ?? .max
        let query = [
            ("source", viewing.source), ("node", node), ("channel", channel), ("port", port),
        ]
        let kinds = kind.map { ("kind", Optional($0)) }
        let lines = EventLines(viewing)
        // A mesh can be silent for minutes.
        let progress = Progress(isQuiet: viewing.json)
        defer { progress.end() }
        let end = try backend.follow(
            "/local/events", query + kinds, until: span.map { MonotonicClock.milliseconds() + $0 }
        ) { line in
            if viewing.json { writeJSON(line) }
            guard let event = JSONValue(Array(line.utf8), isOurs: true) else { return true }
            let kind = event["kind"]?.string
            if kind == "start" {
                progress.show("listening; Ctrl-C ends it")
                return true
            }
            progress.end()
            if !viewing.json { writeToStandardOutput(lines.text(event)) }
            if kind != "missed" { left -= 1 }
            return left > 0
        }
        try end.finish()
    }
}

extension StreamEnd {
    /// Ends a command that would have gone on.
    func finish() throws {
        switch self {
        case .enough, .late: return
        case .interrupted: throw ExitCode(Interruption.exitCode)
        case .ended: throw failure("the daemon has stopped.", .unavailable)
        }
    }
}
