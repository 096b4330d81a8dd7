import Platform
import Testing

@testable import MQTTBridge

/// What was mended may be the password's file, or the broker's list of users: the broker's own file is the same.
@Suite struct AReloadTriesABrokerAgainThatRefusedUs {
    @Test func alsoWhereItsFileIsTheSame() throws {
        let connections = Monitor(0)
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            let isFirst = connections.withLock { count in
                count += 1
                return count == 1
            }
            // Bad user name or password.
            _ = writeAll(isFirst ? [0x20, 3, 0, 0x86, 0] : FakeBroker.welcome, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(broker.port, "keep-alive = 60")
        try test.eventually("refused") { test.brokers.reports.first?.report.state == .refused }
        test.brokers.reload()
        try test.eventually("live") { test.brokers.reports.first?.report.state == .live }
        // One that is live is left alone.
        test.brokers.reload()
        #expect(test.brokers.reports.map(\.report.connections) == [1])
    }
}
