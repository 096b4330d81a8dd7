import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// A radio in the role CLIENT_BASE repeats what its favourites send and get, as a router does: who marks one hears it, by
/// command and by the API, and only then.
@Test func aMarkAtAClientBaseSaysWhatItChanges() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    let node = here.radio.nodes[0].number.id
    let source = try #require(try gateway.client.get("/api/v1/sources").data.rows.first?["id"])
    func mark(_ word: String, _ body: JSON) throws -> JSON {
        let answer = try gateway.client.post("/api/nodes/\(node)/\(word)", body)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json["notice"]
    }
    func command(_ words: String...) throws -> (text: String, warnings: [JSON]) {
        let text = try Program(["radio"] + words + [node], in: folders)
        #expect(try text.exitCode() == 0, "\(text.errors.text)")
        let json = try Program(["radio"] + words + [node, "--json"], in: folders)
        #expect(try json.exitCode() == 0, "\(json.errors.text)")
        let page = try JSON(text: json.output.text)
        #expect(try PublishedSchema("radio-action").flaws(of: page) == [])
        return (text.output.text, page["warnings"].rows)
    }
    let set: JSON = ["isFavorite": true, "sourceId": source]
    #expect(try mark("favorite", set) == .null, "a CLIENT changes nothing on the air")
    #expect(try command("favorite").warnings == [])

    let change = try Program(["radio", "config", "set", "device.role=CLIENT_BASE", "--yes"], in: folders)
    #expect(try change.exitCode() == 0, "\(change.errors.text)")
    // The radio restarts with it.
    try gateway.eventually("the role has come") { try mark("favorite", set) != .null }
    #expect(try mark("favorite", set).string?.contains("CLIENT_BASE") == true)
    #expect(try mark("favorite", ["isFavorite": false, "sourceId": source]) == .null)
    #expect(try mark("favorite", ["isFavorite": true, "sourceId": source, "syncToDevice": false]) == .null)
    #expect(try mark("ignored", ["isIgnored": false, "sourceId": source]) == .null)
    let told = try command("favorite")
    #expect(told.text.contains("is a favourite.") && told.text.contains("Mark only your own nodes"))
    #expect(told.warnings.count == 1)
    #expect(try command("favorite", "--remove").warnings == [] && command("ignore", "--remove").warnings == [])
    try gateway.program.stop()
}
