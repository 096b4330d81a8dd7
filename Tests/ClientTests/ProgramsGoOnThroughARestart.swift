import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The unmodified official package on a shared radio whose settings change and which restarts then, and as Reticulum's interface
/// uses it: Tests/OfficialCLI.
@Suite(.serialized) struct ProgramsGoOnThroughARestart {
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
        #expect(try program.exitCode() == 0, "\(program.output.text)\(program.errors.text)")
    }

    private func words(_ mesh: SharedMesh) throws -> [String] {
        let token = try #require(mesh.gateway.client.token)
        return ["\(mesh.port)", "http://127.0.0.1:\(mesh.gateway.client.port)", token]
    }

    /// With the right `send`, and a mesh that answers.
    @Test func bytesOfReticulumGoBothWays() throws {
        let mesh = try SharedMesh { $0.limitsRates = false }
        let port = PortNumber(rawValue: 76)
        try run("reticulum.py", ["\(mesh.port)"]) {
            let sent = mesh.radio.waitForPacket(timeout: 60) {
                $0.decoded?.port == port && $0.decoded?.payload == Array(0..<200)
            }
            #expect(sent?.to == .broadcast && sent?.hopLimit == 1)
            let payload: [UInt8] = [0, 0x94, 0xC3, 0xFF, 7]
            mesh.radio.inject(
                MeshPacket(
                    from: mesh.radio.nodes[0].number, to: .broadcast, id: 0x7600,
                    payload: .decoded(MeshData(port: port, payload: payload)), hopLimit: 1))
            return payload.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        }
        #expect(try mesh.shares()[0]["refused"]["packets"] == 0)
        try mesh.gateway.program.stop()
    }

    @Test func aProgramAtAClosingPortComesBack() throws {
        let mesh = try SharedMesh(right: "admin/close")
        try run("closing.py", words(mesh))
        try mesh.gateway.program.stop()
    }

    /// In real time, so that commands come before, in, and behind each restart.
    @Test func whatCommandsInARowSetIsSet() throws {
        let mesh = try SharedMesh(right: "admin") { $0.timeScale = 1 }
        try run("in-a-row.py", words(mesh))
        #expect(try mesh.shares()[0]["refused"]["packets"] == 0)
        let log = mesh.gateway.program.errors.text
        #expect(!log.contains("is refused"), "\(log)")
        try mesh.gateway.program.stop()
    }
}
