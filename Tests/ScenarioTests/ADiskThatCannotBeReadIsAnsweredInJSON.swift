import Foundation
import Testing

@testable import ServedProgram

/// Reads of the disk fail as well: every answer is JSON, nothing ends, and everything is there when the disk is well.
@Test func aDiskThatCannotBeReadIsAnsweredInJSON() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    var gateway = try ServedGateway(device: "simulated", in: folders, environment: disk.environment)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let id = try gateway.post(["text": "before", "channel": 0])["messageId"]
    let paths = ["messages", "nodes", "status", "telemetry", "packets", "channels", "messages/search?q=before"]
    for n in [1, 2, 5] {
        try disk.fail(FaultyDisk.Call.ofWriters + [.read], with: EIO, every: n)
        for path in paths {
            let answer = try gateway.client.get("/api/v1/\(path)")
            #expect([200, 500, 503].contains(answer.status), "\(path): \(answer.text)")
            #expect(throws: Never.self) { try JSONDecoder().decode(JSON.self, from: Data(answer.text.utf8)) }
        }
        let answer = try gateway.client.post("/api/v1/messages", ["text": "meanwhile", "channel": 0])
        #expect([201, 500, 503].contains(answer.status), "\(answer.text)")
        let shown = try Program.run("status", in: folders)
        #expect([0, 70].contains(shown.code) || shown.code == 69, "\(shown)")
        try disk.recover()
        for path in paths { #expect(try gateway.client.get("/api/v1/\(path)").status == 200, "\(path)") }
        #expect(try gateway.message(id)["text"] == "before")
    }
    #expect(disk.failures > 0)
    try gateway.program.stop()
}

/// Somebody removes the database: nothing is written to a file without a name, and the status says what to type.
@Test func aDatabaseThatIsRemovedIsMissed() throws {
    let folders = try Folders()
    let database = "\(folders.root)/mesh.db"
    var gateway = try ServedGateway(device: "simulated", in: folders, ["--database", database])
    try gateway.authorize()
    try gateway.waitUntilLive()
    _ = try gateway.post(["text": "before", "channel": 0])
    try FileManager.default.moveItem(atPath: database, toPath: "\(database).aside")
    #expect(try gateway.client.post("/api/v1/messages", ["text": "nowhere", "channel": 0]).status == 500)
    #expect(try gateway.messages().contains { $0["text"] == "before" })
    let shown = try Program.run("status", in: folders)
    #expect(shown.output.contains("\(database) was deleted or replaced while it was in use"), "\(shown)")
    #expect(shown.output.contains("sudo systemctl restart mesh-gateway"), "\(shown)")
    try FileManager.default.moveItem(atPath: "\(database).aside", toPath: database)
    _ = try gateway.post(["text": "after", "channel": 0])
    try gateway.program.stop()
}
