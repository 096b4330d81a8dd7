import CommandLine
import ControlAPI
import JSON
import Terminal

/// `mesh-gateway explain`: one packet, byte by byte.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Decodes a packet: its bytes with their meaning, its route, its airtime.",
        discussion: """
            PACKET is a row or a packet id from mesh-gateway packets. Its bytes are put together from the log's columns: \
            fields that the gateway does not know, and their order, are not kept. With --hex it takes the bytes of a FromRadio, \
            ToRadio, MeshPacket or Data message, and needs neither daemon nor database. Keys and passwords are not \
            shown.
            """)

    @Argument(help: "Row in the packet log, or packet id.")
    var packet: String?

    @Option(help: ArgumentHelp("The bytes of a message in hexadecimal digits.", valueName: "bytes"))
    var hex: String?

    @Option(help: "The modem preset for the airtime, such as LONG_FAST. Default: the radio's own.")
    var preset: String?

    @OptionGroup var viewing: Viewing

    func validate() throws {
        guard (packet == nil) != (hex == nil) else {
            throw ValidationError("Name one packet by its row or id, or give its bytes with --hex.")
        }
    }

    func run() throws {
        let page: Page
        if let hex {
            guard let bytes = bytes(hex), !bytes.isEmpty else {
                throw failure(
                    "these are no bytes in hexadecimal digits; write them like 0d1234ab or 0d:12:34:ab.", .dataError)
            }
            page = try Page(ControlAPI.explanation(of: bytes, preset: preset).answer)
        } else {
            page = try Backend.reading(viewing).get(
                "/local/packets/\(PercentEncoding.segment(packet ?? ""))",
                [("source", viewing.source), ("preset", preset)])
        }
        try viewing.show(page, text)
    }

    /// Blanks and colons may stand between them, `0x` before them.
    private func bytes(_ text: String) -> [UInt8]? {
        var digits = text.utf8.filter { ![0x20, 0x0A, 0x09, UInt8(ascii: ":")].contains($0) }[...]
        if digits.starts(with: "0x".utf8) { digits = digits.dropFirst(2) }
        return JSON.bytes(hexadecimal: String(decoding: digits, as: UTF8.self))
    }

    // MARK: for a person

    private func text(_ page: JSONValue) -> String {
        var fields = Fields()
        if let packet = page["packet"] { about(packet, &fields) }
        if let hops = page["hops"] { fields.add("hops", way(hops)) }
        if let airtime = page["airtime"] { fields.add("airtime", duration(airtime)) }
        let origin =
            page["origin"]?.string == "log" ? ", put together from the log's columns; not the bytes that came" : ""
        let unexplained = page["unexplained"]?.integer ?? 0
        fields.add(
            "bytes",
            "\(page["length"]?.decimal(0) ?? "?") of a \(page["message"]?.string ?? "message")\(origin)"
                + (unexplained > 0 ? ", \(unexplained) of them unexplained" : ""))
        let table = table(page["fields"]?.array ?? []).text(style: Screen.style(.bold), screen: Screen.width)
        return fields.text(width: Screen.width, style: Screen.style(.bold)) + "\n" + table
    }

    private func about(_ packet: JSONValue, _ fields: inout Fields) {
        let verb = packet["direction"]?.string == "sent" ? "sent" : "received"
        fields.add(
            "packet",
            "\(packet["packetId"]?.decimal(0) ?? "?"), row \(packet["row"]?.decimal(0) ?? "?"), \(verb) "
                + (viewing.time(packet["time"]) ?? "?"))
        fields.add("from", node(packet["from"]))
        fields.add("to", node(packet["to"]))
        fields.add("port", "\(portWord(packet)), \(packet["size"]?.decimal(0) ?? "0") bytes")
        fields.add("says", packet["text"]?.string)
        if let snr = packet["snr"]?.decimal(2) {
            fields.add("signal", "SNR \(snr) dB" + (packet["rssi"]?.decimal(0).map { ", RSSI \($0) dBm" } ?? ""))
        }
    }

    private func node(_ node: JSONValue?) -> String {
        "\(node?["longName"]?.string ?? "?") (\(node?["nodeId"]?.string ?? "?"))"
    }

    private func way(_ hops: JSONValue) -> String {
        var text =
            switch hops["away"]?.integer {
            case 0: "heard directly"
            case let away?: "\(away) of \(hops["start"]?.decimal(0) ?? "?") used"
            case nil: "unknown"
            }
        text += ", \(hops["limit"]?.decimal(0) ?? "0") left"
        if let byte = hops["relayByte"]?.integer, hops["away"]?.integer != 0 {
            let names = (hops["relayCandidates"]?.array ?? []).map { node($0) }
            text += "; relayed last by a node whose number ends in \(twoDigits(byte)), "
            text += names.isEmpty ? "which nobody heard directly has" : "perhaps " + names.joined(separator: " or ")
        }
        return text
    }

    private func twoDigits(_ number: Int64) -> String { hexadecimal(UInt32(truncatingIfNeeded: number), digits: 2) }

    private func duration(_ airtime: JSONValue) -> String {
        let preset = (airtime["preset"]?.string ?? "?") + (airtime["isAssumed"]?.bool == true ? " (assumed)" : "")
        let duty = airtime["dutyCyclePercent"]?.shortest(1) ?? "100"
        let allowed = airtime["region"]?.string.map { "the \(duty) % of an hour that \($0) allows" } ?? "an hour"
        return "\(airtime["milliseconds"]?.decimal(1) ?? "?") ms for \(airtime["bytes"]?.decimal(0) ?? "?") bytes with "
            + "\(preset), SF\(airtime["spreadingFactor"]?.decimal(0) ?? "?"), "
            + "\(airtime["bandwidth"]?.shortest(1) ?? "?") kHz; \(airtime["sharePercent"]?.decimal(3) ?? "?") % of \(allowed), "
            + "and as much again for each node that repeats it"
    }

    private func table(_ fields: [JSONValue]) -> Table {
        var table = Table([
            .init("BYTE", .right), .init("HEX", widest: 24, expendability: 1), .init("FIELD"), .init("VALUE"),
            .init("TYPE", expendability: 2),
        ])
        for field in fields {
            let indent = String(repeating: "  ", count: Int(field["depth"]?.integer ?? 0))
            let number = field["number"]?.decimal(0).map { " \($0)" } ?? ""
            let hex = field["hex"]?.string ?? ""
            table.add([
                field["offset"]?.decimal(0) ?? "", hex, "\(indent)\(field["name"]?.string ?? "?")\(number)",
                field["value"]?.string ?? "", field["type"]?.string ?? "",
            ])
        }
        return table
    }
}
