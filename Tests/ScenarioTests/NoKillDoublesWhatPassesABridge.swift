import Foundation
import Testing

@testable import ServedProgram

/// Two valleys are joined by a sealed conversation. One gateway is killed again and again while texts go both ways: 20 times when
/// MESH_GATEWAY_TEST_FULL is set, else once. Another one in its valley hears as it does, and takes up what it does not.
///
/// A failure names the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(15))) func noKillDoublesWhatPassesABridge() throws {
    let seed =
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let kills = isFullRun ? 20 : 1
    // Two that send down may speak at the same moment.
    let valleys = try JoinedValleys(isSealed: true, hallOptions: "--up-only")
    let (anna, bert) = (JoinedValleys.anna.id, JoinedValleys.bert.id)
    for round in 1...kills {
        valleys.sayInTheFirstValley("first \(round)")
        valleys.sayInTheSecondValley("second \(round)")
        // Until the text has gone up, and at most until the other one has gone down.
        usleep(.random(in: 0..<11_000_000, using: &random))
        valleys.hut.kill()
        try valleys.hut.start()
        try valleys.hut.gateway.waitUntilLive()
    }
    let all = (1...kills).flatMap { ["first \($0)", "second \($0)"] }
    let down = (1...kills).map { "\(anna): first \($0)" }
    for daemon in [valleys.hut, valleys.hall, valleys.barn, valleys.office] {
        try valleys.wait(seconds: 120, { "\(daemon.name) has \(daemon.texts), seed \(seed)" }) {
            daemon.count >= all.count
        }
    }
    try valleys.wait(seconds: 300, { "the second valley has \(valleys.sent(by: valleys.barn)), seed \(seed)" }) {
        valleys.sent(by: valleys.barn).count >= down.count
    }
    valleys.rest()
    #expect(valleys.sent(by: valleys.barn).sorted() == down.sorted(), "seed \(seed)")
    // What waited in the memory of one that was killed is not said, and what was said is not said again.
    let said = valleys.sent(by: valleys.hut)
    #expect(Set(said).count == said.count, "\(said), seed \(seed)")
    #expect(Set(said).isSubset(of: (1...kills).map { "\(bert): second \($0)" }), "\(said), seed \(seed)")
    // A text that was published under two ids would be two rows.
    for daemon in [valleys.hut, valleys.hall, valleys.barn, valleys.office] {
        #expect(daemon.texts.sorted() == all.sorted(), "\(daemon.name), seed \(seed)")
    }
}
