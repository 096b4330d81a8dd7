import Foundation
import Testing

@testable import MQTTBridge

/// Thousands of retained states below a filter for everything: each is acknowledged, none is a text, and none counts as too many.
@Suite struct WhatIsRetainedIsNobodysWord {
    @Test(arguments: [false, true])
    func belowAFilterForEverything(isOld: Bool) throws {
        let mosquitto = try Mosquitto { _ in ["max_queued_messages 0"] }
        try mosquitto.start()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        for number in 1...3_000 {
            var state = OutgoingMessage("home/\(number)", text: "on")
            (state.isRetained, state.quality) = (true, number % 100 == 0 ? .atLeastOnce : .atMostOnce)
            if number % 100 == 0 { try other.publish(state) } else { _ = other.connection.publish(state) }
        }
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        defer { withExtendedLifetime(gate) {} }
        let gateway = try TalkingGateway()
        try gateway.configure(gate?.port ?? mosquitto.port)
        try gateway.add("all", ["#"], topic: nil)
        try gateway.waitUntilConnected("all")
        try other.publish(OutgoingMessage("home/1", text: "somebody"))
        try gateway.wait("all", for: ["somebody"])
        #expect(gateway.state(of: "all").state == .connected)
        // What gateways and Home Assistant publish for each other is no text either.
        try other.publish(OutgoingMessage("homeassistant/device/x/config", text: "{}"))
        try other.publish(OutgoingMessage("mesh-gateway/other/node", text: "{}"))
        // Of what is retained while we are subscribed, a broker of 3.1.1 and of 5 send a live copy: it is said now.
        var state = OutgoingMessage("home/1", text: "off")
        state.isRetained = true
        try other.publish(state)
        try gateway.wait("all", for: ["somebody", "off"])
        gateway.stop()
        try other.close()
    }
}
