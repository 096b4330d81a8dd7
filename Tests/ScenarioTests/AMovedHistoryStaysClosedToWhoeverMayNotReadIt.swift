import Foundation
import Testing

@testable import ServedProgram

/// A message that a key of the gateway's own has opened is for tokens that may read the channel database, also after the
/// history has come out of an archive without those keys; and no other key gets the number of the one that is gone.
@Test func aMovedHistoryStaysClosedToWhoeverMayNotReadIt() throws {
    let databases = Databases(folders: try Folders())
    let folders = databases.folders
    let here = try RadioHere()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("for everybody", to: gateway)
    try here.say("for the rescue team", to: gateway)
    try gateway.program.stop()
    let change = try Program(
        ["-bail", "\(folders.state)/mesh-gateway/mesh.db"], in: folders,
        input: "UPDATE messages SET channel = 103, decrypted_with = 3 WHERE text = 'for the rescue team';",
        executable: "/usr/bin/sqlite3")
    #expect(try change.exitCode() == 0, "\(change.errors.text)")

    let other = databases.path("other.db")
    let archive = databases.path("mesh.tar")
    for words in [["export", archive], ["import", archive, "--database", other]] {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
    }
    var moved = try ServedGateway(
        device: "/dev/ttyNONE", in: folders, environment: ["MESH_GATEWAY_DATABASE": other])
    try moved.authorize(as: "reader", scopes: ["read"])
    #expect(try moved.messages().map { $0["text"] } == ["for everybody"])
    try moved.authorize(as: "owner", scopes: ["admin"])
    let all = try moved.messages().compactMap { $0["text"].string }
    #expect(all.sorted() == ["for everybody", "for the rescue team"])
    let entry = try moved.client.post(
        "/api/v1/channel-database", ["name": "Climbers", "psk": "cHFyc3R1dnd4eXp7fH1+fw=="])
    #expect(try entry.data["id"] == 4, "\(entry.text)")
    try moved.program.stop()
}
