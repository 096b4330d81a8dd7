import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The unmodified official package on a shared radio: Tests/OfficialCLI.
@Suite struct TheOfficialProgramsShareTheRadio {
    /// - Parameter meanwhile: what happens once the script has said that it is connected; the line that it is told then.
    private func run(_ script: String, _ words: [String], meanwhile: (() throws -> String)? = nil) throws {
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
        let program = try Program(
            ["\(tests)/OfficialCLI/\(script)"] + words, in: try Folders(), staysOpen: meanwhile != nil,
            environment: ["PYTHONIOENCODING": "utf-8"], executable: python)
        if let meanwhile {
            _ = try program.output.line(containing: "connected")
            program.say("\(try meanwhile())\n")
        }
        #expect((0..<12).contains { _ in program.output.waitForEnd() }, "it still runs")
        #expect(
            try program.exitCode() == 0,
            """
            \(program.output.text)\(program.errors.text)
            (set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
            """)
    }

    /// The list of commands that the simulated radio is tried with, through a gateway.
    @Test func everyCommandEndsAsOnARadio() throws {
        try run("commands.py", [Program.path, "2.8", "--shared"])
    }

    /// Two command lines, a library and a REST client; what is allowed has its effect at the radio, what is refused none.
    @Test(arguments: ["read", "send", "admin"]) func severalAtOnce(_ right: String) throws {
        let mesh = try SharedMesh(right: right)
        let token = try #require(mesh.gateway.client.token)
        let node = mesh.radio.nodes[0].number.id
        try run("shared.py", [right, "\(mesh.port)", "http://127.0.0.1:\(mesh.gateway.client.port)", token, node])
        let refused = try mesh.shares()[0]["refused"]["packets"].integer ?? 0
        #expect(right == "admin" ? refused == 0 : refused >= 3)
        let log = mesh.gateway.program.errors.text
        #expect(!log.contains("error:"), "\(log)")
        try mesh.gateway.program.stop()
    }

    /// A rule's answer is a text like any other, with a reference to the ping.
    @Test func aRulesAnswerIsHeard() throws {
        let folders = try Folders()
        try FileManager.default.createDirectory(atPath: folders.root + "/rules.d", withIntermediateDirectories: true)
        let file = folders.root + "/mesh-gateway.conf"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        try "when = message\nmatches = ^ping\nreply = heard you".write(
            toFile: folders.root + "/rules.d/ack.conf", atomically: true, encoding: .utf8)
        let mesh = try SharedMesh(environment: ["MESH_GATEWAY_CONFIG": file])
        let token = try #require(mesh.gateway.client.token)
        try run(
            "answered.py", ["\(mesh.port)", "http://127.0.0.1:\(mesh.gateway.client.port)", token],
            meanwhile: { "\(mesh.radio.sendText(from: mesh.radio.nodes[0].number, "ping"))" })
        try mesh.gateway.program.stop()
    }

    /// What REST changes is what the library then reads, whatever type it has.
    @Test func whatRESTChangesIsWhatTheLibraryReads() throws {
        // In real time: the restart that follows comes when the library has read everything.
        let mesh = try SharedMesh(right: "admin") { $0.timeScale = 1 }
        let token = try Program.run("token", "create", "setter", "--scope", "admin", in: mesh.gateway.folders)
        try run(
            "settings.py",
            [
                "\(mesh.port)", "http://127.0.0.1:\(mesh.gateway.client.port)",
                token.output.trimmingCharacters(in: .newlines),
            ])
        try mesh.gateway.program.stop()
    }

    /// Firmware 2.8 makes the number of the key, so that a new key in a live session is another node. A library and a listener
    /// that are connected go on, and commands find the radio under its new number.
    @Test func theRadioBecomesAnotherNodeMeanwhile() throws {
        let mesh = try SharedMesh(right: "admin") { $0.firmware = .v2_8_1 }
        let (token, old) = (try #require(mesh.gateway.client.token), mesh.radio.number)
        try run(
            "renumbered.py", ["\(mesh.port)", "http://127.0.0.1:\(mesh.gateway.client.port)", token]
        ) {
            mesh.radio.misbehave(.liveNumberChange)
            return mesh.radio.number.id
        }
        #expect(mesh.radio.number != old)
        // One source: it is the same radio.
        #expect(try mesh.gateway.client.get("/api/v1/sources").data.rows.count == 1)
        try mesh.gateway.program.stop()
    }
}
