import Foundation
import Testing

@testable import ServedProgram

@Test func aFirstStartSaysWhatToDoNext() throws {
    let folders = try Folders()
    var gateway = try ServedGateway(device: "simulated", in: folders)
    _ = try gateway.program.output.line(containing: "mesh-gateway token create NAME")
    let welcome = gateway.program.output.text
    #expect(welcome.contains("simulated, with 24 nodes"))
    #expect(welcome.contains("\(folders.state)/mesh-gateway/simulated.db"))
    #expect(welcome.contains("unix:\(folders.socket)"))
    #expect(!welcome.contains("mm_v1_"))

    // Open to everybody.
    try gateway.waitUntilLive()
    let status = try gateway.client.get("/api/status")
    #expect(status.status == 200)
    #expect(try status.json["connection"]["connected"] == true)
    #expect(try gateway.client.get("/api/health").json["status"] == "ok")

    // The rest is not, and says what is missing.
    let refused = try gateway.client.get("/api/v1/nodes")
    #expect(refused.status == 401)
    #expect(refused.headers["www-authenticate"] == "Bearer")
    #expect(try refused.json["error"] == "Unauthorized")

    // A token works at once.
    try gateway.authorize()
    let token = try #require(gateway.client.token)
    #expect(token.count == 38 && token.hasPrefix("mm_v1_"))
    let channels = try gateway.client.get("/api/v1/channels").data.rows
    #expect(channels.prefix(3).map { $0["name"] } == ["LongFast", "Hikers", "Rescue"])
    try gateway.eventually("all nodes are listed") { try gateway.client.get("/api/v1/nodes").data.rows.count == 25 }
    let shown = try Program.run("status", in: folders)
    #expect(shown.code == 0)
    #expect(shown.output.contains("25 nodes, 3 channels, 0 messages"))

    // With a token there is no more advice to make one, and it is shown nowhere.
    try gateway.program.stop()
    let again = try ServedGateway(device: "simulated", in: folders)
    try again.program.stop()
    #expect(again.program.output.text.contains("(25 nodes, 0 messages)"))
    #expect(!again.program.output.text.contains("token"))
    #expect(!(again.program.output.text + again.program.errors.text).contains(token.suffix(32)))
}
