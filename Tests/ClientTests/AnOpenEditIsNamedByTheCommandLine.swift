import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// A program at a shared port has begun to edit, and has not committed: `radio config set` says so and writes nothing.
@Test func anOpenEditIsNamedByTheCommandLine() throws {
    let mesh = try SharedMesh(right: "admin") { $0.timeScale = 1 }
    let host = try mesh.connected()
    func order(_ id: PacketID, _ order: [UInt8]) throws {
        host.send(
            .packet(
                MeshPacket(
                    from: NodeNumber(0), to: mesh.radio.number, id: id,
                    payload: .decoded(MeshData(port: .admin, payload: order, wantResponse: true)), wantAck: true)))
        #expect(host.wait { $0.routingError(about: id) } == 0)
    }
    func set(_ words: String...) throws -> (code: Int32, errors: String) {
        let program = try Program(["radio", "config", "set", "--yes"] + words, in: mesh.gateway.folders)
        return (try program.exitCode(), program.errors.text)
    }
    func hopLimit() throws -> String {
        try Program.run("radio", "config", "get", "lora.hop_limit", in: mesh.gateway.folders).output
    }

    // begin_edit_settings
    try order(0x61, [0x80, 4, 1])
    for words in [["lora.hop_limit=5"], ["lora.hop_limit=5", "mqtt.root=msh/x"]] {
        let program = try Program(["radio", "config", "set", "--yes"] + words, in: mesh.gateway.folders)
        #expect(try program.exitCode() == 65)
        #expect(program.errors.text.contains("127.0.0.1") && program.errors.text.contains("nothing was written"))
        #expect(program.errors.text.split(separator: "\n").count == 1, "\(program.errors.text)")
    }
    #expect(try hopLimit() == "3\n")
    // commit_edit_settings
    try order(0x62, [0x88, 4, 1])
    #expect(try set("lora.hop_limit=5").code == 0)
    #expect(try hopLimit() == "5\n")
    try mesh.gateway.program.stop()
}
