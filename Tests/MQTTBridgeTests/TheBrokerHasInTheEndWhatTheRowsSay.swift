import Foundation
import Glibc
import JSON
import Platform
import Testing

@testable import MQTTBridge

/// Mosquitto is stopped and started again while 60 nodes talk, appear, leave and are renamed, with MQTT 5, over TLS and without, and
/// with 3.1.1. In the end it keeps what the rows say, and nothing else.
///
/// Nine restarts in all, 102 when MESH_GATEWAY_TEST_FULL is set, or as many as MESH_GATEWAY_TEST_BROKER_RESTARTS says.
@Suite struct TheBrokerHasInTheEndWhatTheRowsSay {
    private static let nodes: ClosedRange<UInt32> = 0x1001...0x103C

    private static var restarts: Int {
        let environment = ProcessInfo.processInfo.environment
        let isFull = environment["MESH_GATEWAY_TEST_FULL"] != nil
        return environment["MESH_GATEWAY_TEST_BROKER_RESTARTS"].flatMap { Int($0) } ?? (isFull ? 102 : 9)
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func howeverOftenItStarts(isOld: Bool, hasTLS: Bool) throws {
        let certificates = hasTLS ? try Certificates() : nil
        let mosquitto = try Mosquitto { _ in certificates?.lines ?? [] }
        try mosquitto.start()
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        let test = try BridgedGateway()
        defer { test.stop() }
        for number in Self.nodes { try test.hear(number, temperature: Double(number % 40), name: "Node \(number)") }
        let lines = ["home-assistant = all"] + (certificates.map { ["ca = \($0.folder)/ca.pem"] } ?? [])
        try test.configure(
            gate?.port ?? mosquitto.port, lines.joined(separator: "\n"), scheme: hasTLS ? "mqtts" : "mqtt")
        // A broker that goes down in the first handshake may know no MQTT 5.
        try test.eventually("live") { test.brokers.reports.first?.report.state == .live }
        let isTalking = Monitor(true)
        let talking = UncheckedGateway(test: test)
        let talker = Platform.Thread(named: "mesh") {
            while isTalking.withLock({ $0 }) { Self.talk(talking.test) }
        }
        for _ in 0..<max(1, Self.restarts / 3) {
            usleep(.random(in: 300_000...4_000_000))
            mosquitto.stop()
            usleep(.random(in: 10_000...500_000))
            try mosquitto.start()
        }
        isTalking.withLock { $0 = false }
        talker.join()
        let wanted = try Self.wanted(test, keepsMeasured: gate == nil)
        // The last attempt may be a minute ago.
        let authority = certificates.map { "\($0.folder)/ca.pem" }
        var found: [String: String] = [:]
        for _ in 0..<4 where found != wanted {
            found = Self.compared(
                try Retained(at: mosquitto.port, authority: authority) { kept in
                    // Measured values that come while this reads are not retained, and so not there for the next one who reads.
                    Self.compared(kept, wanted).filter { !isOld || !$0.key.hasSuffix(" temperature") } == wanted
                }.messages, wanted)
        }
        let wrong = Set(found.keys).union(wanted.keys).filter { found[$0] != wanted[$0] }.sorted()
        #expect(wrong.isEmpty, "\(wrong.prefix(10).map { ($0, found[$0], wanted[$0]) })")
        #expect(test.brokers.reports.first?.deleted == [])
        #expect(test.brokers.reports.first?.report.protocolVersion == (gate == nil ? "5" : "3.1.1"))
    }

    private static func talk(_ test: BridgedGateway) {
        let number = UInt32.random(in: nodes)
        if Int.random(in: 0..<20) == 0 {
            try? test.forget(number)
        } else {
            let name = Int.random(in: 0..<10) == 0 ? "Renamed \(UInt32.random(in: 0...99))" : nil
            try? test.hear(number, temperature: Double(Int.random(in: -20...40)), name: name)
        }
        usleep(20_000)
    }

    /// By object and what it is: the device's name, the last report, when it was heard.
    private static func wanted(_ test: BridgedGateway, keepsMeasured: Bool) throws -> [String: String] {
        let source = test.source
        return try test.store.read { reader in
            var wanted = ["status": "online"]
            for number in try reader.nodeNumbers(in: source) {
                guard let node = try reader.node(number, in: source) else { continue }
                let object = String(number.id.dropFirst())
                wanted["\(object) name"] = node.longName ?? number.placeholderLongName
                wanted["\(object) heard"] = "\(node.lastHeard ?? 0)"
                let newest = try reader.telemetry(of: number, in: source, limit: 1).first
                if keepsMeasured, let value = newest?.value.values.first?.value {
                    wanted["\(object) temperature"] = "\(value)"
                }
            }
            return wanted
        }
    }

    /// The same of what is retained.
    private static func compared(_ messages: [String: String], _ wanted: [String: String]) -> [String: String] {
        var found: [String: String] = [:]
        for (topic, payload) in messages {
            let levels = topic.split(separator: "/").map(String.init)
            let json = JSONValue(Array(payload.utf8))
            if topic.hasSuffix("/config"), DeviceID(object: levels[3])?.isNode == true {
                found["\(levels[3]) name"] = json?["dev"]?["name"]?.string
            } else if levels.last == "status" {
                found["status"] = payload
            } else if levels.last == "environment" {
                found["\(levels[2]) temperature"] = json?["temperature"].flatMap {
                    if case .number(let value) = $0 { "\(value)" } else { nil }
                }
            } else if levels.last == "node" {
                found["\(levels[2]) heard"] = json?["last_heard"]?.string
                    .flatMap(ISO8601.milliseconds).map { "\($0 / 1000)" }
            }
        }
        return found
    }
}

/// Its rows are written under the store's own lock.
private struct UncheckedGateway: @unchecked Sendable { let test: BridgedGateway }

extension DeviceID {
    fileprivate var isNode: Bool { if case .node = self { true } else { false } }
}
