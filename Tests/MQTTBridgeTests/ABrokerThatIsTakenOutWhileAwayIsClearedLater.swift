import Glibc
import Testing

@testable import MQTTBridge

/// A broker's file goes while the broker is away: it is cleared when it is back, and its rows are forgotten at once.
@Suite struct ABrokerThatIsTakenOutWhileAwayIsClearedLater {
    private static func shown(_ seen: [String: String]) -> Bool {
        seen.keys.contains { $0.hasSuffix("/00000101/environment") }
    }

    @Test func whenItIsBack() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port, until: Self.shown)
        mosquitto.stop()
        try test.eventually("lost") { test.brokers.reports.first?.report.state != .live }
        try test.configure(nil)
        #expect(test.brokers.reports.isEmpty)
        try mosquitto.start()
        let seen = try Retained(at: mosquitto.port) { $0.isEmpty }
        #expect(seen.messages.isEmpty, "\(seen.messages.keys)")
        #expect(try test.store.read { try $0.knownBrokers() } == [])
    }

    /// It is configured again before it is back: one client is there, and all is shown.
    @Test func unlessItIsWantedAgain() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port, until: Self.shown)
        mosquitto.stop()
        try test.eventually("lost") { test.brokers.reports.first?.report.state != .live }
        try test.configure(nil)
        try test.configure(mosquitto.port, named: "again")
        try mosquitto.start()
        try test.eventually("shown") { test.brokers.reports.first?.devices == 3 }
        #expect(Self.shown(try Retained(at: mosquitto.port, until: Self.shown).messages))
    }

    /// What stays there is said.
    @Test func unlessTheGatewayStops() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port, until: Self.shown)
        mosquitto.stop()
        try test.eventually("lost") { test.brokers.reports.first?.report.state != .live }
        try test.configure(nil)
        test.stop()
        #expect(test.log.withLock { $0.last?.contains("is still there") } == true, "\(test.log.withLock { $0 })")
    }

    /// Where nothing was ever published there is nothing to be cleared.
    @Test func unlessItWasNeverThere() throws {
        let (descriptor, port) = try reserved()
        defer { close(descriptor) }
        let test = try BridgedGateway()
        try test.configure(port)
        try test.configure(nil)
        test.stop()
        #expect(!test.log.withLock { $0.contains { $0.contains("taken away") || $0.contains("still there") } })
    }
}
