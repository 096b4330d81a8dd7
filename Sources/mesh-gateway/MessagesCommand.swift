import CommandLine
import ControlAPI
import Glibc
import JSON
import MeshModel
import Platform
import Terminal

/// `mesh-gateway messages`: what was said.
struct MessagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Shows the last messages, the newest at the end, and the delivery of your own.",
        discussion: """
            --follow shows new messages as they come, until Ctrl-C (exit code 130). With --json it prints an object a \
            line (schemas/message.json), without --follow one object for all messages (schemas/messages.json).
            """)

    @Option(
        help: ArgumentHelp("Only this channel: a number or name.", valueName: "channel"),
        completion: Completion.channels)
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "Only direct messages with this node, or a conversation over a broker: mqtt:NAME.", valueName: "node"),
        completion: Completion.parties)
    var with: String?

    @Option(help: ArgumentHelp("At most so many messages.", valueName: "number"))
    var limit = 50

    @Option(help: ArgumentHelp("Only the last: \(TimeSpan.forms).", valueName: "time"))
    var since: String?

    @Flag(name: .shortAndLong, help: "Wait for new messages and show them.")
    var follow = false

    @OptionGroup var viewing: Viewing

    func run() throws {
        guard (1...5000).contains(limit) else {
            throw failure("--limit takes 1 to 5000; try: mesh-gateway messages --limit 100", .usage)
        }
        guard channel == nil || with == nil else {
            throw failure("direct messages are on no channel; give either --channel CHANNEL or --with NODE.", .usage)
        }
        let span = try since.map { try TimeSpan.milliseconds($0, of: "--since") }
        let query = [
            ("source", viewing.source), ("channel", channel), ("with", with), ("limit", "\(limit)"),
            ("since", span.map { "\(Int64(time(nil)) * 1000 - $0)" }),
        ]
        if follow { return try followed(query) }
        let page = try Backend.reading(viewing).get("/local/messages", query)
        let lines = MessageLines(viewing)
        try viewing.show(page) { page in
            let messages = page["messages"]?.array ?? []
            return messages.isEmpty ? "No messages.\n" : messages.map(lines.text).joined()
        }
    }

    private func followed(_ query: [(String, String?)]) throws {
        let backend = try isOverBroker(with) ? Backend.ofBrokers(viewing.gatewayOptions) : Backend.acting(viewing)
        defer { backend.close() }
        let lines = MessageLines(viewing)
        let end = try backend.follow("/local/messages/follow", query) { line in
            if viewing.json {
                writeJSON(line)
            } else if let told = JSONValue(Array(line.utf8), isOurs: true), let message = told["message"] {
                let isDelivery = told["event"]?.string == "delivery"
                writeToStandardOutput(isDelivery ? lines.delivery(message) : lines.text(message))
            }
            return true
        }
        try end.finish()
    }
}

/// Messages as people read them: who, when and how in a line, the text below it.
struct MessageLines {
    private let viewing: Viewing
    private let width = Screen.width

    init(_ viewing: Viewing) { self.viewing = viewing }

    func text(_ message: JSONValue) -> String {
        let to =
            message["topic"]?.string ?? message["to"].map(name)
            ?? "#" + (message["channelName"]?.string ?? "\(message["channel"]?.integer ?? 0)")
        // What came over a bridge is somebody else's.
        let isMine = message["isOwn"]?.bool == true && message["sender"]?.string != Sender.bridge.text
        let from = isMine ? "me" : message["writer"]?.string ?? name(message["from"] ?? .null)
        let hops = message["hopsAway"]?.integer.map { $0 == 0 ? "direct" : "\($0) hop\($0 == 1 ? "" : "s")" }
        let head = listed([
            "\(viewing.time(message["time"]) ?? "")  \(from) > \(to)",
            message["delivery"]?["state"]?.string ?? (message["viaMqtt"]?.bool == true ? "MQTT" : hops),
            message["isTapback"]?.bool == true
                ? message["replyTo"]?.integer.map { "reaction to \($0)" }
                : message["replyTo"]?.integer.map { "reply to \($0)" },
            message["spoofSuspected"]?.bool == true ? "NOT from this radio, though it says so" : nil,
            "id \(message["packetId"]?.integer ?? 0)",
        ])
        let state = message["delivery"]?["state"]?.string
        let style: Style = state.map { ["relayed", "confirmed"].contains($0) ? .green : .yellow } ?? .bold
        var text = wrapped(printable(head ?? ""), to: width, indent: 2).map {
            Screen.style(style).applied(to: $0) + "\n"
        }
        for line in (message["text"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            text += wrapped(printable(String(line)), to: width.map { max(4, $0 - 2) }).map { "  \($0)\n" }
        }
        return text.joined()
    }

    /// How far an own message has come by now.
    func delivery(_ message: JSONValue) -> String {
        let delivery = message["delivery"]
        let text = listed([
            "\(viewing.time(delivery?["changedAt"]) ?? "")  id \(message["packetId"]?.integer ?? 0) "
                + (delivery?["state"]?.string ?? "?"), delivery?["reason"]?.string,
        ])
        return wrapped(printable(text ?? ""), to: width, indent: 2)
            .map { Screen.style(.dim).applied(to: $0) + "\n" }.joined()
    }

    private func name(_ node: JSONValue) -> String {
        "\(node["longName"]?.string ?? "?") (\(node["shortName"]?.string ?? "?"))"
    }
}
