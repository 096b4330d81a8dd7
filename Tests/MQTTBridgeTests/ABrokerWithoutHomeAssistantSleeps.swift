import Foundation
import Testing

@testable import MQTTBridge

/// A broker that is to show nothing is connected to, and then costs a ping a minute.
@Suite struct ABrokerWithoutHomeAssistantSleeps {
    @Test func onceItIsConnected() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        // A name that no other test's broker has: they run in the same process.
        try test.configure(mosquitto.port, named: "sleeper", "keep-alive = 60")
        try test.eventually("live") { test.brokers.reports.first?.report.state == .live }
        let before = try Self.ticks()
        sleep(1)
        // A hundredth of a second each.
        #expect(try Self.ticks() - before < 50)
        try test.hear(0x101, temperature: 1)
        // Our status, two seconds after it was connected, and nothing else.
        #expect(test.brokers.reports.first.map { $0.report.published <= 1 } == true)
    }

    /// It is taken out: our status, which is all that stands there, goes too.
    @Test func andIsClearedLikeAnyOther() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(mosquitto.port, "keep-alive = 60")
        let seen = try Retained(at: mosquitto.port) { $0.contains { $0.key.hasSuffix("/status") } }
        #expect(seen.messages.count == 1)
        try test.configure(nil)
        let after = try Retained(at: mosquitto.port) { $0.isEmpty }
        #expect(after.messages.isEmpty, "\(after.messages.keys)")
    }

    /// Processor time of the broker's threads.
    private static func ticks() throws -> Int {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        return tasks.reduce(0) { sum, task in
            guard let stat = try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8),
                stat.contains("(mqtt sleeper)"), let end = stat.lastIndex(of: ")")
            else { return sum }
            let fields = stat[end...].split(separator: " ")
            return sum + (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
        }
    }
}
