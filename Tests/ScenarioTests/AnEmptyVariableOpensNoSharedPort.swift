import Foundation
import Testing

@testable import ServedProgram

/// A script whose variable is empty means something, and nobody knows what: where a value would narrow who may connect, that is a
/// mistake, and no radio is shared. All else is served as before.
@Suite struct AnEmptyVariableOpensNoSharedPort {
    private static let said = "environment variable MESH_GATEWAY_SHARE_NETWORKS is empty"

    @Test func norIsItRight() throws {
        let folders = try Folders()
        let empty = ["MESH_GATEWAY_SHARE_NETWORKS": ""]
        let check = try Program.run("config", "check", in: folders, environment: empty)
        #expect(check.code == 78 && check.errors.contains(Self.said), "\(check)")
        let gateway = try ServedGateway(
            device: "simulated", in: folders, ["--share", "127.0.0.1:0/read"], environment: empty)
        _ = try gateway.program.errors.line(containing: "The radio is not shared on 127.0.0.1:0: \(Self.said)")
        try gateway.waitUntilLive()
        let status = try Program.run("status", "--json", in: folders)
        let page = try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))
        #expect(page["problems"].rows.map { $0["name"] } == ["share-closed"])
        #expect(!gateway.program.errors.text.contains("sharing the radio"))
        try gateway.program.stop()
    }
}
