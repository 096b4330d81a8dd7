import Foundation
import Testing

@testable import ServedProgram

/// What one of the two programs writes of a radio's settings, the other puts back: Tests/OfficialCLI/settings-files.py.
@Test(arguments: ["2.7", "2.8"]) func filesOfSettingsGoBothWays(_ firmware: String) throws {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let tests = ((#filePath as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
    let program = try Program(
        ["\(tests)/OfficialCLI/settings-files.py", Program.path, firmware], in: try Folders(),
        environment: ["PYTHONIOENCODING": "utf-8"], executable: python)
    // A minute by itself, most of which is waiting for radios that restart.
    #expect((0..<6).contains { _ in program.output.waitForEnd() }, "it still runs")
    #expect(
        try program.exitCode() == 0,
        """
        \(program.output.text)\(program.errors.text)
        (set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
        """)
}
