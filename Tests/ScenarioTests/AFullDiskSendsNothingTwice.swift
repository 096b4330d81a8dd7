import Foundation
import Platform
import Testing

@testable import ServedProgram

/// While the disk takes no writes, what was under way arrives, and nothing else: it could not be noted that it did. With room
/// again the rest follows, in order.
@Test func aFullDiskSendsNothingTwice() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let gate = Monitor(false)
    let server = try LoopbackServer { _, connection in
        _ = gate.wait(seconds: 300) { $0 ? () : nil }
        say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let mesh = try ToldByADaemon(
        ["phone.conf": "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n"],
        rule: "when = direct message\ntext = yes", tell: "phone", in: folders, environment: disk.environment)
    let gateway = mesh.gateway
    func waiting() throws -> JSON { try gateway.client.get("/api/v1/targets").json["targets"].rows[0]["waiting"] }
    for text in ["one", "two", "three"] { mesh.say(text) }
    try gateway.eventually("all are on disk") { try waiting() == 3 }
    #expect(server.wait(for: 1))

    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    gate.notify { $0 = true }
    try gateway.eventually("the answer could not be noted") {
        gateway.program.errors.text.contains("targets wait: ")
    }
    mesh.say("four")
    #expect(try mesh.type("status").text.contains("disk"), "nobody would know")
    #expect(server.received.count == 1, "it was sent although nobody could note that")

    try disk.recover()
    try gateway.eventually("all have arrived") { server.received.count >= 4 }
    try gateway.eventually("nothing waits") { try waiting() == 0 }
    let texts = server.received.map { $0.text }
    #expect(texts.count == 4, "\(texts)")
    for (text, word) in zip(texts, ["one", "two", "three", "four"]) { #expect(text.contains(word), "\(texts)") }
    try gateway.program.stop()
}
