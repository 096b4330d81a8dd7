import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// A gateway on a disk without room reads, relays, says what is wrong and accepts nothing that it cannot keep; what was
/// heard meanwhile is stored when there is room again.
@Test func aDiskFillsUpAndHasRoomAgain() throws {
    let folders = try Folders()
    let disk = try SmallDisk(in: folders, megabytes: 8)
    let here = try RadioHere()
    var gateway = try disk.serve(device: "tcp:127.0.0.1:\(here.radio.listen())")
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("before", to: gateway)
    try disk.fill()

    // What is accepted until the last page is full is kept.
    var accepted: [JSON] = []
    var answer = try gateway.client.post("/api/v1/messages", ["text": "text 0", "channel": 0])
    while answer.status == 201, accepted.count < 2000 {
        accepted.append(try answer.data["messageId"])
        answer = try gateway.client.post("/api/v1/messages", ["text": .string("text \(accepted.count)"), "channel": 0])
    }
    #expect(answer.status == 500, "\(answer.text)")
    try expectFailing(gateway, because: "The disk is full")
    let relayed = try hearAndRelay(20, here, gateway)
    for path in ["/api/v1/messages", "/api/v1/nodes", "/api/v1/status", "/api/v1/telemetry", "/api/health"] {
        #expect(try gateway.client.get(path).status == 200, "\(path)")
    }

    try disk.empty()
    try gateway.eventually("it is well again") { try storage(gateway)["state"] == "ok" }
    let texts = try gateway.client.get("/api/v1/messages?limit=50").data.rows.compactMap { $0["text"].string }
    #expect(texts.filter { relayed.contains($0) } == relayed.reversed())
    for id in accepted { #expect(try gateway.message(id)["id"] == id) }
    _ = try gateway.post(["text": "after", "channel": 0])
    _ = try gateway.program.errors.line(containing: "disk-failing: that is over")
    try gateway.program.stop()
}

/// It is stopped, and started, while there is no room.
@Test func aGatewayStartsOnAFullDisk() throws {
    let folders = try Folders()
    let disk = try SmallDisk(in: folders, megabytes: 4)
    let (here, device) = try radio()
    var gateway = try disk.serve(device: device)
    try gateway.authorize()
    let token = gateway.client.token
    try gateway.waitUntilLive()
    try here.say("before", to: gateway)
    try gateway.program.stop()
    try disk.fill()

    gateway = try disk.serve(device: device)
    gateway.client.token = token
    #expect(try gateway.messages().map { $0["text"] } == ["before"])
    try expectFailing(gateway, because: "The disk is full")
    #expect(try gateway.client.post("/api/v1/messages", ["text": "lost", "channel": 0]).status != 201)
    let relayed = try hearAndRelay(5, here, gateway)
    // Nothing of it was promised to anybody.
    try gateway.program.stop()

    gateway = try disk.serve(device: device)
    gateway.client.token = token
    try gateway.eventually("the radio is there") { try gateway.isConnected() }
    here.radio.sendText(from: here.radio.nodes[0].number, "kept")
    try disk.empty()
    try gateway.eventually("it is well again") { try storage(gateway)["state"] == "ok" }
    try gateway.eventually("what was heard is stored") {
        try gateway.messages().contains { $0["text"] == "kept" }
    }
    let texts = try gateway.messages().compactMap { $0["text"].string }
    #expect(texts.allSatisfy { !relayed.contains($0) })
    _ = try gateway.post(["text": "after", "channel": 0])
    try gateway.program.stop()
}

/// An SD card that the kernel has made read-only, once with everything in the database and once, after a power cut, with
/// the last words in its log.
@Test(arguments: [SIGTERM, SIGKILL]) func aGatewayStartsOnAReadOnlyDisk(end: Int32) throws {
    let folders = try Folders()
    let disk = try SmallDisk(in: folders, megabytes: 8)
    let (here, device) = try radio()
    var gateway = try disk.serve(device: device)
    try gateway.authorize()
    let token = gateway.client.token
    try gateway.waitUntilLive()
    let last = try gateway.post(["text": "the last word", "channel": 0])["messageId"]
    gateway.program.signal(end)
    _ = try gateway.program.exitCode()
    try disk.remount("ro")

    gateway = try disk.serve(device: device)
    gateway.client.token = token
    #expect(try gateway.message(last)["text"] == "the last word")
    try expectFailing(gateway, because: "The disk is read-only")
    try gateway.eventually("the radio is there") { try gateway.isConnected() }
    _ = try hearAndRelay(3, here, gateway)
    let second = try disk.run("serve", "--device", "simulated", "--listen", "127.0.0.1:0", "--database", disk.database)
    #expect(second.code == 69 && second.errors.contains("in use by another mesh-gateway"), "\(second.errors)")

    try disk.remount("rw")
    try gateway.eventually("it is well again") { try storage(gateway)["state"] == "ok" }
    _ = try gateway.post(["text": "after", "channel": 0])
    try gateway.program.stop()
}

/// There is nothing to serve: one sentence.
@Test func aNewDatabaseNeedsADiskToBeOn() throws {
    let folders = try Folders()
    let disk = try SmallDisk(in: folders, megabytes: 1)
    try disk.fill()
    func refusal() throws -> (code: Int32, output: String, errors: String) {
        try disk.run("serve", "--device", "simulated", "--listen", "127.0.0.1:0", "--database", disk.database)
    }
    let full = try refusal()
    #expect(full.code == 74 && full.errors.contains("there is no room on the disk"), "\(full.code): \(full.errors)")
    #expect(full.errors.split(separator: "\n").count == 1)
    try disk.empty()
    try disk.remount("ro")
    let readOnly = try refusal()
    #expect(readOnly.code == 73 && readOnly.errors.contains("sudo mount -o remount,rw \(disk.path)"), "\(readOnly)")
}

/// An older database is not brought to the present format where there may be too little room; nothing of it is touched.
@Test func anUpgradeLooksForRoomBefore() throws {
    let folders = try Folders()
    let disk = try SmallDisk(in: folders, megabytes: 1)
    let old = try ReleasedDatabase(format: 1)
    let copy = try Program(
        Array(disk.entrance.dropFirst()) + ["cp", old.path, disk.database], in: folders, executable: disk.entrance[0])
    try #require(copy.exitCode() == 0)
    let refused = try disk.run(
        "serve", "--device", "simulated", "--listen", "127.0.0.1:0", "--database", disk.database)
    #expect(refused.code == 74)
    #expect(refused.errors.contains("needs 2 MB of free disk space, and there are 1 MB"), "\(refused.errors)")
}

private func radio() throws -> (RadioHere, device: String) {
    let here = try RadioHere()
    return try (here, "tcp:127.0.0.1:\(here.radio.listen())")
}

private func storage(_ gateway: ServedGateway) throws -> JSON {
    try gateway.client.get("/api/v1/status").data["storage"]
}

/// The status says so in each of its forms.
private func expectFailing(
    _ gateway: ServedGateway, because reason: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try gateway.eventually("it is noticed", sourceLocation: sourceLocation) {
        try storage(gateway)["state"] == "failing"
    }
    let told = try storage(gateway)
    #expect(told["problem"] == "disk-failing", sourceLocation: sourceLocation)
    #expect(told["advice"].string?.contains(reason) == true, "\(told)", sourceLocation: sourceLocation)
    let shown = try Program.run("status", in: gateway.folders)
    #expect(shown.output.contains("nothing can be stored since"), "\(shown)", sourceLocation: sourceLocation)
    #expect(shown.output.contains(reason), "\(shown)", sourceLocation: sourceLocation)
    // More than once, because it takes two seconds at most and a busy machine may need longer.
    try gateway.eventually("doctor says so", sourceLocation: sourceLocation) {
        try Program.run("doctor", in: gateway.folders).output.contains("Nothing can be stored for ")
    }
    _ = try gateway.program.errors.line(
        containing: "disk-failing: Nothing can be stored", sourceLocation: sourceLocation)
}

/// Texts from the mesh, which whoever listens hears although they cannot be stored.
///
/// - Returns: them, in their order.
private func hearAndRelay(_ count: Int, _ here: RadioHere, _ gateway: ServedGateway) throws -> [String] {
    try gateway.eventually("the radio is there") { try gateway.isConnected() }
    let listener = try Program(
        ["listen", "--json", "--kind", "packet", "--port", "text", "--count", "\(count)"], in: gateway.folders)
    _ = try listener.output.line(containing: "\"kind\":\"start\"")
    let texts = (1...count).map { "heard \($0)" }
    for text in texts { here.radio.sendText(from: here.radio.nodes[0].number, text) }
    #expect(try listener.exitCode() == 0, "\(listener.errors.text)")
    #expect(listener.output.text.split(separator: "\n").count == count + 1)
    return texts
}
