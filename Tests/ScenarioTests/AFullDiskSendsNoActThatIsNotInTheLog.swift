import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// The disk gets full between the firing of a rule and its act: what could not be in the log is not sent, then or
/// later, and is counted.
@Test(.timeLimit(.minutes(5))) func aFullDiskSendsNoActThatIsNotInTheLog() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let daemon = try ActingDaemon(in: folders, environment: disk.environment)
    var (unanswered, pings): (PacketID?, [PacketID]) = (nil, [])
    // On a busy computer an answer may be quicker than the test.
    for _ in 0..<5 where unanswered == nil {
        let skipped = try daemon.skipped()
        let ping = try daemon.ping()
        pings.append(ping)
        try disk.fail([.write, .sync], with: ENOSPC, every: 1)
        try daemon.gateway.eventually("it is skipped") {
            try daemon.skipped() > skipped || daemon.isAnswered(ping)
        }
        if !daemon.isAnswered(ping) { unanswered = ping }
        if unanswered == nil { try disk.recover() }
    }
    let ping = try #require(unanswered, "the disk was never full in time")
    try disk.recover()
    let line = try daemon.gateway.eventually("its line is in the log") {
        try daemon.log().first { $0["fate"] == "skipped" }
    }
    #expect(line["why"] == "disk" && line["sentId"].string == nil, "\(line)")
    // Who asks now is answered, and that one is not.
    let next = try daemon.ping()
    try daemon.gateway.eventually("the next one is answered") { daemon.isAnswered(next) }
    #expect(daemon.answers(to: ping) == 0 && daemon.answers(to: next) == 1)
    try daemon.gateway.eventually("all that was sent is in the log") {
        try daemon.log().count { $0["fate"] == "sent" } == pings.count
    }
    #expect(try daemon.log().count == pings.count + 1)
    try daemon.stop()
}
