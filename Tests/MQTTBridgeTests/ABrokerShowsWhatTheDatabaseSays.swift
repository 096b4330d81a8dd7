import Foundation
import Glibc
import JSON
import Testing

@testable import MQTTBridge

/// A gateway, its rows, and Debian's mosquitto.
@Suite struct ABrokerShowsWhatTheDatabaseSays {
    @Test func fromTheFirstNodeToTheLast() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        for number in 1...3 as ClosedRange<UInt32> {
            try test.hear(0x100 + number, temperature: Double(number), name: "Node \(number)")
        }
        try test.configure(mosquitto.port)
        var seen = try Retained(at: mosquitto.port) { kept in
            kept.keys.count { $0.hasSuffix("/config") } == 5 && kept.keys.count { $0.hasSuffix("/environment") } == 3
        }
        #expect(seen.shown == ["gateway", test.radio.object, "00000101", "00000102", "00000103"])
        for (topic, payload) in seen.messages where topic.hasSuffix("/config") {
            #expect(mistakes(inConfiguration: Array(payload.utf8), at: topic) == [])
        }
        #expect(seen.state("00000102", .environment) == #"{"temperature":2}"#)
        #expect(seen.messages.first { $0.key.hasSuffix("/status") }?.value == "online")

        // A report, a new node, another name, a node that goes.
        try test.hear(0x102, temperature: 22.5, name: "Roof")
        try test.hear(0x104, temperature: 4)
        try test.forget(0x101)
        seen = try Retained(at: mosquitto.port) { kept in
            let text = kept.filter { $0.key.contains("/00000102/") }.map(\.value).joined()
            return text.contains("22.5") && text.contains("Roof")
                && kept.keys.contains { $0.contains("/00000104/environment") }
                && !kept.keys.contains { $0.contains("/00000101/") }
        }
        #expect(seen.shown == ["gateway", test.radio.object, "00000102", "00000103", "00000104"])
        #expect(!seen.messages.keys.contains { $0.contains("00000101") })

        // Out of the folder: nothing of ours stays.
        try test.configure(nil)
        seen = try Retained(at: mosquitto.port) { $0.isEmpty }
        #expect(seen.messages.isEmpty, "\(seen.messages.keys)")
        try test.eventually("forgotten") { (try? test.store.read { try $0.knownBrokers() }) == [] }
    }

    @Test func favouritesOnly() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.hear(0x102, temperature: 2, isFavorite: true)
        try test.configure(mosquitto.port, "home-assistant = favourites")
        let seen = try Retained(at: mosquitto.port) { $0.keys.contains { $0.contains("/00000102/environment") } }
        #expect(seen.shown == ["gateway", test.radio.object, "00000102"])
        try test.hear(0x102, isFavorite: false)
        try test.hear(0x101, isFavorite: true)
        let later = try Retained(at: mosquitto.port) { kept in
            kept.keys.contains { $0.contains("/00000101/environment") }
                && !kept.keys.contains { $0.contains("00000102") }
        }
        #expect(later.shown == ["gateway", test.radio.object, "00000101"])
    }

    /// Whatever becomes of the broker, in the end it has what the rows say.
    @Test(arguments: [SIGTERM, SIGKILL])
    func overTheBrokersRestarts(signal: Int32) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        for number in 0..<5 as Range<UInt32> { try test.hear(0x100 + number, temperature: 1) }
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port) { $0.keys.count { $0.hasSuffix("/environment") } == 5 }
        for round in 1...3 as ClosedRange<UInt32> {
            mosquitto.stop(signal)
            try test.hear(0x100 + round, temperature: Double(10 * round))
            try mosquitto.start()
            try test.hear(0x110 + round, temperature: Double(round))
        }
        let seen = try Retained(at: mosquitto.port) { kept in
            kept.keys.count { $0.hasSuffix("/config") } == 10 && kept.keys.count { $0.hasSuffix("/environment") } == 8
                && kept.contains { $0.key.hasSuffix("/00000103/environment") && $0.value.contains("30") }
        }
        #expect(seen.shown.count == 10)
        #expect(seen.state("00000102", .environment) == #"{"temperature":20}"#)
        #expect(test.brokers.reports.first?.deleted == [])
    }

    /// A person deletes a device in Home Assistant: an empty message on our topic.
    @Test func withoutWhatAPersonDeleted() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        let seen = try Retained(at: mosquitto.port) { $0.keys.contains { $0.hasSuffix("/00000101/environment") } }
        let topic = try #require(seen.messages.keys.first { $0.hasSuffix("/00000101/config") })
        let home = try RunningLoop(.local(mosquitto.port) { $0.clientID = "home" }, gateway: "eeeeeeee")
        home.publish([.clearing(topic)])
        home.user.wait("deleted") { $0.settled.contains { $0.topic == topic } }
        try test.eventually("noticed") { test.brokers.reports.first?.deleted == ["00000101"] }
        let later = try Retained(at: mosquitto.port) { !$0.keys.contains { $0.contains("00000101") } }
        #expect(!later.shown.contains("00000101"))
        #expect(test.brokers.refresh("house") && !test.brokers.refresh("nobody"))
        let again = try Retained(at: mosquitto.port) { $0.keys.contains { $0.hasSuffix("/00000101/environment") } }
        #expect(again.shown.contains("00000101"))
        home.stop()
    }

    /// A broken file leaves its broker as it was, and one that is gone ends it.
    @Test func aReloadChangesWhatChanged() throws {
        let (one, two) = (try Mosquitto(), try Mosquitto())
        try one.start()
        try two.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(one.port, named: "one")
        try test.configure(two.port, named: "two")
        _ = try Retained(at: one.port) { $0.keys.contains { $0.hasSuffix("/00000101/environment") } }
        _ = try Retained(at: two.port) { $0.keys.contains { $0.hasSuffix("/00000101/environment") } }
        try test.configure(one.port, named: "one", "home-assistant = nonsense")
        #expect(test.brokers.reports.map(\.broker.name) == ["one", "two"])
        #expect(test.log.withLock { $0 }.contains { $0.hasPrefix("broker-broken: ") && $0.contains("one.conf:2:") })
        // A slip of the pen costs nobody a connection or a device.
        #expect(test.brokers.reports.map(\.report.connections) == [1, 1])
        let seen = try Retained(at: one.port)
        #expect(seen.shown.contains("00000101"))
        #expect(seen.messages.first { $0.key.hasSuffix("/status") }?.value == "online")
        try test.configure(nil, named: "one")
        #expect(test.brokers.reports.map(\.broker.name) == ["two"])
        #expect(try Retained(at: one.port) { $0.isEmpty }.messages.isEmpty)
    }

    /// A folder that cannot be read is no word that nothing is to stay.
    @Test func aFolderThatCannotBeReadClearsNothing() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        _ = try Retained(at: mosquitto.port) { $0.keys.contains { $0.hasSuffix("/00000101/environment") } }
        // A link that leads to itself: ELOOP, also for root.
        try FileManager.default.removeItem(atPath: test.folder + "/brokers.d")
        #expect(symlink("brokers.d", test.folder + "/brokers.d") == 0)
        test.brokers.reload()
        #expect(test.brokers.current.mistakesOfFolder.count == 1)
        #expect(test.brokers.reports.first?.report.state == .live)
        #expect(try Retained(at: mosquitto.port).shown.contains("00000101"))
    }

    /// Without a broker there is no thread and no library.
    @Test func nothingWithoutAFile() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        test.brokers.reload()
        #expect(test.brokers.reports.isEmpty)
        #expect(try test.store.read { try $0.knownBrokers() } == [])
    }
}
