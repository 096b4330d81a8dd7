import Foundation
import Testing

@testable import ServedProgram

/// Every command of the official package against `simulate`: Tests/OfficialCLI/commands.py, which has the list.
@Test(arguments: ["2.7", "2.8"]) func theOfficialCommandLineIsServed(_ firmware: String) throws {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
    let program = try Program(
        ["\(tests)/OfficialCLI/commands.py", Program.path, firmware], in: try Folders(),
        environment: ["PYTHONIOENCODING": "utf-8"], executable: python)
    // A minute and a half by itself, most of which is waiting for the simulated mesh.
    #expect((0..<6).contains { _ in program.output.waitForEnd() }, "it still runs")
    #expect(
        try program.exitCode() == 0,
        """
        \(program.output.text)\(program.errors.text)
        (exit code 3: set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
        """)
}
