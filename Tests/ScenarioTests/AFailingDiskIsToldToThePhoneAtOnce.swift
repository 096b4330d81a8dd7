import Foundation
import Testing

@testable import ServedProgram

/// The phone hears that the disk fails while it fails, and not only when it is well again. The row that the disk then gets is the
/// same notification, which is not sent once more.
@Test func aFailingDiskIsToldToThePhoneAtOnce() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let phone = try LoopbackServer(status: 200)
    let hook = try LoopbackServer(status: 200)
    let mesh = try ToldByADaemon(
        [
            "phone.conf": "kind = ntfy\nurl = \(phone.url)/topic\nallow-local = yes\n",
            "hook.conf": "kind = webhook\nurl = \(hook.url)/h\nsecret-file = hook.secret\nallow-local = yes\n",
            "hook.secret": "whsec_" + Data([UInt8](repeating: 7, count: 32)).base64EncodedString(),
        ], rule: "when = storage failing\ntell = hook", tell: "phone", in: folders, environment: disk.environment)
    let gateway = mesh.gateway

    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    // Somebody wants something stored.
    _ = try gateway.client.post("/api/v1/messages", ["text": "lost", "channel": 0])
    #expect(phone.wait(for: 1) && hook.wait(for: 1), "\(gateway.program.errors.text)")
    #expect(try rows("SELECT uuid FROM feed", in: disk.database).isEmpty)
    let id = try #require(hook.received[0].headers["webhook-id"])

    try disk.recover()
    try gateway.eventually("the end is told, too") { phone.received.count == 2 && hook.received.count == 2 }
    try gateway.eventually("nothing waits") { try rows("SELECT id FROM dispatches", in: disk.database).isEmpty }
    let stored = try gateway.client.get("/api/v1/notifications").json["notifications"].rows
    #expect(stored.map { $0["notification_type"].string } == ["storage-failing", "storage-failing"])
    #expect(stored.contains { $0["id"].string == id })
    #expect(hook.received[1].headers["webhook-id"] != id)
    // What comes next shows that nothing was left to be sent before it.
    #expect(try mesh.type("target", "test", "phone").code == 0)
    #expect(phone.received.count == 3 && hook.received.count == 2)
    try gateway.program.stop()
}
