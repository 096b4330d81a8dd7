import Foundation
import Testing

@testable import ServedProgram

/// Two gateways share a conversation. One is killed again and again, and the broker is stopped again and again, while
/// texts of both are on their way: in the end each has every text once.
///
/// One kill and one stop each 11 s, which a connection must last so that the next one is made soon: 2 of each, 50 when
/// MESH_GATEWAY_TEST_FULL is set. After SIGKILL mosquitto itself would have lost what it acknowledged. A failure names
/// the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(30))) func noKillLosesOrDoublesATextOverABroker() throws {
    let seed =
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let rounds = isFullRun ? 50 : 2
    let broker = try PersistentBroker()
    try broker.start()
    let (killed, steady) = (try TalkingDaemon("killed", at: broker.port), try TalkingDaemon("steady", at: broker.port))
    try killed.start()
    try steady.start()
    for daemon in [killed, steady] { try daemon.addConversation() }
    for round in 1...rounds {
        let began = Date()
        for number in 1...5 {
            try steady.say("steady \(round).\(number)")
            try killed.say("killed \(round).\(number)")
        }
        usleep(.random(in: 0..<60_000, using: &random))
        killed.kill()
        for number in 6...10 { try steady.say("steady \(round).\(number)") }
        try killed.start()
        for number in 6...10 { try killed.say("killed \(round).\(number)") }
        usleep(.random(in: 0..<60_000, using: &random))
        broker.stop()
        for number in 11...20 {
            try steady.say("steady \(round).\(number)")
            try killed.say("killed \(round).\(number)")
        }
        try broker.start()
        usleep(UInt32(max(0, 11 - Date().timeIntervalSince(began)) * 1_000_000))
    }
    let all = Set(
        ["steady", "killed"].flatMap { name in
            (1...rounds).flatMap { round in (1...20).map { "\(name) \(round).\($0)" } }
        })
    for daemon in [killed, steady] {
        try daemon.gateway.eventually("\(daemon.name) has all of them, seed \(seed): \(daemon.count)") {
            daemon.count >= all.count
        }
    }
    // What might still come a second time.
    sleep(2)
    for daemon in [killed, steady] {
        let texts = daemon.texts
        #expect(Set(texts) == all, "\(daemon.name), seed \(seed)")
        #expect(
            texts.count == all.count,
            "\(daemon.name), seed \(seed): \(Set(texts.filter { one in texts.count { $0 == one } > 1 }))")
        #expect(daemon.waiting == 0, "\(daemon.name), seed \(seed)")
    }
}
