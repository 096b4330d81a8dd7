import Foundation
import Testing

@testable import ServedProgram

/// Makes a token that has to be made; its text.
private func made(_ arguments: [String], in folders: Folders) throws -> String {
    let program = try Program(["token", "create"] + arguments, in: folders)
    try #require(try program.exitCode() == 0, "\(program.errors.text)")
    return program.output.text.trimmingCharacters(in: .newlines)
}

/// What `token list` shows of a token, cell by cell.
private func row(of name: String, in folders: Folders) throws -> [String] {
    let list = try Program.run("token", "list", in: folders).output
    let line = try #require(list.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "\(list)")
    return line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
}

@Test func aTokenDoesWhatItsScopesSay() throws {
    let folders = try Folders()
    let early = try made(["map", "--scope", "nodes:read", "--scope", "channels:viewOnMap"], in: folders)
    var gateway = try ServedGateway(device: "simulated", in: folders, ["--database", databaseOfUser(folders)])
    try gateway.waitUntilLive()
    gateway.client.token = early
    #expect(try !gateway.client.get("/api/v1/nodes").data.rows.isEmpty)
    let refused = try gateway.client.get("/api/v1/messages")
    #expect(refused.status == 403)
    #expect(try refused.json["required"]["resource"] == "messages")
    #expect(try refused.json["required"]["action"] == "read")

    gateway.client.token = try made(["blind", "--scope", "nodes:read"], in: folders)
    #expect(try gateway.client.get("/api/v1/nodes").data.rows.isEmpty)
    gateway.client.token = try made(["phone"], in: folders)
    #expect(try gateway.client.get("/api/v1/messages").status == 200)
    #expect(try gateway.client.post("/api/v1/messages", ["text": "hello", "channel": 0]).status == 201)

    #expect(try row(of: "map", in: folders)[2] == "channels:viewOnMap nodes:read")
    #expect(try row(of: "phone", in: folders)[2] == "read send")
    try gateway.program.stop()
}

/// Where the daemon of a user keeps the database that `token create` without a daemon makes.
private func databaseOfUser(_ folders: Folders) -> String { "\(folders.state)/mesh-gateway/mesh.db" }

@Test func aTokenOfLittleUseComesWithAHint() throws {
    let folders = try Folders()
    let hinted = try Program.run("token", "create", "map", "--scope", "nodes:read", in: folders)
    #expect(hinted.code == 0)
    #expect(hinted.output.hasPrefix("mm_v1_"))
    #expect(hinted.output.split(separator: "\n").count == 1)
    #expect(hinted.errors.contains("--scope channels:viewOnMap"))
    #expect(hinted.errors.split(separator: "\n").count == 1)
    #expect(try Program.run("token", "create", "phone", in: folders).errors.isEmpty)
}

/// scopes -> the command that would have been right
@Test(arguments: [
    (["nods:read"], "mesh-gateway token create 'my map' --scope nodes:read"),
    (["read", "mesages:write"], "mesh-gateway token create 'my map' --scope read --scope messages:write"),
    (["messages"], "mesh-gateway token create 'my map' --scope messages:read"),
    (["channel_8:read"], "mesh-gateway token create 'my map' --scope channel_0:read"),
    (["Admin"], "mesh-gateway token create 'my map' --scope admin"),
])
func aWrongScopeIsAnsweredWithTheNearest(scopes: [String], advice: String) throws {
    let folders = try Folders()
    let program = try Program(["token", "create", "my map"] + scopes.flatMap { ["--scope", $0] }, in: folders)
    #expect(try program.exitCode() == 64)
    #expect(program.output.text.isEmpty)
    #expect(program.errors.text.hasSuffix("did you mean: \(advice)\n"))
    #expect(program.errors.text.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: databaseOfUser(folders)))
}

@Test func aTokenExpires() throws {
    let folders = try Folders()
    for arguments in [["month", "--expires", "30d"], ["ever"], ["leap", "--expires", "2096-02-29"]] {
        _ = try made(arguments, in: folders)
    }
    #expect(try row(of: "ever", in: folders)[4] == "never")
    // The last day is included; the tests run in UTC.
    #expect(try row(of: "leap", in: folders)[4] == "2096-03-01 00:00:00")
    let month = try row(of: "month", in: folders)
    let format = DateFormatter()
    format.dateFormat = "yyyy-MM-dd HH:mm:ss"
    format.timeZone = TimeZone(identifier: "UTC")
    let life = try #require(format.date(from: month[4])).timeIntervalSince(try #require(format.date(from: month[3])))
    #expect(abs(life - 30 * 86_400) <= 60)
    #expect(month.last == "active")

    for wrong in ["yesterday", "2020-01-01", "2097-02-29", "30", "0d", "-1d", "2097-1-1", "d", "9999999w"] {
        let refused = try Program.run("token", "create", "x", "--expires=\(wrong)", in: folders)
        #expect(refused.code == 64, "\(wrong)")
        #expect(refused.output.isEmpty)
        #expect(refused.errors.contains("--expires cannot be \"\(wrong)\"; it is a day such as 2027-01-31"))
    }
}

@Test func theListShowsWhenATokenWasUsedLast() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize(as: "phone")
    let unused = try row(of: "phone", in: gateway.folders)
    #expect(unused[5] == "-")
    #expect(try gateway.client.get("/api/v1/status").status == 200)
    let used = try row(of: "phone", in: gateway.folders)
    #expect(used[5].count == "2026-11-21 14:05:09".count)
    #expect(used[5] >= used[3])
    try gateway.program.stop()
}
