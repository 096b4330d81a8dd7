import JSON
import MeshModel
import RadioSimulator
import Testing

@testable import MQTTBridge

/// Two Home Assistants at one broker: each hears every event once, what one of them wants is done once, and both are
/// told. That one of them starts is no event.
@Test func twoHomeAssistantsHearAndSpeak() throws {
    let house = try SpeakingHouse()
    defer { house.stop() }
    let other = try FakeHomeAssistant(at: house.mosquitto.port, of: house.test)
    defer { other.stop() }
    house.waitUntilShown()
    other.waitFor("notify_text_1", of: house.radio)
    let (radio, both) = (house.simulated, [house.home, other])
    func waitForText(_ text: String) throws {
        for home in both {
            _ = try home.wait(house.radio, "text_1", text) { $0["text"]?.string == text }
        }
    }

    radio.sendText(from: house.hiker.number, "for both", channel: 1)
    try waitForText("for both")

    house.home.command(house.radio, "text_1", "of the first")
    other.command(.node(house.hiker.number), "traceroute", "PRESS")
    for home in both {
        for (command, target) in [("text_1", house.radio), ("traceroute", .node(house.hiker.number))] {
            _ = try home.wait(.gateway, "commands", "\(command) is sent") {
                $0.type == "sent" && $0["command"]?.string == command && $0["target"]?.string == target.object
            }
        }
    }
    // Both want the same: that is two texts.
    for home in both { home.command(house.radio, "text_0", "good morning") }
    try house.test.eventually("all four are obeyed") { house.test.brokers.reports.first?.commands == 4 }

    for home in both { home.birth() }
    radio.sendText(from: house.hiker.number, "the last", channel: 1)
    try waitForText("the last")

    for home in both {
        #expect(home.events(house.radio, "text_1").compactMap { $0["text"]?.string } == ["for both", "the last"])
        #expect(Set(home.ids).count == home.ids.count && !home.hasRetained)
    }
    #expect(house.test.brokers.reports[0].commandsRefused == 0)
    #expect(radio.received.count { $0.decoded?.payload == Array("of the first".utf8) } == 1)
    #expect(radio.received.count { $0.decoded?.port == .traceroute } == 1)
    let rows = try house.test.store.read { try $0.messages(.init(source: house.test.source, limit: 100)) }
    #expect(rows.count { $0.isOwn && $0.text == "good morning" } == 2)
}
