import Foundation
import Testing

@testable import ServedProgram

/// `https://ntfy.sh/my topic` is no `https://ntfy.sh/mytopic`: what would be told would go to somebody else's topic.
@Test func anAddressWithABlankIsNoOtherAddress() throws {
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    func add(_ address: String, exitCode: Int32) throws -> String {
        let add = try Program(
            ["target", "add", "phone", "ntfy", "--url-file", "-"], in: folders, input: address + "\n",
            environment: ["MESH_GATEWAY_CONFIG": file])
        #expect(try add.exitCode() == exitCode, "\(address): \(add.errors.text)")
        return add.errors.text
    }
    for address in ["https://ntfy.sh/my topic", "https://ntfy.sh/my\ttopic", "https://ntfy. sh/topic"] {
        let said = try add(address, exitCode: 64)
        #expect(said.contains("it has a blank") && !said.contains("topic"), "\(said)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/targets.d"))
    // Around it they are no part of it.
    _ = try add("  https://ntfy.sh/topic\t\r", exitCode: 0)
    let written = try String(contentsOfFile: "\(folders.root)/targets.d/phone.conf", encoding: .utf8)
    #expect(written.contains("url = https://ntfy.sh/topic\n"))
}
