import JSON
import MeshModel
import RadioSimulator
import Testing

@testable import MQTTBridge

/// A program at the broker that plays Home Assistant publishes on the topics of our events: we do not read them, and
/// nothing follows.
@Test func nobodySpeaksForTheGateway() throws {
    let house = try SpeakingHouse()
    defer { house.stop() }
    house.waitUntilShown()
    let (home, names) = (house.home, house.home.names)
    let before = house.test.brokers.reports[0].report.received
    let forged = Array(#"{"id":"1","event_type":"channel","text":"forged"}"#.utf8)
    for number in 0..<100 {
        home.command(names.event(house.radio, "text_1"), forged, isRetained: number == 99)
        home.command(names.event(.gateway, "commands"), forged)
    }
    home.command(house.radio, "text_1", "of ours")
    _ = try house.outcome("text_1", "sent", of: house.radio)
    let report = house.test.brokers.reports[0]
    #expect(report.report.received - before < 100, "\(report.report.received) after \(before)")
    #expect(report.commands == 1 && report.commandsRefused == 0)
    let texts = house.simulated.received.filter { $0.decoded?.port == .textMessage }
    #expect(texts.map { String(decoding: $0.decoded?.payload ?? [], as: UTF8.self) } == ["of ours"])
    let rows = try house.test.store.read { try $0.messages(.init(source: house.test.source, limit: 100)) }
    #expect(rows.map(\.text) == ["of ours"])
}
