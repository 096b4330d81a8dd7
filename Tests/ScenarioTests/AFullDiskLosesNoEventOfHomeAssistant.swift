import Foundation
import Testing

@testable import ServedProgram

/// While the disk takes nothing, a command is refused with the reason, and a text is no event yet. With room again it
/// is one, and what a kill makes the gateway tell again comes under the same id.
@Test(.timeLimit(.minutes(5))) func aFullDiskLosesNoEventOfHomeAssistant() throws {
    let broker = try PersistentBroker()
    try broker.start()
    let folders = try Folders()
    let disk = FaultyDisk(in: folders, database: "\(folders.state)/mesh-gateway/mesh.db")
    let daemon = try TalkingDaemon(
        "hut", at: broker.port,
        "home-assistant = favourites\nhome-assistant-texts = 0\nhome-assistant-commands = yes", in: folders,
        environment: disk.environment)
    try daemon.start()
    try daemon.gateway.waitUntilLive()
    let home = try HeardEvents(at: broker.port)
    defer { home.stop() }
    try daemon.gateway.eventually("its devices") { try daemon.type("mqtt status --json").contains(#""devices":2"#) }
    sleep(3)
    let radio = daemon.here.radio
    func say(_ text: String) { radio.sendText(from: radio.nodes[0].number, text) }
    func hear(_ text: String) throws {
        try daemon.gateway.eventually("\(text) is heard: \(home.events)") { home.texts[text] != nil }
    }
    say("text 1")
    try hear("text 1")
    let topic = try #require(home.events.first { $0["text"].string == "text 1" }?["topic"].string)

    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    try home.command(likeEventAt: topic, "over a full disk")
    try daemon.gateway.eventually("it is refused: \(home.events)") { !home.outcomes("refused").isEmpty }
    let reason = home.outcomes("refused")[0]["reason"].string ?? ""
    #expect(reason.hasPrefix("it could not be stored: "), "\(reason)")
    say("text 2")
    // Behind it: the next look at it is over.
    try home.command(likeEventAt: topic, "nor this")
    try daemon.gateway.eventually("it is refused, too") { home.outcomes("refused").count == 2 }
    #expect(home.texts["text 2"] == nil && daemon.here.texts.isEmpty)

    try disk.recover()
    try home.command(likeEventAt: topic, "with room again")
    try daemon.gateway.eventually("it leaves") { daemon.here.texts == ["with room again"] }
    try daemon.gateway.eventually("and is told") { !home.outcomes("sent").isEmpty }
    try hear("text 2")

    // What the broker has acknowledged meanwhile cannot be noted.
    try daemon.gateway.eventually("the disk is well") {
        try daemon.type("status --json").contains(#""failingSince":null"#)
    }
    say("text 3")
    try daemon.gateway.eventually("it is stored") {
        try daemon.gateway.messages().contains { $0["text"] == "text 3" }
    }
    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    try hear("text 3")
    daemon.kill()
    try disk.recover()
    try daemon.start()
    try daemon.gateway.waitUntilLive()
    say("text 4")
    try hear("text 4")
    #expect(home.texts.keys.sorted() == ["text 1", "text 2", "text 3", "text 4"])
    for (text, ids) in home.texts { #expect(ids.count == 1, "\(text) under \(ids)") }
    #expect(daemon.here.texts == ["with room again"])
    #expect(home.outcomes("refused").count == 2 && home.outcomes("sent").count == 1)
    try daemon.stop()
}
