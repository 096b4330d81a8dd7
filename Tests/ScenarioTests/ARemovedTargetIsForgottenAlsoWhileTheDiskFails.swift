import Foundation
import Testing

@testable import ServedProgram

/// The last target is removed while the disk takes no writes. With room again what has waited for it goes, too: another one that
/// gets its name later is not told of it.
@Test func aRemovedTargetIsForgottenAlsoWhileTheDiskFails() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let (busy, free) = (try LoopbackServer(status: 503), try LoopbackServer(status: 200))
    func conf(_ server: LoopbackServer) -> String { "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n" }
    let mesh = try ToldByADaemon(
        ["phone.conf": conf(busy)], rule: "when = direct message\ntext = yes", tell: "phone", in: folders,
        environment: disk.environment)
    mesh.say("one")
    #expect(busy.wait(for: 1))

    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    try FileManager.default.removeItem(atPath: "\(folders.root)/targets.d/phone.conf")
    mesh.gateway.program.signal(SIGHUP)
    try mesh.gateway.eventually("it could not be noted that it is gone") {
        let log = mesh.gateway.program.errors.text
        return log.contains("there is no target phone any more") && log.contains("targets wait: ")
    }
    try disk.recover()
    try mesh.gateway.eventually("nothing waits any more") {
        try rows("SELECT id FROM dispatches", in: disk.database).isEmpty
    }
    try mesh.target("phone.conf", conf(free))
    mesh.say("two")
    #expect(free.wait(for: 1))
    #expect(free.received[0].text.contains("two"), "\(free.received.map(\.text))")
    try mesh.gateway.program.stop()
}
