import CSQLite
import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// Somebody pings, and the program is killed at any moment between hearing it and after the answer, again and again. No ping is
/// answered twice, no node is welcomed twice, and what has left is in the log.
///
/// 20 kills, 200 when MESH_GATEWAY_TEST_FULL is set, in three minutes at most. A failure names the seed of the moments
/// (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(10))) func noKillActsTwice() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "rules-airtime = 100\n".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: folders.root + "/rules.d", withIntermediateDirectories: true)
    for (name, text) in [
        "ack": "when = direct message\nmatches = ^ping\nreply = heard {id}",
        "once": "when = direct message\nmatches = ^hello\nonce = node\nsend = welcome, {id}\nto = sender",
    ] { try text.write(toFile: "\(folders.root)/rules.d/\(name).conf", atomically: true, encoding: .utf8) }
    let here = try RadioHere { $0.nodes = 3 }
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"

    var kills = Kills(wanted: isFullRun ? 200 : 20, minutes: 3)
    var pings: [PacketID] = []
    while kills.goOn {
        let gateway = try ServedGateway(device: device, in: folders, environment: ["MESH_GATEWAY_CONFIG": file])
        try gateway.waitUntilLive()
        let before = here.radio.received.count
        // A stranger each time, because rules act for a node once a minute; and some who come back.
        let isPing = kills.count % 3 > 0
        let stranger = NodeNumber(
            isPing ? 0x0BAD_0000 + UInt32(kills.count) : 0x0BAD_F000 + UInt32(kills.count / 3 % 9))
        pings.append(here.radio.sendText(from: stranger, isPing ? "ping" : "hello", to: here.radio.number))
        usleep(.random(in: 0..<900_000, using: &random))
        gateway.program.signal(SIGKILL)
        #expect(try gateway.program.exitCode() == -SIGKILL)
        let answered = here.radio.received.dropFirst(before).contains { $0.decoded?.port == .textMessage }
        kills.add(amidWork: answered)
    }
    kills.report()
    // What was heard just before the last kill may be answered now.
    var gateway = try ServedGateway(device: device, in: folders, environment: ["MESH_GATEWAY_CONFIG": file])
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("done", to: gateway)
    try gateway.program.stop()

    let texts = here.radio.received.filter { $0.decoded?.port == .textMessage }
    for ping in pings {
        // The radio may be given a packet twice under one id, when nobody knows whether it had the first.
        let replies = Set(texts.filter { $0.decoded?.replyID == ping }.map(\.id))
        #expect(replies.count <= 1, "seed \(seed): ping \(ping) has \(replies.count) answers")
    }
    let words = Dictionary(grouping: texts) { String(decoding: $0.decoded?.payload ?? [], as: UTF8.self) }
    for (text, packets) in words { #expect(Set(packets.map(\.id)).count == 1, "seed \(seed): \(text)") }
    let lines = try logged(in: folders.state + "/mesh-gateway/mesh.db")
    for text in texts {
        #expect(lines.contains { $0.hasSuffix("_\(text.id)") }, "seed \(seed): \(text.id) is in no log")
    }
    #expect(kills.proveSomething, "\(kills.amidWork) of \(kills.count)")
}

/// The messages that acts have sent, by the log.
private func logged(in database: String) throws -> [String] {
    var handle: OpaquePointer?
    try #require(sqlite3_open_v2(database, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try #require(
        sqlite3_prepare_v2(handle, "SELECT sent FROM firings WHERE fate = 4", -1, &statement, nil) == SQLITE_OK)
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { found.append(String(cString: sqlite3_column_text(statement, 0))) }
    return found
}
