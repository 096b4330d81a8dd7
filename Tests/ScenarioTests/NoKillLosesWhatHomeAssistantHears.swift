import Foundation
import Testing

@testable import ServedProgram

/// Somebody says a text each second while the gateway is killed and the broker is stopped, again and again: 20 times each when
/// MESH_GATEWAY_TEST_FULL is set, else once. Each text that was stored was heard, under one id; all of it comes back within the minute
/// in which an event is news.
///
/// A failure names the seed of the moments (MESH_GATEWAY_TEST_SEED).
@Test(.timeLimit(.minutes(10))) func noKillLosesWhatHomeAssistantHears() throws {
    let seed =
        ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    var random = Seeded(seed)
    let broker = try PersistentBroker()
    try broker.start()
    let daemon = try TalkingDaemon("hut", at: broker.port, "home-assistant = favourites\nhome-assistant-texts = 0")
    try daemon.start()
    try daemon.gateway.waitUntilLive()
    let home = try HeardEvents(at: broker.port)
    defer { home.stop() }
    // Until the first event can be heard.
    try daemon.gateway.eventually("its devices") { try daemon.type("mqtt status --json").contains(#""devices":2"#) }
    sleep(3)

    var said = 0
    func say(_ seconds: Int) {
        for _ in 0..<seconds {
            said += 1
            daemon.here.radio.sendText(from: daemon.here.radio.nodes[0].number, "text \(said)")
            usleep(1_000_000)
        }
    }
    for _ in 0..<(isFullRun ? 20 : 1) {
        say(2)
        usleep(.random(in: 0..<1_000_000, using: &random))
        daemon.kill()
        try daemon.start()
        try daemon.gateway.waitUntilLive()
        say(2)
        usleep(.random(in: 0..<1_000_000, using: &random))
        broker.stop()
        said += 1
        daemon.here.radio.sendText(from: daemon.here.radio.nodes[0].number, "text \(said)")
        try broker.start()
    }
    say(1)
    let stored = try daemon.gateway.client.get("/api/v1/messages?limit=1000").data.rows.compactMap { $0["text"].string }
        .filter { $0.hasPrefix("text ") }
    #expect(stored.count > said / 2, "\(stored), seed \(seed)")
    for _ in 0..<300 where !Set(stored).isSubset(of: home.texts.keys) { usleep(200_000) }
    let missing = Set(stored).subtracting(home.texts.keys)
    #expect(missing.isEmpty, "not heard: \(missing.sorted()), seed \(seed)")
    // Under one id each, whichever of them was heard twice.
    for (text, ids) in home.texts { #expect(ids.count == 1, "\(text) under \(ids), seed \(seed)") }
    #expect(Set(home.texts.values.flatMap(\.self)).count == home.texts.count, "seed \(seed)")
    #expect(!home.output.text.contains(#""retained": true"#))
}
