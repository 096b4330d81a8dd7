import Foundation
import JSON
import MeshModel
import MeshProtocol
import Platform
import RadioSimulator
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// From the radio's bytes to the broker's: mosquitto and a simulated radio.
@Suite struct HomeAssistantHearsTheMesh {
    private static let speech = """
        home-assistant = favourites
        home-assistant-texts = 0, Hikers
        home-assistant-direct = yes
        """

    private static var options: SimulatorOptions {
        var options = SimulatorOptions()
        (options.chatter, options.timeScale, options.limitsRates) = (0, 10, false)
        return options
    }

    /// - Parameter isOld: the broker knows MQTT 3.1.1 alone.
    @Test(arguments: [false, true])
    func eachEventOnce(isOld: Bool) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        let test = try BridgedGateway(radio: Self.options)
        defer { test.stop() }
        let radio = try #require(test.simulated)
        try test.waitUntilLive()
        let home = try FakeHomeAssistant(at: mosquitto.port, of: test)
        defer { home.stop() }
        try test.configure(gate?.port ?? mosquitto.port, Self.speech)
        home.waitFor("event_text_1", of: test.radio)
        home.waitFor("event_mesh", of: .gateway)
        let hiker = radio.nodes[0]

        // Texts: on a channel, a reaction, to the radio alone; one of a channel that nobody has named.
        let first = radio.sendText(from: hiker.number, "Servus", channel: 1)
        var event = try home.wait(test.radio, "text_1", "a text") { $0["text"]?.string == "Servus" }
        #expect(event.keys == ["id", "event_type", "text", "from", "name", "channel", "hops", "reply"])
        #expect(event.type == "channel" && event["from"]?.string == hiker.number.id)
        #expect(event["name"]?.string == hiker.longName && event["channel"]?.integer == 1 && event["reply"] == nil)
        radio.sendText(from: hiker.number, "👍", channel: 1, replyID: first, isReaction: true)
        event = try home.wait(test.radio, "text_1", "a reaction") { $0.type == "reaction" }
        #expect(event["reply"]?.integer == Int64(first))
        radio.sendText(from: hiker.number, "for you", to: radio.number)
        event = try home.wait(test.radio, "text_direct", "a direct text") { $0["text"]?.string == "for you" }
        #expect(event.type == "direct" && event["channel"] == nil)
        radio.sendText(from: hiker.number, "of the rescue", channel: 2)

