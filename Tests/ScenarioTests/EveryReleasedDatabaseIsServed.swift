import Foundation
import Testing

@testable import ServedProgram

/// After an upgrade everything is where it was: the history, and the phones' token.
@Test(arguments: 1...11) func everyReleasedDatabaseIsServed(format: Int) throws {
    let database = try ReleasedDatabase(format: format)
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:1", in: database.folders, ["--database", database.path])
    gateway.client.token = ReleasedDatabase.token
    let texts = try gateway.client.get("/api/v1/messages?limit=500").data.rows.compactMap { $0["text"].string }
    #expect(texts.count == [189, 206, 206, 207, 208, 208, 208, 208, 209, 209, 209][format - 1])
    #expect(texts.contains("Grüße vom Berg") && texts.contains("waits for the radio"))
    let found = try gateway.client.get("/api/v1/messages/search?q=Gr%C3%BC%C3%9Fe").data.rows
    #expect(found.map { $0["text"] } == ["Grüße vom Berg"])
    let nodes = try gateway.client.get("/api/v1/nodes").data.rows
    #expect(nodes.count == 13 && nodes.contains { $0["longName"] == "Anna am Berg" })
    // path | at least so many rows
    for (path, count) in [
        ("channels", 8), ("telemetry", 60), ("traceroutes", 1), ("packets", 24), ("network/topology", 0),
        ("nodes/!28c52523/position-history", 0), ("sources", 1),
    ] {
        let answer = try gateway.client.get("/api/v1/\(path)")
        #expect(answer.status == 200, "\(path): \(answer.text)")
        let rows = try answer.data.rows
        #expect(rows.count >= count, "\(path)")
    }
    let entries = try gateway.client.get("/api/v1/channel-database").data.rows
    #expect(entries.map { $0["name"] } == (format == 1 ? [] : ["Climbers"]))
    let told = gateway.program.errors.text
    #expect(told.contains("bringing the database") == (format < 12), "\(told)")
    // The radio is away, and was when these were written.
    let id = try gateway.post(["text": "from the new version", "channel": 0, "queue": true])["messageId"]
    #expect(try gateway.message(id)["text"] == "from the new version")
    try gateway.program.stop()
}
