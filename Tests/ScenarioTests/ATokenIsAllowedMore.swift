import Foundation
import Testing

@testable import ServedProgram

/// What `token list` has of a token's scopes.
private func scopes(of name: String, in folders: Folders) throws -> [String] {
    let list = try Program.run("token", "list", "--json", in: folders).output
    let tokens = try JSONDecoder().decode(JSON.self, from: Data(list.utf8))["tokens"].rows
    let token = try #require(tokens.first { $0["name"] == .string(name) }, "\(list)")
    return token["scopes"].rows.compactMap(\.string)
}

/// Its text stays, and its next request may.
@Test func aTokenIsAllowedMore() throws {
    let folders = try Folders()
    var gateway = try ServedGateway(device: "simulated", in: folders)
    try gateway.authorize(as: "phone", scopes: ["read", "send"])
    try gateway.waitUntilLive()
    let node = try #require(try gateway.client.get("/api/v1/nodes").data.rows.last?["nodeId"].string)
    func star() throws -> Int {
        try gateway.client.post("/api/nodes/\(node)/favorite", ["sourceId": "default", "isFavorite": true]).status
    }
    #expect(try star() == 403)
    let allowed = try Program.run("token", "allow", "phone", "nodes:write", in: folders)
    #expect(allowed.code == 0 && allowed.output == "phone may now: read send nodes:write\n", "\(allowed.errors)")
    #expect(try star() == 200)
    // What it may already, it may.
    #expect(try Program.run("token", "allow", "phone", "read", in: folders).code == 0)
    #expect(try scopes(of: "phone", in: folders) == ["read", "send", "nodes:write"])
    #expect(try gateway.client.get("/api/v1/me").data["token"]["permissions"].rows.contains("nodes:write"))

    // Nothing of it is there on the network.
    #expect(try gateway.client.post("/local/tokens/phone/scopes", ["scopes": .array(["admin"])]).status == 404)
    for (words, code, answer) in [
        (["nobody", "read"], 66, "there is no token named \"nobody\""),
        (["phone", "nods:write"], 64, "did you mean: mesh-gateway token allow phone nodes:write"),
        (["phone"], 64, "mesh-gateway token allow"),
    ] as [([String], Int32, String)] {
        let refused = try Program(["token", "allow"] + words, in: folders)
        #expect(try refused.exitCode() == code, "\(words)")
        #expect(refused.errors.text.lowercased().contains(answer.lowercased()), "\(refused.errors.text)")
    }
    try gateway.program.stop()
}

/// Without a daemon in the database; it is so when the daemon comes.
@Test func alsoWhileNoDaemonRuns() throws {
    let folders = try Folders()
    let made = try Program.run("token", "create", "map", "--scope", "info:read", in: folders)
    #expect(try Program.run("token", "allow", "map", "nodes:read", "channels:viewOnMap", in: folders).code == 0)
    #expect(try Set(scopes(of: "map", in: folders)) == ["channels:viewOnMap", "nodes:read", "info:read"])
    let database = "\(folders.state)/mesh-gateway/mesh.db"
    var gateway = try ServedGateway(device: "simulated", in: folders, ["--database", database])
    try gateway.waitUntilLive()
    gateway.client.token = made.output.trimmingCharacters(in: .newlines)
    #expect(try !gateway.client.get("/api/v1/nodes").data.rows.isEmpty)
    try gateway.program.stop()
}
