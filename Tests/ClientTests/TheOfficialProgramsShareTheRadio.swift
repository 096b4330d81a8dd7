import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The unmodified official package on a shared radio: Tests/OfficialCLI.
@Suite struct TheOfficialProgramsShareTheRadio {
    private func run(_ script: String, _ words: [String]) throws {
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
        let program = try Program(
            ["\(tests)/OfficialCLI/\(script)"] + words, in: try Folders(),
            environment: ["PYTHONIOENCODING": "utf-8"], executable: python)
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
}
