import Foundation
import Platform
import Testing

@testable import MQTTBridge

/// After ten minutes without a connection that lasts; here after a second.
@Suite struct ABrokerThatIsAwayIsAProblem {
    @Test func untilItIsBack() throws {
        let mosquitto = try Mosquitto()
        let test = try BridgedGateway(absence: 1_000)
        defer { test.stop() }
        let changes = Monitor(0)
        test.gateway.problems.follow { changes.notify { $0 += 1 } }
        try test.configure(mosquitto.port)
        try test.eventually("it is away") { test.brokers.reports.first?.report.awaySince != nil }
        #expect(test.brokers.reports.first?.report.state != .live)
        let problem = try #require(test.brokers.problems(showsFiles: false).first)
        #expect(problem.kind == .brokerAway && problem.advice.hasSuffix("To try it: mesh-gateway mqtt test house"))
        #expect(problem.command == "mesh-gateway mqtt test house")
        // Whoever tells of it is told: of the reload and of this.
        #expect(changes.wait(seconds: 60) { $0 >= 2 ? true : nil } == true)
        let before = changes.withLock { $0 }
        try mosquitto.start()
        try test.eventually("it is back") { test.brokers.reports.first?.report.awaySince == nil }
        #expect(test.brokers.reports.first?.report.state == .live)
        #expect(test.brokers.problems(showsFiles: false) == [])
        #expect(changes.wait(seconds: 60) { $0 > before ? true : nil } == true)
    }

    /// A broker that ends each connection at once is as good as away.
    @Test func alsoOneThatTakesUsForAMomentOnly() throws {
        let fake = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = send(connection, FakeBroker.welcome, FakeBroker.welcome.count, Int32(MSG_NOSIGNAL))
            usleep(100_000)
        }
        let loop = try RunningLoop(.local(fake.port), absence: 1_000)
        loop.user.wait("three connections") { $0.ends >= 3 }
        #expect(loop.mailbox.report.awaySince != nil)
        loop.stop()
    }

    /// It refuses us: that is another problem.
    @Test func notOneThatRefusesUs() throws {
        let mosquitto = try Mosquitto(anonymous: false)
        try mosquitto.start()
        let test = try BridgedGateway(absence: 1_000)
        defer { test.stop() }
        try test.configure(mosquitto.port)
        try test.eventually("it is refused") { test.brokers.reports.first?.report.state == .refused }
        usleep(1_500_000)
        #expect(test.brokers.reports.first?.report.awaySince == nil)
    }
}
