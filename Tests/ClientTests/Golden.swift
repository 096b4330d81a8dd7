import Foundation
import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// An answer as it is kept in Golden.txt: a value a line, in the order and with the digits of the answer, and a name in
/// the place of what differs from run to run.
struct Golden {
    /// What is drawn anew on every run, and what it is called here.
    struct Names {
        let source: String
        let own: NodeNumber
        let version: String
        let drawnIDs: Set<Int>
    }

    static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden.txt")

    /// The answers that are kept, by their names.
    static func known() throws -> [String: String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let sections = "\n\(text.dropLast())".components(separatedBy: "\n== ").dropFirst()
        return Dictionary(
            uniqueKeysWithValues: sections.map { section in
                let end = section.firstIndex(of: "\n") ?? section.endIndex
                return (String(section[..<end]), String(section[end...].dropFirst()) + "\n")
            })
    }

    let text: String

    init(_ value: StrictJSON, _ names: Names) {
        var lines: [String] = []
        names.named(value, as: "").print(into: &lines, indent: "", before: "", after: "")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Lines of text, such as Prometheus reads.
    init(lines text: String, _ names: Names) { self.text = names.named(text, as: "") }

    /// The first line that differs, with its number and what was expected; nil when there is none.
    func difference(to expected: String) -> String? {
        let (mine, theirs) = (text.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
        guard let line = (0..<max(mine.count, theirs.count)).first(where: { mine.at($0) != theirs.at($0) }) else {
            return nil
        }
        return "line \(line + 1) is \(mine.at(line) ?? "missing"), and was \(theirs.at(line) ?? "missing")"
    }
}

extension Array {
    fileprivate func at(_ index: Int) -> Element? { index < count ? self[index] : nil }
}

extension Golden.Names {
    /// The members that hold a moment. Only what is of today gets a name: a wrong unit stays and is a difference.
    private static let moments: Set = [
        "timestamp", "createdAt", "updatedAt", "created_at", "rxTime", "rx_time", "packetTimestamp", "lastHeard",
        "lastUpdated", "since", "positionTimestamp", "nodeStatusUpdatedAt", "lastPKIPacket", "lastTracerouteRequest",
        "transportLastRf", "transportLastMqtt", "transportLastUdp", "lastRxTime", "receivedAt", "lastDecryptedAt",
    ]

    /// Other members that differ by their nature.
    private static let volatile = [
        "uptime": "uptime", "csrfToken": "token", "queueIds": "queue id",
        "requestId": "packet id",
        // What is worked out from packets depends on how fast they come.
        "telemetryDeleted": "rows",
        "retryAfter": "s",
    ]

    /// - Parameter key: the member that this is the value of; that of a list for its items.
    func named(_ value: StrictJSON, as key: String) -> StrictJSON {
        switch value {
        case .null, .bool: return value
        case .array(let items): return .array(items.map { named($0, as: key) })
        case .object(let members):
            return .object(members.map { .init(key: $0.key, value: named($0.value, as: $0.key)) })
        case .string(version) where key == "version": return .string("<version>")
        case .string(let text): return .string(Self.volatile[key].map { "<\($0)>" } ?? named(text, as: key))
        case .number:
            if let name = Self.volatile[key] { return .string("<\(name)>") }
            if let integer = value.integer, drawnIDs.contains(integer) { return .string("<packet id>") }
            guard Self.moments.contains(key), let moment = value.double else { return value }
            let now = Date().timeIntervalSince1970
            if abs(moment - now) < 86_400 { return .string("<s>") }
            return abs(moment / 1000 - now) < 86_400 ? .string("<ms>") : value
        }
    }

    func named(_ text: String, as key: String) -> String {
        // JSON inside a string.
        if text.hasPrefix("{") || text.hasPrefix("["), let inner = try? StrictJSON(Data(text.utf8)) {
            return named(inner, as: key).compact
        }
        return text.replacingOccurrences(of: source, with: "<source>")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) { _ in "<iso>" }
            // Own messages: the source, the own number and the packet id.
            .replacing(/(\d+)_(\d+)\b/) { match in
                UInt32(match.1) == own.rawValue ? "\(match.1)_<packet id>" : String(match.0)
            }
            .replacing(/^mt:(.*):p\d+$/) { $0.1 == own.id ? "mt:\($0.1):p<packet id>" : String($0.0) }
            // Prometheus: the value behind a name.
            .replacing(/(version=)"[^"]*"/) { "\($0.1)\"<version>\"" }
            .replacing(/(_last_heard_timestamp_seconds\{.*\} )\d{10}/) { "\($0.1)<s>" }
    }
}

extension StrictJSON {
    fileprivate func print(into lines: inout [String], indent: String, before: String, after: String) {
        func block(_ open: String, _ close: String, _ items: [(before: String, value: StrictJSON)]) {
            guard !items.isEmpty else { return lines.append(indent + before + open + close + after) }
            lines.append(indent + before + open)
            for (index, item) in items.enumerated() {
                item.value.print(
                    into: &lines, indent: indent + "  ", before: item.before,
                    after: index == items.count - 1 ? "" : ",")
            }
            lines.append(indent + close + after)
        }
        switch self {
        case .array(let items): block("[", "]", items.map { ("", $0) })
        case .object(let members): block("{", "}", members.map { ("\(quoted($0.key)): ", $0.value) })
        default: lines.append(indent + before + compact + after)
        }
    }

    fileprivate var compact: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let literal): literal
        case .string(let text): quoted(text)
        case .array(let items): "[" + items.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { quoted($0.key) + ":" + $0.value.compact }.joined(separator: ",") + "}"
        }
    }
}

/// JSON escapes no more than it must.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case let control where control.value < 0x20: result += "\\u{\(String(control.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
