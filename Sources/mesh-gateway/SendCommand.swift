import CommandLine
import ControlAPI
import Glibc
import JSON
import Platform
import Terminal

/// `mesh-gateway send`: says something, and waits for what becomes of it.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends a text to a channel, to a node, or over a broker.",
        discussion: """
            The text is on disk when the command ends, and is sent when the radio has room. With --wait the command \
            ends when the delivery is settled. Exit codes with --wait:

              0  the recipient acknowledged it; on a channel, another node was heard repeating it; the broker has it
              3  relayed only: a node repeated the direct message, but the recipient has not acknowledged it in time
              4  failed: refused, or nobody acknowledged it
              5  expired or cancelled: it was not sent
              6  no acknowledgement in time; it may have arrived all the same

            Without --wait, 0 means that it was accepted. TEXT may be - for standard input. With --queue the text \
            waits for a radio that is not there, while a daemon runs. --json: schemas/send.json.
            """)

    @Argument(help: "The text, in at most three packets of 200 bytes, or 4,000 characters over a broker.")
    var text: String

    @Option(
        help: ArgumentHelp("Send to this channel, by number or name.", valueName: "channel"),
        completion: Completion.channels)
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "A direct message to this node, by id, number or name, or to a conversation over a broker: mqtt:NAME.",
            valueName: "node"),
        completion: Completion.parties
    )
    var to: String?

    @Option(help: ArgumentHelp("The message that this one answers, by the id that messages shows.", valueName: "id"))
    var replyTo: String?

    @Flag(help: "Send it as an alert, in one packet: it rings at its receivers.")
    var alert = false

    @Flag(help: "Wait until the delivery is settled.")
    var wait = false

    @Option(help: ArgumentHelp("How long to wait: \(TimeSpan.forms).", valueName: "time"))
    var timeout = "2m"

    @Flag(help: "Accept the text even while the radio is away; it waits for the radio.")
    var queue = false

    @OptionGroup var viewing: Viewing

    func run() throws {
        guard (channel == nil) != (to == nil) else {
            throw failure("say where the text goes: either --channel CHANNEL or --to NODE.", .usage)
        }
        let patience = try TimeSpan.milliseconds(timeout, of: "--timeout")
        let text = try text == "-" ? standardInput() : text
        let backend = try isOverBroker(to) ? Backend.ofBrokers(viewing.gatewayOptions) : Backend.acting(viewing)
        defer { backend.close() }
        var members = [("text", JSONText.quoted(text))]
        if let channel { members.append(("channel", JSONText.quoted(channel))) }
        if let to { members.append(("to", JSONText.quoted(to))) }
        if let replyTo { members.append(("replyTo", JSONText.quoted(replyTo))) }
        if alert { members.append(("alert", "true")) }
        if queue { members.append(("queue", "true")) }
        let accepted = try backend.post(viewing.target("/local/messages"), body: JSONText.object(members))
        // Without a daemon nobody would send it later.
        guard wait || backend.isOwn else { return try viewing.show(accepted, words) }
        let ids = (accepted.json["messages"]?.array ?? []).compactMap { $0["id"]?.string }
        let place = isOverBroker(to) ? ("with", to) : ("source", accepted.json["source"]?["id"]?.string)
        let query = [place] + ids.map { ("id", Optional($0)) }
        let isInterrupted = try awaited(backend, query, patience)
        let page = try backend.get("/local/sent", query)
        try viewing.show(page, words)
        if isInterrupted { throw ExitCode(Interruption.exitCode) }
        try exit(page.json)
    }

    /// - Returns: whether somebody has interrupted it.
    private func awaited(_ backend: Backend, _ query: [(String, String?)], _ patience: Int64) throws -> Bool {
        let progress = Progress(isQuiet: viewing.json)
        defer { progress.end() }
        let deadline = MonotonicClock.milliseconds() + patience
        let end = try backend.follow("/local/sent/follow", query, until: deadline) { line in
            let page = JSONValue(Array(line.utf8), isOurs: true)
            progress.show(page?["messages"]?.array?.last?["delivery"]?["reason"]?.string ?? "waiting")
            // It is the radio's from then on.
            return wait || page?["messages"]?.array?.contains { $0["delivery"]?["state"]?.string == "queued" } == true
        }
        if case .interrupted = end { return true }
        return false
    }

    private func exit(_ page: JSONValue) throws {
        let isDirect = page["messages"]?.array?.first?["to"] != nil
        let code: Int32
        switch page["outcome"]?.string {
        case "confirmed": return
        case "relayed": code = isDirect ? 3 : 0
        case "failed": code = 4
        case "expired": code = 5
        case "pending" where !wait: return
        default: code = 6
        }
        if code != 0 { throw ExitCode(code) }
    }

    private func words(_ page: JSONValue) -> String {
        let messages = page["messages"]?.array ?? []
        return messages.map { message in
            let delivery = message["delivery"]
            let part = messages.count > 1 ? ", part \(delivery?["part"]?.integer ?? 1) of \(messages.count)" : ""
            let to = message["to"]?["nodeId"]?.string
            let place =
                to ?? message["topic"]?.string
                ?? "#" + (message["channelName"]?.string ?? "\(message["channel"]?.integer ?? 0)")
            let reason = delivery?["reason"]?.string ?? "?"
            let sentence = "to \(place), id \(message["packetId"]?.integer ?? 0)\(part): \(reason)"
            return wrapped(printable(sentence), to: Screen.width, indent: 2).map { $0 + "\n" }.joined()
        }
        .joined()
    }

    /// Up to twice what can be sent: more is no text for a radio.
    private func standardInput() throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            let count = retrying { read(STDIN_FILENO, &buffer, buffer.count) }
            guard count >= 0 else {
                throw failure("standard input cannot be read: \(systemMessage(errno)).", .inputOutput)
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("standard input is no UTF-8 text.", .dataError)
        }
        return text
    }
}

extension Backend {
    /// The gateway runs in this process only, and ends with it.
    fileprivate var isOwn: Bool { if case .ownGateway = self { true } else { false } }
}
