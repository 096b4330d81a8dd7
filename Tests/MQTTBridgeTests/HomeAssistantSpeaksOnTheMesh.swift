import JSON
import MeshModel
import RadioSimulator
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// From the broker's bytes to the radio's, and what becomes of them.
@Suite struct HomeAssistantSpeaksOnTheMesh {
    @Test(arguments: [false, true])
    func eachCommandActsOnce(isOld: Bool) throws {
        let house = try SpeakingHouse(isOld: isOld)
        defer { house.stop() }
        house.waitUntilShown()
        let (radio, home, hiker) = (house.simulated, house.home, house.hiker.number)

        home.command(house.radio, "text_1", "to all hikers")
        let text = try #require(
            radio.waitForPacket(timeout: 60) { $0.decoded?.payload == Array("to all hikers".utf8) })
        #expect(text.channel == 1 && text.to.isBroadcast)
        var event = try house.outcome("text_1", "sent", of: house.radio)
        #expect(event.keys == ["id", "event_type", "command", "target", "reason"] && event["reason"] == nil)

        home.command(.node(house.hiker.number), "text", "to you")
        let direct = try #require(radio.waitForPacket(timeout: 60) { $0.to == hiker })
        #expect(direct.id != text.id)
        _ = try house.outcome("text", "delivered", of: .node(house.hiker.number))
        // The row names who had it sent.
        let stored = try house.test.store.read { reader in
            try reader.message(packetID: direct.id, from: nil, in: house.test.source)
        }
        #expect(stored?.sender?.text == "home-assistant:house")

