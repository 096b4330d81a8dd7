import JSON
import Terminal

/// Events as people read them: a line each, which goes on below itself on a narrow screen.
struct EventLines {
    private let viewing: Viewing
    private let width = Screen.width
    /// Under what is said about an event.
    private static let indent = 4

    init(_ viewing: Viewing) { self.viewing = viewing }

    func text(_ event: JSONValue) -> String {
        let (style, words) = said(event)
        let clock = viewing.time(event["time"]).map { String($0.split(separator: " ").last ?? "") } ?? ""
        let lines = wrapped(
            printable([clock, words].joined(separator: "  ")), to: width, indent: Self.indent)
        guard let first = lines.first, first.hasPrefix(clock) else { return lines.joined(separator: "\n") + "\n" }
        let rest = String(first.dropFirst(clock.count))
        return ([Screen.style(.dim).applied(to: clock) + Screen.style(style).applied(to: rest)] + lines.dropFirst())
            .joined(separator: "\n") + "\n"
    }

    private func said(_ event: JSONValue) -> (Style, String) {
        let (name, text) = (event["name"]?.string, event["text"]?.string)
        switch event["kind"]?.string {
        case "packet", "sent": return packet(event["packet"] ?? .null)
        case "message": return (.bold, "message stored: " + message(event["message"]))
        case "delivery":
            let state = event["message"]?["delivery"]?["state"]?.string ?? "deleted"
            let reason = event["message"]?["delivery"]?["reason"]?.string.map { " (\($0))" } ?? ""
            return (state == "failed" ? .red : .plain, "\(state)\(reason): " + message(event["message"]))
        case "node": return (.green, "new node \(Self.who(event["node"]))")
        case "key": return (.yellow, text ?? name ?? "key")
        case "link":
            return (name == nil ? .plain : .yellow, listed(["link \(event["state"]?.string ?? "?")", text]) ?? "")
        case "problem": return (.red, "\(name ?? "problem"): \(text ?? "")")
        case "solved": return (.green, "\(name ?? "problem"): that is over")
        case "restart": return (.yellow, "the radio has restarted: \(text ?? "")")
        case "notice": return (.yellow, "the radio says: \(text ?? "")")
        case "debug": return (.dim, text ?? "")
        case "missed":
            let number = event["missed"]?.integer ?? 0
            return (
                .red, "\(number) event\(number == 1 ? " was" : "s were") missed: they came faster than they were read"
            )
        default: return (.plain, event["kind"]?.string ?? "?")
        }
    }

    /// `ALI0 !a11ce001 > all  #LongFast  text  hello  [direct, 6.2 dB, -81 dBm]`.
    private func packet(_ packet: JSONValue) -> (Style, String) {
        let to = packet["to"].map(Self.who) ?? "all"
        let port = Self.port(packet)
        let channel = packet["pkiEncrypted"]?.bool == true ? "PKI" : packet["channelName"]?.string.map { "#\($0)" }
        let hops: String? =
            packet["viaMqtt"]?.bool == true
            ? "MQTT"
            : packet["hopsAway"]?.integer.map { $0 == 0 ? "direct" : "\($0) hop\($0 == 1 ? "" : "s")" }
        let heard = listed([
            hops, packet["snr"]?.decimal(1).map { "\($0) dB" }, packet["rssi"]?.integer.map { "\($0) dBm" },
        ])
        let parts = [
            "\(Self.who(packet["from"])) > \(to)", channel, port, packet["content"]?.string,
            heard.map { "[\($0)]" },
        ]
        return (port == "text" ? .bold : .plain, parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  "))
    }

    /// `text`, `position`; `?` when nobody could decrypt it.
    private static func port(_ packet: JSONValue) -> String {
        guard let name = packet["portName"]?.string else {
            return packet["port"]?.integer.map { "port \($0)" } ?? "?"
        }
        let plain = name.hasSuffix("_APP") ? String(name.dropLast(4)) : name
        return plain == "TEXT_MESSAGE" ? "text" : plain.lowercased().split(separator: "_").joined(separator: " ")
    }

    /// Short name and id: names are not unique.
    private static func who(_ node: JSONValue?) -> String {
        [node?["shortName"]?.string, node?["nodeId"]?.string].compactMap { $0 }.joined(separator: " ")
    }

    private func message(_ message: JSONValue?) -> String {
        guard let message else { return "" }
        return "\"\(message["text"]?.string ?? "")\", id \(message["packetId"]?.integer ?? 0)"
    }
}

/// Lines of at most so many cells, all but the first indented.
func wrapped(_ text: String, to width: Int?, indent: Int) -> [String] {
    guard let width, displayWidth(text) > width else { return [text] }
    // On the narrowest screens an indent would take what is left.
    let indent = width < 4 * indent ? 1 : indent
    let all = Terminal.wrapped(text, to: width)
    guard let first = all.first, all.count > 1 else { return all }
    let rest = String(text.dropFirst(first.count).drop { $0 == " " })
    let lines = Terminal.wrapped(rest, to: width - indent).map { String(repeating: " ", count: indent) + $0 }
    return ([first] + lines).map { line in
        String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
}
