import Folders
import Gateway
import JSON

/// A text with names in braces, which are filled in when it leaves.
struct Template: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text(String)
        case name(TemplateName)
        /// What a phrase's name found.
        case found(String)
    }

    private var parts: [Part] = []

    /// Bytes. What is filled in may be shorter than its name.
    private static let longest = 1_000

    /// - Parameters:
    ///   - key: whose value it is.
    ///   - names: those of the rule's phrases.
    init(_ text: String, _ key: String, names: Set<String> = []) throws(BadValue) {
        guard text.utf8.count <= Self.longest else {
            throw BadValue("\(key) is longer than \(Self.longest) bytes; a packet has \(MessageSplitter.maximumBytes)")
        }
        // By scalars: an accent behind a brace makes another character of it.
        var rest = text.unicodeScalars[...]
        while let place = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let behind = rest[rest.index(after: place)...]
            guard rest[place] == "{", let end = behind.firstIndex(where: { $0 == "}" || $0 == "{" }), behind[end] == "}"
            else {
                let what = rest[place] == "{" ? "this brace is not closed" : "no brace is open here"
                throw BadValue(
                    "\(key) has \"\(String(rest[place...].prefix(20)))\": \(what); braces are for names, such as {node}"
                )
            }
            if place > rest.startIndex { parts.append(.text(String(rest[..<place]))) }
            parts.append(try Self.part(String(behind[..<end]), key, names))
            rest = behind[behind.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
    }

    private static func part(_ word: String, _ key: String, _ names: Set<String>) throws(BadValue) -> Part {
        if names.contains(word) { return .found(word) }
        guard let name = TemplateName(word) else { throw TemplateName.mistake(word, key, names) }
        return .name(name)
    }

    /// The names that it fills in, but not those of phrases.
    var names: [TemplateName] { parts.compactMap { if case .name(let name) = $0 { name } else { nil } } }

    /// No text that it becomes has more.
    var mostBytes: Int {
        let texts = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
        let longest = MessageSplitter.maximumBytes
        return texts.count < parts.count ? longest : min(longest, texts.reduce(0) { $0 + $1.utf8.count })
    }

    /// Whether nodes have to be counted for it.
    var countsNodes: Bool { names.contains { [.nodes, .direct, .known].contains($0) } }

    /// Whether it says who relayed the packet.
    var asksRelay: Bool { names.contains(.relay) }

    /// The text of one packet; empty if nothing is left to say.
    func filled(_ values: TemplateValues) -> String {
        let texts = parts.map { part in
            switch part {
            case .text(let text): text
            // Values are not filled in once more: a node's name may be "{value}".
            case .name(let name): values[name].asOneLine
            case .found(let name): (values.found[name] ?? "").asOneLine
            }
        }
        return texts.joined().trimmedBlanks.cut(toBytes: MessageSplitter.maximumBytes)
    }
}

extension TemplateValues {
    fileprivate subscript(_ name: TemplateName) -> String {
        switch name {
        case .node: node
        case .short: short
        case .id: id
        case .hops: hops.map { "\($0)" } ?? Self.unknown
        case .rabbits: hops.map { $0 == 0 ? "🎯" : String(repeating: "🐇", count: Int(min($0, 7))) } ?? Self.unknown
        case .snr: snr.flatMap(Self.oneDecimal) ?? Self.unknown
        case .rssi: rssi.map { "\($0)" } ?? Self.unknown
        case .channel: isDirect ? "DM" : channel ?? channelNumber.map { "channel \($0)" } ?? Self.unknown
        case .transport: viaMQTT ? "MQTT" : "LoRa"
        case .radio: radio
        case .relay: relay ?? Self.unknown
        case .time: localTime
        case .date: String(local.prefix(10))
        case .value: value
        case .nodes: "\(nodes)"
        case .direct: "\(direct)"
        case .known: "\(known)"
        case .uptime: uptime.shownDuration
        case .version: version
        }
    }

    /// MeshMonitor's word.
    private static let unknown = "N/A"

    private static func oneDecimal(_ value: Double) -> String? {
        let tenths = (abs(value) * 10).rounded()
        guard tenths < 1e9 else { return nil }
        let (whole, rest) = Int(tenths).quotientAndRemainder(dividingBy: 10)
        return "\(value < 0 && tenths > 0 ? "-" : "")\(whole).\(rest)"
    }

    /// "2026-11-25T08:32…" in the zone of the host.
    private var local: String { ISO8601.text(at + 1_000 * zone.offset(at / 1_000)) }

    /// "8:32", as titles have it.
    private var localTime: String {
        let time = local.dropFirst(11).prefix(5)
        return String(time.first == "0" ? time.dropFirst() : time)
    }
}

extension String {
    /// Without control characters, which may be anything that a stranger likes; line ends are blanks. Those that change the
    /// direction of a text would turn around what is behind them, too.
    fileprivate var asOneLine: String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x0A where previous == "\r": break
            case 0x09...0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
            case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }

    fileprivate var trimmedBlanks: String {
        let start = drop { $0.isBlank }
        return start.lastIndex { !$0.isBlank }.map { String(start[...$0]) } ?? ""
    }

    /// Cut behind a whole character, with "…" in place of the rest. A character that alone is too long, such as a letter under a
    /// hundred accents, is cut between its scalars.
    func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        let room = most - "…".utf8.count
        var (kept, bytes) = ("", 0)
        for character in self {
            bytes += character.utf8.count
            guard bytes <= room else { break }
            kept.append(character)
        }
        if kept.isEmpty {
            var scalars = String.UnicodeScalarView()
            bytes = 0
            for scalar in unicodeScalars {
                bytes += UTF8.width(scalar)
                guard bytes <= room else { break }
                scalars.append(scalar)
            }
            kept = String(scalars)
        }
        return kept + "…"
    }
}
