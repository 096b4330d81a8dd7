import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// What a command prints with `--json`, and the schema (deploy/schemas) that it has to fit.
private struct Row {
    enum Manner {
        /// From the running daemon, and without one from the database: the same page.
        case page
        /// Only beside a running daemon.
        case beside
        /// Likewise, without end: until Ctrl-C.
        case live
        /// Only while no daemon runs.
        case alone
    }

    /// Without `--json`. `NODE` stands for the id of a node that has been active, `OTHER` for another one's, `PACKET` for
    /// a packet's row, `FILE` for a new file, `RECORDING` for an old one, `BACKUP` for a backup, `ARCHIVE` for an archive,
    /// `SETTINGS` for a file of the radio's settings, `MESHMONITOR` for a database of MeshMonitor's.
    let words: [String]
    let schema: String
    let manner: Manner
    let exitCodes: Set<Int32>

    init(_ words: String, _ schema: String, _ manner: Manner = .page, exitCodes: Set<Int32> = [0]) {
        self.words = words.split(separator: " ").map(String.init)
        self.schema = schema
        self.manner = manner
        self.exitCodes = exitCodes
    }

    /// Each command that knows `--json` has a row. In this order: some change what later ones show.
    static let all = [
        Row("keys list", "keys"), Row("keys verify NODE", "keys"), Row("keys accept NODE", "keys", .beside),
        Row("send hello --channel 0", "send", .beside), Row("send hello --to NODE --wait", "send", .beside),
        Row("traceroute NODE", "traceroute", .beside), Row("request position NODE", "request", .beside),
        Row("status", "status", exitCodes: [0, 69]), Row("nodes", "nodes"),
        Row("nodes --sort distance --filter located", "nodes"), Row("node NODE", "node"), Row("node show SIM", "node"),
        Row("channels", "channels"), Row("messages", "messages"), Row("messages --with NODE", "messages"),
        Row("messages --follow", "message", .live), Row("listen", "listen", .live), Row("packets", "packets"),
        Row("explain PACKET", "explain"), Row("explain --hex 0a03616263", "explain", .beside),
        Row("telemetry NODE", "telemetry"), Row("telemetry NODE --metric batteryLevel", "telemetry"),
        Row("links", "links"), Row("node NODE --nickname Bob --notes tent", "node", .beside),
        Row("request local-stats NODE", "request", .beside),
        Row("waypoint create Camp 46.2,6.1 --lock --expires 2d", "waypoint", .beside),
        Row("waypoint change Camp --description tents --unlock", "waypoint", .beside),
        Row("waypoint list", "waypoints"),
        Row("waypoint delete Camp", "waypoint", .beside), Row("send-position", "position-sent", .beside),
        Row("send-position NODE --channel 1", "position-sent", .beside),
        Row("send fire --alert --channel 0", "send", .beside),
        Row("rule add direct-message", "rules", .beside), Row("rule add battery --name two", "rules", .beside),
        Row("rule remove two", "rules", .beside), Row("rule list", "rules"), Row("rule show direct-message", "rules"),
        Row("rule forget direct-message", "rule-forget", .beside), Row("rule log direct-message", "rule-log"),
        Row("rule log direct-message --near", "rule-log"),
        Row("rule test direct-message", "rule-test"), Row("rule test direct-message --event EVENT", "rule-test"),
        Row("target add box alive --url-file URLFILE", "targets", .beside), Row("target list", "targets"),
        Row("target show phone", "targets"), Row("target test phone", "targets", .beside, exitCodes: [69]),
        Row("target remove box", "targets", .beside),
        Row("push list", "pushes"), Row("push test 1", "pushes", .beside, exitCodes: [69]),
        Row("push remove 2", "push-removed", .beside), Row("push remove 3", "push-removed", .alone),
        Row("push new-key", "push-key", .beside),
        Row("mqtt test house", "mqtt-test", .beside, exitCodes: [69]),
        Row("mqtt add attic mqtt://127.0.0.1:2", "mqtt-test", .beside, exitCodes: [69]),
        Row("mqtt refresh house", "mqtt", .beside),
        Row("mqtt status", "mqtt"),
        Row("conversation list", "broker-conversations"), Row("conversation show club", "broker-conversations"),
        Row("send hello --to mqtt:club", "send", .beside), Row("messages --with mqtt:club", "messages"),
        Row("conversations", "conversations"),
        Row("conversations --mark-read channel:0", "conversations", .beside),
        Row("conversations --mute channel:0 --for 2h", "conversations", .beside),
        Row("doctor", "doctor", exitCodes: [0, 1, 2]), Row("ports", "ports", .beside),
        Row("radio info", "radio-info", .beside), Row("radio config get", "radio-config", .beside),
        Row("radio config get lora.region", "radio-config", .beside),
        Row("radio set-time", "radio-action", .beside), Row("radio favorite OTHER", "radio-action", .beside),
        Row("radio ignore OTHER --remove", "radio-action", .beside),
        Row("radio remove OTHER --yes", "radio-action", .beside), Row("channel url --all", "channel-url", .beside),
        Row("capture FILE --for 1s", "capture", .beside), Row("capture last 10m FILE", "capture", .beside),
        Row("replay RECORDING", "replay", .beside),
        Row("backup FILE", "backup", .beside), Row("restore BACKUP --database FILE", "restore", .beside),
        Row("export FILE", "export", .beside), Row("import ARCHIVE --database FILE", "import", .beside),
        Row("take-over MESHMONITOR --dry-run", "take-over", .alone),
        Row("node merge NODE OTHER --dry-run", "node-merge", .alone),
        Row("node merge NODE OTHER", "node-merge", .alone),
        Row("config show", "config-show", .beside), Row("config show device", "config-show", .beside),
        Row("config check", "config-check", .beside),
        Row("config check --config FILE", "config-check", .beside, exitCodes: [78]),
        Row("token create JSON --expires 8w", "token"), Row("token list", "tokens"),
        Row("token allow JSON nodes:write", "token-allowed"), Row("token revoke JSON", "token-revoked"),
        Row("radio reboot --in 9999 --yes", "radio-action", .beside),
        Row(
            "channel add https://meshtastic.org/e/#CgoSAQEaBVRlc3QxCgMSAQISBAgBOAM --yes", "channel-add", .beside),
        Row("radio config export FILE --with-secrets", "radio-export", .beside),
        Row("radio config import SETTINGS --yes", "radio-import", .beside),
        // The radio restarts.
        Row("radio config set lora.hop_limit=4 network.wifi_psk=geheim --yes", "radio-action", .beside),
    ]
}

