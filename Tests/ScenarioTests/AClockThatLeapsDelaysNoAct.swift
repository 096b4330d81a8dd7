import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// The host's clock is set by an hour or a day, forward and back, while acts wait for their delay: each leaves, once.
/// That its delay is the same: AClockThatLeapsMovesNoAct.
@Test(.timeLimit(.minutes(5))) func aClockThatLeapsDelaysNoAct() throws {
    let folders = try Folders()
    let clock = try LeapingClock(in: folders, at: Date())
    let daemon = try ActingDaemon(in: folders, environment: clock.environment)
    var pings: [PacketID] = []
    for leap: Int64 in [3_600, -3_600, 86_400, -86_400] {
        let ping = try daemon.ping()
        pings.append(ping)
        // Until the rules have seen it: they look four times a second.
        usleep(600_000)
        clock.leap(seconds: leap)
        try daemon.gateway.eventually("it is answered after \(leap) s") { daemon.isAnswered(ping) }
    }
    for ping in pings { #expect(daemon.answers(to: ping) == 1) }
    try daemon.gateway.eventually("each is in the log") {
        try daemon.log().count { $0["fate"] == "sent" } == pings.count
    }
    #expect(try daemon.log().count == pings.count && daemon.skipped() == 0)
    try daemon.stop()
}
