import Foundation
import Platform
import Testing

@testable import MQTTBridge

/// As many brokers as there may be accept us and then answer nothing more. A reload leaves and changes them all, and is over before
/// one of them has let go; who takes a broker's place waits for that on its own thread.
@Suite struct AReloadWaitsForNoBroker {
    private enum Event: Hashable, Sendable {
        case connected(Int), closed(Int), isReloaded
    }

    private let events = Monitor<[Event]>([])

    private func brokers() throws -> [FakeBroker] {
        let events = events
        return try (0..<BrokerFile.kind.limit).map { number in
            try FakeBroker { connection in
                _ = FakeBroker.readPacket(connection)
                _ = writeAll(FakeBroker.welcome, to: connection)
                events.notify { $0.append(.connected(number)) }
                while !FakeBroker.readPacket(connection).isEmpty {}
                events.notify { $0.append(.closed(number)) }
            }
        }
    }

    private func wait(_ what: String, _ condition: @escaping ([Event]) -> Bool) {
        let isSo = events.wait(seconds: 300) { condition($0) ? true : nil } ?? false
        #expect(isSo, "\(what): \(events.withLock { $0 })")
    }

    private func write(_ fakes: [FakeBroker], keepAlive: Int, in test: BridgedGateway) throws {
        for (number, fake) in fakes.enumerated() {
            try "url = mqtt://127.0.0.1:\(fake.port)\nkeep-alive = \(keepAlive)\n".write(
                toFile: "\(test.folder)/brokers.d/b\(100 + number).conf", atomically: true, encoding: .utf8)
        }
    }

    @Test func thatIsChanged() throws {
        let fakes = try brokers()
        let test = try BridgedGateway()
        try write(fakes, keepAlive: 60, in: test)
        test.brokers.reload()
        wait("all are connected to") { $0.count == fakes.count }
        try test.eventually("all are live") { test.brokers.reports.allSatisfy { $0.report.state == .live } }
        try write(fakes, keepAlive: 90, in: test)
        test.brokers.reload()
        events.notify { $0.append(.isReloaded) }
        // The next reload does not wait either.
        #expect(test.brokers.reload().isEmpty)
        wait("all are connected to again") {
            $0.count { if case .connected = $0 { true } else { false } } == 2 * fakes.count
        }
        let seen = events.withLock { $0 }
        let first = seen.firstIndex { if case .closed = $0 { true } else { false } }
        #expect(try #require(seen.firstIndex(of: .isReloaded)) < first ?? 0, "the reload has waited: \(seen)")
        for number in fakes.indices {
            let own = seen.filter { $0 == .connected(number) || $0 == .closed(number) }
            #expect(own == [.connected(number), .closed(number), .connected(number)], "two at once: \(own)")
        }
        test.stop()
        wait("all are left") { $0.count { if case .closed = $0 { true } else { false } } == 2 * fakes.count }
    }

    @Test func thatIsTakenOut() throws {
        let fakes = try brokers()
        let test = try BridgedGateway()
        try write(fakes, keepAlive: 60, in: test)
        test.brokers.reload()
        try test.eventually("all are live") {
            test.brokers.reports.count == fakes.count && test.brokers.reports.allSatisfy { $0.report.state == .live }
        }
        for number in fakes.indices {
            try FileManager.default.removeItem(atPath: "\(test.folder)/brokers.d/b\(100 + number).conf")
        }
        test.brokers.reload()
        events.notify { $0.append(.isReloaded) }
        #expect(test.brokers.reports.isEmpty)
        // They are still to be cleared, for which the end of the service does not wait.
        test.stop()
        wait("all are left") { $0.count == 2 * fakes.count + 1 }
        let seen = events.withLock { $0 }
        let first = seen.firstIndex { if case .closed = $0 { true } else { false } }
        #expect(try #require(seen.firstIndex(of: .isReloaded)) < first ?? 0, "the reload has waited: \(seen)")
        #expect(test.log.withLock { $0 }.contains { $0.contains("is still there, because that broker was away") })
    }
}