@Test func everyJSONFitsItsSchema() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.hiddenChannel = .climbers }
    // Rules and brokers lie beside it.
    let configuration = ["MESH_GATEWAY_CONFIG": "\(folders.root)/mesh-gateway.conf"]
    try "push-hosts = 127.0.0.1:9\n".write(
        toFile: configuration.values.first!, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: "\(folders.root)/targets.d", withIntermediateDirectories: true)
    // Nothing is sent to this computer.
    let address = try folders.file("address", "http://127.0.0.1:9/topic\n")
    try "kind = ntfy\nurl = http://127.0.0.1:9/topic\n".write(
        toFile: "\(folders.root)/targets.d/phone.conf", atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: "\(folders.root)/brokers.d", withIntermediateDirectories: true)
    try "url = mqtt://127.0.0.1:1\nhome-assistant = all\n".write(
        toFile: "\(folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: configuration)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    let id = try seed(gateway, here)
    let club = try gateway.client.post(
        "/api/v1/mqtt/conversations", ["name": "club", "broker": "house", "filters": .array(["club/talk"])])
    #expect(club.status == 201, "\(club.text)")

    let (browser, phones) = (
        JSON.object([
            "endpoint": "https://127.0.0.1:9/up?up=1",
            // RFC 8291, appendix A.
            "keys": [
                "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            ],
        ]),
        ["a", "b", "c"].map { JSON.string(String(repeating: $0, count: 64)) }
    )
    for body in [browser] + phones.map({ JSON.object(["platform": "ios", "push_token": $0]) }) {
        let registered = try gateway.client.post("/api/v1/push/register", body)
        #expect(registered.status == 200, "\(registered.text)")
    }

    func answer(_ words: String...) throws -> JSON {
        let command = try Program(words + ["--json"], in: folders)
        #expect(try command.exitCode() == 0, "\(command.errors.text)")
        return try JSONDecoder().decode(JSON.self, from: command.output.data)
    }
    let packet = try #require(try answer("packets").packets.first?["row"].integer)
    _ = try answer("backup", "\(folders.root)/backup")
    _ = try answer("export", "\(folders.root)/archive")
    let places = [
        "EVENT": try folders.file(
            "event", #"{"kind": "message", "fromNodeId": "!a1b2c3d4", "channel": -1, "text": "hi"}"#),
        "URLFILE": address, "ARCHIVE": "\(folders.root)/archive", "BACKUP": "\(folders.root)/backup", "NODE": id,
        "OTHER": here.radio.nodes[1].number.id, "PACKET": "\(packet)",
        "RECORDING": (#filePath as NSString).deletingLastPathComponent + "/../Recordings/27-chat-a.jsonl",
        "SETTINGS": try folders.file("settings", "ringtone: t:d=4\nconfig: {lora: {hopLimit: 6}}\n"),
        "MESHMONITOR": try MeshMonitorDatabase(version: 4, packets: 20, in: folders).path,
    ]
    var cases: [JSON] = []
    func run(_ row: Row, isOffline: Bool) throws {
        let file = "\(folders.root)/file\(cases.count)"
        let words = row.words.map { $0 == "FILE" ? file : places[$0] ?? $0 } + ["--json"]
        let command = try Program(words, in: folders, environment: configuration)
        if row.manner == .live { try interrupt(command, here) }
        let code = try command.exitCode()
        #expect(
            row.manner == .live ? code == 130 : row.exitCodes.contains(code), "\(words): \(code) \(command.errors.text)"
        )
        #expect(command.errors.text.isEmpty, "\(words): \(command.errors.text)")
        if row.manner == .page {
            let via = isOffline ? "database" : "daemon"
            #expect(command.output.text.contains("\"via\":\"\(via)\""), "\(words): not via \(via)")
        }
        cases.append([
            "command": .string(words.joined(separator: " ")), "schema": .string(row.schema),
            "output": .string(command.output.text),
        ])
    }
    for row in Row.all where row.manner != .alone { try run(row, isOffline: false) }
    try gateway.program.stop()
    for row in Row.all where [.page, .alone].contains(row.manner) { try run(row, isOffline: true) }
    try fit(cases, in: folders)
}

/// Ctrl-C, once the command has shown something of what is being said.
private func interrupt(_ command: Program, _ here: RadioHere) throws {
    let deadline = Date(timeIntervalSinceNow: Program.patience)
    while !command.output.text.contains("\n"), Date() < deadline {
        here.radio.sendText(from: here.radio.nodes[0].number, "still there?")
        usleep(100_000)
    }
    command.signal(SIGINT)
}

extension JSON {
    fileprivate var packets: [JSON] { self["packets"].rows }
}

/// A mesh of which there is something to tell. The id of the node that most is told about.
private func seed(_ gateway: ServedGateway, _ here: RadioHere) throws -> String {
    let hiker = here.radio.nodes[0].number
    try here.say("hello", to: gateway)
    try gateway.eventually("its key is known") {
        try gateway.client.get("/api/v1/nodes/\(hiker.id)").data["hasPKC"] == true
    }
    let sent = try gateway.post(["text": "to you", "toNodeId": .string(hiker.id)])
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")
    let entry = try gateway.client.post(
        "/api/v1/channel-database", ["name": "Climbers", "psk": "cHFyc3R1dnd4eXp7fH1+fw=="])
    #expect(entry.status == 201)
    here.radio.changeKey(of: hiker)
    try gateway.eventually("another key was seen") {
        try gateway.client.get("/api/v1/nodes/\(hiker.id)").data["keyMismatchDetected"] == true
    }
    return hiker.id
}

private func fit(_ cases: [JSON], in folders: Folders) throws {
    let here = (#filePath as NSString).deletingLastPathComponent
    let lines = try cases.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    let file = try folders.file("cases", lines.joined(separator: "\n"))
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let program = try Program(
        [
            "-c", "exec \"$0\" \"$1\" \"$2\" < \"$3\"", python, "\(here)/fit-schemas.py",
            "\(here)/../../deploy/schemas", file,
        ],
        in: folders, environment: ["PYTHONIOENCODING": "utf-8"], executable: "bash")
    let code = try program.exitCode()
    try #require(
        code == 0,
        """
        \(program.errors.text)
        (status 3: set MESH_GATEWAY_TEST_PYTHON to a Python that has jsonschema, as deploy/test does)
        """)
    let said = program.output.text.split(separator: "\n")
    #expect(said.dropLast().isEmpty, "\(program.output.text)")
    #expect(said.last?.hasPrefix("read ") == true)
}

/// What the commands say about themselves, as far as it counts here.
private struct Help: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable { let name: String }
            let names: [Name]?
        }
        let commandName: String
        let shouldDisplay: Bool
        let subcommands: [Command]?
        let arguments: [Argument]?
    }
    let command: Command
}

@Test func everyCommandWithJSONIsHeldAgainstASchema() throws {
    let folders = try Folders()
    let dump = try Program.run("help", "--json", in: folders)
    let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8))
    var commands: [[String]] = []
    func walk(_ command: Help.Command, _ path: [String]) {
        if command.arguments?.contains(where: { $0.names?.contains { $0.name == "json" } ?? false }) == true {
            commands.append(path)
        }
        for part in command.subcommands ?? [] where part.shouldDisplay && part.commandName != "help" {
            walk(part, path + [part.commandName])
        }
    }
    walk(help.command, [])
    #expect(commands.count > 8)
    // Theirs says in which form texts go out.
    commands.removeAll { [["conversation", "add"], ["conversation", "edit"]].contains($0) }
    for command in commands {
        #expect(Row.all.contains { $0.words.starts(with: command) }, "no row for \(command)")
    }
    let schemas = (#filePath as NSString).deletingLastPathComponent + "/../../deploy/schemas"
    let files = try FileManager.default.contentsOfDirectory(atPath: schemas)
    #expect(Set(files) == Set(Row.all.map { $0.schema + ".json" }), "each schema is some command's")
}
