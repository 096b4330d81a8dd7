import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

private let home = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PROGRAMS"]

/// Unmodified programs of PyPI on a shared radio: they connect, list, send without and with an acknowledgement, set and verify,
/// and come back after a restart. Each has an environment of its own in the folder MESH_GATEWAY_TEST_PROGRAMS, which
/// deploy/test --full makes of Tests/OfficialCLI/programs.
@Suite(.enabled(if: home != nil), .serialized) struct ProgramsOfOthersShareTheRadio {

    /// It needs Python 3.12, which is not everywhere.
    private static let hasMshBot =
        home.map { FileManager.default.isExecutableFile(atPath: $0 + "/msh-bot/bin/msh-bot") } ?? false

    private func path(_ environment: String, _ program: String) -> String {
        "\(home!)/\(environment)/bin/\(program)"
    }

    /// To its end: exit code, and all that it has said.
    private func run(_ executable: String, _ words: [String]) throws -> (code: Int32, output: String) {
        let program = try Program(
            words, in: try Folders(), environment: ["PYTHONIOENCODING": "utf-8"], executable: executable)
        #expect((0..<12).contains { _ in program.output.waitForEnd() }, "\(words) still runs")
        return (try program.exitCode(), program.output.text + program.errors.text)
    }

    private func row(_ text: String, _ gateway: ServedGateway) throws -> JSON {
        try gateway.eventually("\(text) is stored") { try gateway.messages().first { $0["text"] == .string(text) } }
    }

    @Test func mtjk() throws {
        let mesh = try SharedMesh(right: "admin")
        let (python, cli, host) = (path("mtjk", "python"), path("mtjk", "mtjk"), ["--host", "127.0.0.1:\(mesh.port)"])
        // Its table has names and no ids.
        let name = try #require(mesh.radio.nodes[0].user?.longName)
        let list = try run(cli, host + ["--nodes"])
        #expect(list.code == 0 && list.output.contains(name), "\(list.output)")

        let script = """
            import sys, time, meshtastic.tcp_interface
            radio = meshtastic.tcp_interface.TCPInterface("127.0.0.1", portNumber=int(sys.argv[1]))
            radio.sendText("nobody asks")
            radio.close()
            """
        let unasked = try run(python, ["-c", script, "\(mesh.port)"])
        #expect(unasked.code == 0, "\(unasked.output)")
        let id = try row("nobody asks", mesh.gateway)["id"]
        let sent = try mesh.gateway.message(id, becoming: "delivered")
        #expect(sent["wantAck"] == false)
        let asked = try run(cli, host + ["--sendtext", "somebody asks", "--ack"])
        #expect(asked.code == 0, "\(asked.output)")
        #expect(try row("somebody asks", mesh.gateway)["wantAck"] == true)

        // It reads what it has written, and ends with 1 when that is something else.
        let set = try run(cli, host + ["--set", "lora.hop_limit", "5"])
        #expect(set.code == 0, "\(set.output)")
        let get = try run(cli, host + ["--get", "lora.hop_limit"])
        #expect(get.output.contains("lora.hop_limit: 5"), "\(get.output)")

        mesh.radio.reboot()
        let again = try run(cli, host + ["--nodes"])
        #expect(again.code == 0 && again.output.contains(name), "\(again.output)")
        try mesh.gateway.program.stop()
    }

    /// It refuses to write what is no password, so that what stands in the place of one must be something that it writes back, or
    /// leaves out.
    @Test func mtjkWritesBackWhatItHasExported() throws {
        let mesh = try SharedMesh(right: "admin")
        let (cli, host) = (path("mtjk", "mtjk"), ["--host", "127.0.0.1:\(mesh.port)"])
        let exported = try run(cli, host + ["--export-config"])
        #expect(exported.code == 0 && exported.output.contains("mqtt:"), "\(exported.output)")
        let text = exported.output.components(separatedBy: "\n").drop { !$0.hasPrefix("# start of") }
        let file = try mesh.gateway.folders.file("exported.yaml", text.joined(separator: "\n"))
        let configured = try run(cli, host + ["--configure", file])
        #expect(configured.code == 0, "\(configured.output)")
        for (name, password) in zip(["network.wifi_psk", "mqtt.password"], SimulatedRadio.passwords) {
            let shown = try mesh.gateway.eventually("the radio is back") { () -> JSON? in
                let program = try Program(
                    ["radio", "config", "get", name, "--json"], in: mesh.gateway.folders)
                guard try program.exitCode() == 0 else { return nil }
                return try JSONDecoder().decode(JSON.self, from: program.output.data)["settings"].rows.first
            }
            #expect(shown["secretBytes"].integer == password.utf8.count, "\(name)")
        }
        try mesh.gateway.program.stop()
    }

    @Test func contact() throws {
        let mesh = try SharedMesh()
        let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
        for text in ["from the terminal", "and after a restart"] {
            let words = [
                "\(tests)/OfficialCLI/in-terminal.py", "Anna", text, path("contact", "contact"), "--host",
                "127.0.0.1:\(mesh.port)",
            ]
            let program = try Program(words, in: try Folders(), executable: path("contact", "python"))
            _ = try program.output.line(containing: "typed")
            let id = try row(text, mesh.gateway)["id"]
            #expect(try mesh.gateway.message(id, becoming: "delivered")["wantAck"] == true)
            program.signal(SIGTERM)
            mesh.radio.reboot()
        }
        try mesh.gateway.program.stop()
    }

    /// A bot that answers, asks for an acknowledgement, and comes back by itself when the gateway has gone.
    @Test(.enabled(if: hasMshBot)) func mshBot() throws {
        let here = try RadioHere()
        // It knows no other port than 4403.
        let address = "127.0.0.\(Int.random(in: 8...250))"
        let (folders, device) = (try Folders(), "tcp:127.0.0.1:\(try here.radio.listen(port: 0))")
        func serve() throws -> ServedGateway {
            var gateway = try ServedGateway(device: device, in: folders, ["--share", "\(address):4403/send"])
            try gateway.waitUntilLive()
            try gateway.authorize(as: "test \(UUID().uuidString.prefix(8))")
            return gateway
        }
        var gateway = try serve()
        let configuration = "\(folders.root)/bot.toml"
        try """
        [node]
        hostname = "\(address)"
        target_channel = "Hikers"
        [offline]
        reconnect_poll = 1
        probe_interval = 2
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
        let bot = try Program(
            [], in: folders, environment: ["MSHBOT_CONFIG": configuration, "PYTHONUNBUFFERED": "1"],
            executable: path("msh-bot", "msh-bot"))
        for round in 1...2 {
            let friend = here.radio.nodes[0].number
            // It does not say when it listens again.
            let answer = try gateway.eventually("the bot answers, round \(round)") { () -> JSON? in
                here.radio.sendText(from: friend, "/ping", channel: 1)
                usleep(500_000)
                return try gateway.messages().first { $0["channel"] == 1 && $0["sourcePath"] == "system" }
            }
            #expect(try gateway.message(answer["id"], becoming: "delivered")["wantAck"] == true)
            guard round == 1 else { break }
            try gateway.program.stop()
            try FileManager.default.removeItem(atPath: folders.state)
            try FileManager.default.createDirectory(atPath: folders.state, withIntermediateDirectories: false)
            gateway = try serve()
        }
        bot.signal(SIGKILL)
        try gateway.program.stop()
    }
}