        // The mesh: a node that is new, a sensor, a waypoint that comes twice.
        let stranger = NodeNumber(0x0BAD_CAFE)
        radio.sendText(from: stranger, "hello")
        event = try home.wait(.gateway, "mesh", "a new node") { $0.type == "new_node" }
        #expect(
            event.keys == ["id", "event_type", "node", "name", "text", "channel", "title", "latitude", "longitude"])
        #expect(event["node"]?.string == stranger.id)
        func hear(_ port: PortNumber, _ payload: [UInt8], _ id: PacketID) {
            radio.inject(
                MeshPacket(
                    from: hiker.number, to: .broadcast, channel: 1, id: id,
                    payload: .decoded(MeshData(port: port, payload: payload, bitfield: 1))))
        }
        hear(.detectionSensor, Array("the gate is open".utf8), 0x700)
        event = try home.wait(.gateway, "mesh", "a detection") { $0.type == "detection" }
        #expect(event["text"]?.string == "the gate is open" && event["channel"]?.integer == 1)
        let waypoint = Waypoint(
            id: 7, latitudeI: 465_000_000, longitudeI: 75_000_000, expire: 0, name: "Hut", description: "water here")
        hear(.waypoint, waypoint.encoded(), 0x701)
        event = try home.wait(.gateway, "mesh", "a waypoint") { $0.type == "waypoint" }
        #expect(event["title"]?.string == "Hut" && event["text"]?.string == "water here")
        #expect(event["latitude"] == .number(46.5) && event["longitude"] == .number(7.5))
        hear(.waypoint, waypoint.encoded(), 0x702)

        // What a rule has told, and what nobody may hear here.
        try test.store.commit { [source = test.source] writer in
            _ = try writer.insert(
                FeedRow(
                    at: WallClock.milliseconds(), in: source, type: "battery", title: "Battery low", body: "12 %",
                    needs: [.node(channel: 0)], rule: "low", state: .begins, node: hiker.number))
            _ = try writer.insert(
                FeedRow(
                    at: WallClock.milliseconds(), in: source, type: "message", title: "secret", body: "",
                    needs: [.message(channel: 2)], rule: "low"))
        }
        event = try home.wait(.gateway, "rule", "a rule's notification") { $0["rule"]?.string == "low" }
        #expect(event.type == "begins" && event["type"]?.string == "battery" && event["body"]?.string == "12 %")
        #expect(event["node"]?.string == hiker.number.id)

        // The last one comes behind all of them.
        radio.sendText(from: hiker.number, "the last", channel: 1)
        _ = try home.wait(test.radio, "text_1", "the last text") { $0["text"]?.string == "the last" }
        #expect(home.events(test.radio, "text_1").compactMap { $0["text"]?.string } == ["Servus", "👍", "the last"])
        #expect(home.events(.gateway, "mesh").compactMap(\.type) == ["new_node", "detection", "waypoint"])
        #expect(home.events(.gateway, "rule").count == 1 && home.events(test.radio, "text_direct").count == 1)
        #expect(Set(home.ids).count == home.ids.count && !home.hasRetained)
    }

    /// Who has not asked for it hears nothing of what was said to the radio alone.
    @Test func aDirectTextNeedsItsKey() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway(radio: Self.options)
        defer { test.stop() }
        let radio = try #require(test.simulated)
        try test.waitUntilLive()
        let home = try FakeHomeAssistant(at: mosquitto.port, of: test)
        defer { home.stop() }
        try test.configure(mosquitto.port, "home-assistant = all\nhome-assistant-texts = 0")
        home.waitFor("event_text_0", of: test.radio)
        radio.sendText(from: radio.nodes[0].number, "for you", to: radio.number)
        radio.sendText(from: radio.nodes[0].number, "for all")
        _ = try home.wait(test.radio, "text_0", "a text") { $0["text"]?.string == "for all" }
        #expect(home.ids.count == 1)
        // Now with it.
        try test.configure(
            mosquitto.port, "home-assistant = all\nhome-assistant-texts = 0\nhome-assistant-direct = yes")
        home.waitFor("event_text_direct", of: test.radio)
        radio.sendText(from: radio.nodes[0].number, "for you again", to: radio.number)
        _ = try home.wait(test.radio, "text_direct", "a direct text") { $0["text"]?.string == "for you again" }
        #expect(home.events(test.radio, "text_direct").count == 1)
        // And without any of it.
        try test.configure(mosquitto.port, "home-assistant = all")
        let seen = try Retained(at: mosquitto.port) { kept in
            kept.contains { $0.key.hasSuffix("/config") && $0.value.contains("\"event_text_0\":{\"p\":\"event\"}") }
        }
        #expect(seen.shown.contains(test.radio.object))
    }

    /// A problem begins and is solved; what is wrong at the start is no news.
    @Test func aProblemBeginsAndIsSolved() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        let present = Monitor([Problem(.shareClosed, "It is taken.")])
        test.gateway.problems.add { showsFiles in showsFiles ? [] : present.withLock { $0 } }
        let home = try FakeHomeAssistant(at: mosquitto.port, of: test)
        defer { home.stop() }
        try test.configure(mosquitto.port)
        home.waitFor("event_problem", of: .gateway)
        try test.eventually("shown") { test.brokers.reports.first?.devices ?? 0 > 0 }
        #expect(home.events(.gateway, "problem").isEmpty)
        present.withLock { $0 = [Problem(.targetFailing, "It is silent.", command: "mesh-gateway target list")] }
        test.gateway.problems.changed()
        let solved = try home.wait(.gateway, "problem", "its end") { $0.type == "solved" }
        #expect(solved["problem"]?.string == "share-closed" && solved["advice"]?.string == "It is taken.")
        #expect(solved.keys == ["id", "event_type", "problem", "advice", "command"])
        let begun = try home.wait(.gateway, "problem", "another one") { $0.type == "begun" }
        #expect(begun["problem"]?.string == "target-failing")
        #expect(begun["command"]?.string == "mesh-gateway target list")
        #expect(home.events(.gateway, "problem").count == 2)
    }
}
