import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// What a command prints with `--json`, and the schema (deploy/schemas) that it has to fit.
private struct Row {
    /// Without `--json`. `NODE` stands for the id of a node that has been active.
    let words: [String]
    let schema: String
    /// Also while no daemon runs, from the database.
    let isOffline: Bool

    init(_ words: String, _ schema: String, isOffline: Bool = true) {
        self.words = words.split(separator: " ").map(String.init)
        self.schema = schema
        self.isOffline = isOffline
    }

    /// Each command that knows `--json` has a row.
    static let all = [
        Row("status", "status"), Row("nodes", "nodes"), Row("nodes --sort distance --filter located", "nodes"),
        Row("node NODE", "node"), Row("node SIM", "node"), Row("channels", "channels"), Row("keys list", "keys"),
        Row("keys verify NODE", "keys"), Row("keys accept NODE", "keys", isOffline: false), Row("ports", "ports"),
        Row("token create JSON --expires 8w", "token"), Row("token list", "tokens"),
        Row("token revoke JSON", "token-revoked"), Row("radio info", "radio-info", isOffline: false),
        Row("radio config get", "radio-config", isOffline: false),
        Row("radio config get lora.region", "radio-config", isOffline: false),
        Row("radio config set lora.hop_limit=4 network.wifi_psk=geheim --yes", "radio-action", isOffline: false),
        Row("radio config set lora.hop_limit=4", "radio-action", isOffline: false),
        Row("radio set-time", "radio-action", isOffline: false),
        Row("radio favorite NODE", "radio-action", isOffline: false),
        Row("radio ignore NODE --remove", "radio-action", isOffline: false),
        Row("channel url --all", "channel-url", isOffline: false),
        Row(
            "channel add https://meshtastic.org/e/#CgoSAQEaBVRlc3QxCgMSAQISBAgBOAM --yes", "channel-add",
            isOffline: false),
        Row("radio remove NODE --yes", "radio-action", isOffline: false),
        Row("radio reboot --in 9999 --yes", "radio-action", isOffline: false),
    ]
}

@Test func everyJSONFitsItsSchema() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.hiddenChannel = .climbers }
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    let id = try seed(gateway, here)

    var cases: [JSON] = []
    func run(isOffline: Bool) throws {
        for row in Row.all where row.isOffline || !isOffline {
            let words = row.words.map { $0 == "NODE" ? id : $0 } + ["--json"]
            let command = try Program(words, in: folders)
            let code = try command.exitCode()
            #expect(code == 0 || isOffline && row.words == ["status"], "\(words): \(code) \(command.errors.text)")
            #expect(command.errors.text.isEmpty, "\(words): \(command.errors.text)")
            #expect(
                command.output.text.contains(isOffline ? "\"via\":\"database\"" : "\"via\":\"daemon\"")
                    || words[0] == "ports")
            cases.append([
                "command": .string(words.joined(separator: " ")), "schema": .string(row.schema),
                "output": .string(command.output.text),
            ])
        }
    }
    try run(isOffline: false)
    try gateway.program.stop()
    try run(isOffline: true)
    try fit(cases, in: folders)
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
    _ = try gateway.client.post("/api/v1/actions/traceroute", ["destination": .string(hiker.id)])
    try gateway.eventually("the route is known") {
        try gateway.client.get("/api/v1/traceroutes").data.rows.contains { $0["route"] != .null }
    }
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
        let subcommands: [Command]?
        let arguments: [Argument]?
    }
    let command: Command
}

@Test func everyCommandWithJSONIsHeldAgainstASchema() throws {
    let folders = try Folders()
    let dump = try Program.run("--experimental-dump-help", in: folders)
    let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8))
    var commands: [[String]] = []
    func walk(_ command: Help.Command, _ path: [String]) {
        if command.arguments?.contains(where: { $0.names?.contains { $0.name == "json" } ?? false }) == true {
            commands.append(path)
        }
        for part in command.subcommands ?? [] where part.commandName != "help" { walk(part, path + [part.commandName]) }
    }
    walk(help.command, [])
    #expect(commands.count > 8)
    for command in commands {
        #expect(Row.all.contains { $0.words.starts(with: command) }, "no row for \(command)")
    }
    let schemas = (#filePath as NSString).deletingLastPathComponent + "/../../deploy/schemas"
    let files = try FileManager.default.contentsOfDirectory(atPath: schemas)
    #expect(Set(files) == Set(Row.all.map { $0.schema + ".json" }), "each schema is some command's")
}