        for button in ["traceroute", "position"] {
            home.command(.node(house.hiker.number), button, "PRESS")
            event = try house.outcome(button, "sent", of: .node(house.hiker.number))
        }
        #expect(radio.waitForPacket(timeout: 60) { $0.decoded?.port == .traceroute } != nil)
        #expect(
            radio.waitForPacket(timeout: 60) { $0.decoded?.port == .position && $0.to == hiker } != nil)

        let boots = radio.completedHandshakes
        home.command(house.radio, "restart", "PRESS")
        _ = try house.outcome("restart", "sent", of: house.radio)
        try house.test.eventually("the radio starts again") { radio.completedHandshakes > boots }

        #expect(radio.received.count { $0.decoded?.payload == Array("to all hikers".utf8) } == 1)
        #expect(radio.received.count { $0.decoded?.port == .traceroute } == 1)
        #expect(Set(home.ids).count == home.ids.count)
        // An automation cannot hear itself.
        #expect(home.events(house.radio, "text_1").isEmpty)
        try house.test.eventually("counted") {
            house.test.brokers.reports.first.map { $0.commands == 5 && $0.commandsRefused == 0 } ?? false
        }
    }

    @Test func whatIsNotOnTheListIsRefused() throws {
        let house = try SpeakingHouse()
        defer { house.stop() }
        house.waitUntilShown()
        let (home, hiker) = (house.home, DeviceID.node(house.hiker.number))
        let base = home.names.base
        let long = String(repeating: "x", count: 601)
        let refused: [(topic: String, payload: [UInt8])] = [
            (home.names.command(house.radio, "text_1"), Array(long.utf8)),
            (home.names.command(house.radio, "text_1"), Array(repeating: 0x78, count: 65_000)),
            (home.names.command(house.radio, "text_1"), [0xFF, 0xFE]),
            (home.names.command(house.radio, "text_1"), [0, 0]),
            (home.names.command(house.radio, "text_1"), []),
            // A channel that nobody has named, a node that is not shown, and one that nobody knows.
            (home.names.command(house.radio, "text_2"), Array("x".utf8)),
            (home.names.command(.node(house.simulated.nodes[2].number), "text"), Array("x".utf8)),
            (home.names.command(.node(NodeNumber(0x0BAD_CAFE)), "traceroute"), Array("PRESS".utf8)),
            (home.names.command(.radio("00000000"), "restart"), Array("PRESS".utf8)),
            (home.names.command(hiker, "traceroute"), Array("OFF".utf8)),
            (home.names.command(hiker, "reboot"), Array("PRESS".utf8)),
            (home.names.command(house.radio, "factory_reset"), Array("PRESS".utf8)),
            (home.names.command(.gateway, "restart"), Array("PRESS".utf8)),
            ("\(base)/nobody/command/text", Array("x".utf8)),
        ]
        for command in refused { home.command(command.topic, command.payload) }
        try house.test.eventually("refused") {
            house.test.brokers.reports.first.map { $0.commandsRefused == refused.count } ?? false
        }
        // Ten of them one by one; how many more there were comes a minute later.
        try house.test.eventually("told") { home.events(.gateway, "commands").count == 10 }
        let told = home.events(.gateway, "commands")
        #expect(told.allSatisfy { $0.type == "refused" && $0["reason"]?.string?.isEmpty == false })
        let reasons = told.compactMap { $0["reason"]?.string }
        for reason in ["4 packets", "4096 bytes", "no UTF-8", "is empty", "no such entity", "PRESS alone"] {
            #expect(reasons.contains { $0.contains(reason) }, "\(reason) among \(reasons)")
        }
        #expect(
            house.simulated.received.allSatisfy { $0.decoded?.port != .textMessage && $0.decoded?.port != .traceroute })
    }

    /// A thousand in a second: thirty, and the mesh hears no more.
    @Test func aFloodIsCutOff() throws {
        let house = try SpeakingHouse()
        defer { house.stop() }
        house.waitUntilShown()
        for number in 0..<1_000 { house.home.command(house.radio, "text_0", "flood \(number)") }
        try house.test.eventually("all have come") {
            house.test.brokers.reports.first.map { $0.commands + $0.commandsRefused == 1_000 } ?? false
        }
        let (obeyed, mayBe) = (house.test.brokers.reports[0].commands, 30...36)
        #expect(mayBe.contains(obeyed), "\(obeyed)")
        let rows = try house.test.store.read { try $0.messages(.init(source: house.test.source, limit: 2_000)) }
        #expect(rows.count { $0.isOwn } == obeyed)
    }

    /// A retained command would be obeyed at each start.
    @Test func whatIsRetainedIsNeverObeyed() throws {
        let house = try SpeakingHouse()
        defer { house.stop() }
        house.waitUntilShown()
        house.home.command(house.radio, "text_1", "again and again", isRetained: true)
        _ = try house.home.wait(.gateway, "commands", "its refusal") {
            $0["reason"]?.string?.contains("retained") == true
        }
        for time in 1...2 {
            house.mosquitto.stop()
            try house.mosquitto.start()
            house.home.waitUntilSubscribed(times: time + 1)
            try house.test.eventually("connected again") {
                house.test.brokers.reports.first.map {
                    $0.report.connections == time + 1 && $0.report.maySubscribe == true
                }
                    ?? false
            }
        }
        house.home.command(house.radio, "text_1", "once")
        _ = try house.outcome("text_1", "sent", of: house.radio)
        #expect(house.simulated.received.count { $0.decoded?.port == .textMessage } == 1)
        let said = house.test.log.withLock { log in log.count { $0.contains("is retained at the broker") } }
        #expect(said == 1)
    }

    /// Without the key nothing is subscribed to, and nothing is obeyed.
    @Test func commandsNeedTheirKey() throws {
        let house = try SpeakingHouse("home-assistant-texts = 0, Hikers")
        defer { house.stop() }
        house.home.waitFor("event_text_1", of: house.radio)
        house.home.command(house.radio, "text_1", "let me in")
        house.simulated.sendText(from: house.hiker.number, "heard", channel: 1)
        _ = try house.home.wait(house.radio, "text_1", "a text") { $0["text"]?.string == "heard" }
        #expect(house.simulated.received.allSatisfy { $0.decoded?.port != .textMessage })
        #expect(house.test.brokers.reports[0].commandsRefused == 0)
    }

    /// While the radio is away a text waits for a minute, and a button does nothing.
    @Test func theRadioIsAway() throws {
        let house = try SpeakingHouse()
        defer { house.stop() }
        house.waitUntilShown()
        house.simulated.unplug()
        try house.test.eventually("away") { house.test.gateway.status(of: house.test.source).link != .live }
        house.home.command(.node(house.hiker.number), "position", "PRESS")
        let event = try house.outcome("position", "refused", of: .node(house.hiker.number))
        #expect(event["reason"]?.string == "the radio was away")
        house.home.command(house.radio, "restart", "PRESS")
        _ = try house.outcome("restart", "refused", of: house.radio)
        house.home.command(house.radio, "text_0", "when you are back")
        try house.test.eventually("taken") { house.test.brokers.reports[0].commands == 1 }
        try house.simulated.replug()
        _ = try house.outcome("text_0", "sent", of: house.radio)
    }
}
