import Foundation
import Testing

/// Where the Python package knows an item, it says the same as Inventory.tsv; Differences.tsv names all else.
@Suite struct TheOfficialDescriptorsAgree {
    @Test func comparison() throws {
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"]
        let script = Schema.folder.appendingPathComponent("compare-descriptors.py").path
        let (status, output) = try run("/usr/bin/env", [python ?? "python3", script], environment: [:])
        #expect(
            status == 0,
            """
            \(output)
            (status 3: set MESH_GATEWAY_TEST_PYTHON to a Python that has the package meshtastic, as deploy/test does)
            """)
    }
}
