import CommandLine
import Glibc
import JSON
import Terminal

/// `mesh-gateway packets`: what was received and sent.
struct PacketsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packets",
        abstract: "Shows the packet log, the newest packet last.",
        discussion: """
            A packet must match all filters. NODE is an id, a number, a name, or all for broadcasts. PORT is a number \
            or a name such as position, telemetry, text_message, or encrypted. mesh-gateway explain ROW decodes a \
            packet.
            """)

    @Option(help: "At most so many packets, the newest ones.")
    var limit = 50

    @Option(help: ArgumentHelp("Only packets from this node.", valueName: "node"), completion: Completion.nodes)
    var from: String?

    @Option(help: ArgumentHelp("Only packets to this node.", valueName: "node"), completion: Completion.nodes)
    var to: String?

    @Option(help: "Only packets of this port.")
    var port: String?

    @Option(help: "Only packets of this channel, by index or name.", completion: Completion.channels)
    var channel: String?

    @Option(help: ArgumentHelp("Only the last 30m, 24h, 7d.", valueName: "time"))
    var since: String?

    @OptionGroup var viewing: Viewing

    func run() throws {
        let page = try Backend.reading(viewing).get(
            "/local/packets",
            [
                ("source", viewing.source), ("limit", "\(limit)"), ("from", from), ("to", to), ("port", port),
                ("channel", channel), ("since", since),
            ])
        try viewing.show(page, text)
    }

    private func text(_ page: JSONValue) -> String {
        let packets = page["packets"]?.array ?? []
        guard !packets.isEmpty else { return "No such packet is in the log.\n" }
        var table = Table([
            .init("ROW", .right), .init("TIME", .right), .init("FROM", widest: 12),
            .init("TO", widest: 12, expendability: 2), .init("PORT"), .init("HOPS", .right, expendability: 3),
            .init("SNR", .right, expendability: 4), .init("RSSI", .right, expendability: 5),
            .init("SIZE", .right, expendability: 6), .init("ID", .right, expendability: 7),
            .init("", widest: 40, expendability: 8),
        ])
        for packet in packets.reversed() {
            table.add([
                packet["row"]?.decimal(0) ?? "", viewing.brief(packet["time"]),
                packet["from"]?["longName"]?.string ?? "",
                packet["to"]?["longName"]?.string ?? "", portWord(packet), hops(packet),
                packet["snr"]?.decimal(1) ?? "-",
                packet["rssi"]?.decimal(0) ?? "-", packet["size"]?.decimal(0) ?? "",
                packet["packetId"]?.decimal(0) ?? "",
                packet["text"]?.string ?? "",
            ])
        }
        return table.text(style: Screen.style(.bold), screen: Screen.width)
    }
}

/// `TELEMETRY` of `TELEMETRY_APP`.
func portWord(_ packet: JSONValue) -> String {
    guard let name = packet["portName"]?.string else { return "encrypted" }
    return name.hasSuffix("_APP") ? String(name.dropLast(4)) : name
}

private func hops(_ packet: JSONValue) -> String {
    if packet["direction"]?.string == "sent" { return "sent" }
    if packet["viaMqtt"]?.bool == true { return "mqtt" }
    return packet["hopsAway"]?.integer.map { $0 == 0 ? "direct" : "\($0)" } ?? "-"
}

extension Viewing {
    /// A time of a page as shortly as it is still clear: `14:05:09` today, else `11-20 14:05`.
    func brief(_ value: JSONValue?) -> String {
        guard let text = time(value) else { return "-" }
        let today = localTime(milliseconds: Int64(Glibc.time(nil)) * 1000, utc: utc)
        let zone = utc ? "Z" : ""
        return text.prefix(10) == today.prefix(10)
            ? String(text.dropFirst(11)) : String(text.dropFirst(5).prefix(11)) + zone
    }
}
