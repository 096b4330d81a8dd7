import ArgumentParser
import Configuration
import Glibc
import MeshModel
import RestAPI
import Store
import Terminal

/// `mesh-gateway status`: how the radio, the mesh and the gateway are doing.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how the gateway and its radios are doing.",
        discussion:
            "Asks the running daemon; without one it reads what the database holds. Exit code 0 while every radio "
            + "is connected, 69 otherwise.")

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var locations: Locations

    func run() throws {
        switch try Reach.find(locations.configuration()) {
        case .daemon(let client): try show(client)
        case .file(let path): try show(path)
        }
    }

    // MARK: a running daemon

    private func show(_ client: LocalClient) throws {
        let answer = try client.answer("GET", "/local/status")
        guard answer.status == 200, let data = JSONValue(answer.body)?["data"] else {
            throw failure("the daemon at \(client.path) gave no status.", .unavailable)
        }
        let sources = data["sources"]?.array ?? []
        if json {
            writeToStandardOutput(answer.text + "\n")
        } else {
            let isOne = sources.count == 1
            writeToStandardOutput(gateway(data) + sources.map { (isOne ? "" : "\n" + name($0)) + radio($0) }.joined())
        }
        guard !sources.isEmpty, sources.allSatisfy({ $0["connected"]?.bool == true }) else {
            throw ExitCode(ExitStatus.unavailable.rawValue)
        }
    }

    private func gateway(_ data: JSONValue) -> String {
        let uptime = durationInWords(seconds: UInt64(max(0, data["uptime"]?.integer ?? 0)))
        let database = data["database"]
        var text = lines([
            (
                "gateway",
                "version \(data["version"]?.string ?? "?"), process \(data["pid"]?.integer ?? 0), up \(uptime)"
            ),
            ("serving", (data["listeners"]?.array ?? []).compactMap(\.string).joined(separator: ", ")),
            ("database", "\(database?["path"]?.string ?? "?"), \(size(database, "bytes") ?? "?")"),
            ("", room(in: database)),
        ])
        let kept = ["Message", "Position", "Telemetry", "Packet"].compactMap { kind in
            database?["oldest" + kind]?.integer.map { "\(kind.lowercased()) \(localTime(milliseconds: $0))" }
        }
        if !kept.isEmpty { text += lines([("oldest", kept.joined(separator: ", "))]) }
        if let error = database?["lastError"]?.string { text += lines([("", "the disk failed: \(error)")]) }
        return text
    }

    /// What tells a source from the others.
    private func name(_ source: JSONValue) -> String {
        lines([
            ("source", "\(source["name"]?.string ?? "?"), \(source["id"]?.string ?? "?")"),
            ("device", source["device"]?.string ?? "?"),
        ])
    }

    /// The file does not shrink: what counts is how much of it is used.
    private func room(in database: JSONValue?) -> String {
        let limit = size(database, "limitBytes").map { " of \($0)" } ?? ""
        let deleted = database?["deletedRows"]?.integer ?? 0
        return "\(size(database, "usedBytes") ?? "?")\(limit) used"
            + (deleted > 0 ? ", \(deleted) old rows deleted since the start" : "")
    }

    private func size(_ database: JSONValue?, _ key: String) -> String? {
        database?[key]?.integer.map { sizeInWords(UInt64(max(0, $0))) }
    }

    private func radio(_ source: JSONValue) -> String {
        let link = source["link"]
        let since = link?["since"]?.integer.map { ", since \(localTime(milliseconds: $0))" } ?? ""
        var rows = [("radio", "\(link?["state"]?.string ?? "?")\(since)")]
        if let advice = link?["advice"]?.string { rows.append(("", advice)) }
        if let id = source["nodeId"]?.string {
            rows.append(("node", "\(source["longName"]?.string ?? "") (\(source["shortName"]?.string ?? ""), \(id))"))
        }
        if let firmware = source["firmwareVersion"]?.string {
            rows.append(("firmware", "\(firmware), \(source["modemPreset"]?.string ?? "?")"))
        }
        rows.append(
            (
                "known",
                "\(source["nodes"]?.integer ?? 0) nodes, \(source["channels"]?.integer ?? 0) channels, "
                    + "\(source["messages"]?.integer ?? 0) messages"
            ))
        if let waiting = source["queued"]?.integer, waiting > 0 { rows.append(("outbox", "\(waiting) waiting")) }
        if source["txDisabled"]?.bool == true { rows.append(("", "The radio's transmitter is switched off.")) }
        return lines(rows)
    }

    // MARK: no daemon

    private func show(_ path: String) throws {
        let store: ReadOnlyStore
        do { store = try Store.openReadOnly(path: path) } catch { throw failure("\(error).", error.exitStatus) }
        let counts: (nodes: Int, messages: Int, channels: Int)
        do { counts = try store.read { try $0.counts(in: nil) } } catch { throw failure("\(error).", .inputOutput) }
        if json {
            writeToStandardOutput(
                "{\"success\":true,\"data\":{\"running\":false,\"database\":\(JSONText.quoted(path)),"
                    + "\"nodes\":\(counts.nodes),\"messages\":\(counts.messages),\"channels\":\(counts.channels)}}\n")
        } else {
            writeToStandardOutput(
                lines([
                    ("gateway", "not running; start it with: mesh-gateway serve"), ("database", path),
                    ("known", "\(counts.nodes) nodes, \(counts.channels) channels, \(counts.messages) messages"),
                ]))
        }
        throw ExitCode(ExitStatus.unavailable.rawValue)
    }

    private func lines(_ rows: [(String, String)]) -> String {
        rows.map { name, value in
            name + String(repeating: " ", count: max(1, 10 - name.count)) + printable(value) + "\n"
        }
        .joined()
    }
}
