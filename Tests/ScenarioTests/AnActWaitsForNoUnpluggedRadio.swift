import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// The radio is unplugged between the firing of a rule and its act: the act is skipped and counted, and does not leave
/// when the radio is back.
@Test(.timeLimit(.minutes(5))) func anActWaitsForNoUnpluggedRadio() throws {
    let daemon = try ActingDaemon(in: try Folders())
    var (unanswered, pings): (PacketID?, [PacketID]) = (nil, [])
    // On a busy computer an answer may be quicker than the test.
    for _ in 0..<5 where unanswered == nil {
        let skipped = try daemon.skipped()
        let ping = try daemon.ping()
        pings.append(ping)
        daemon.here.radio.unplug()
        try daemon.gateway.eventually("it is skipped") {
            try daemon.skipped() > skipped || daemon.isAnswered(ping)
        }
        if !daemon.isAnswered(ping) { unanswered = ping }
        try daemon.here.radio.replug()
        try daemon.gateway.eventually("the radio is back") { try daemon.gateway.isConnected() }
    }
    let ping = try #require(unanswered, "the radio was never gone in time")
    let line = try daemon.gateway.eventually("its line is in the log") {
        try daemon.log().first { $0["fate"] == "skipped" }
    }
    #expect(line["why"] == "no-radio" && line["sentId"].string == nil, "\(line)")
    let next = try daemon.ping()
    try daemon.gateway.eventually("the next one is answered") { daemon.isAnswered(next) }
    #expect(daemon.answers(to: ping) == 0 && daemon.answers(to: next) == 1)
    #expect(try !daemon.gateway.messages().contains { $0["replyId"].integer == Int(ping) })
    try daemon.stop()
}
