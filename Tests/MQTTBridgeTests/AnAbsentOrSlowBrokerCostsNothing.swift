import Glibc
import MeshModel
import Platform
import Testing

@testable import MQTTBridge

/// What a broker does not take now is no queue that grows: afterwards the newest values are published, each once.
@Suite struct AnAbsentOrSlowBrokerCostsNothing {
    /// A day of reports, a minute apart.
    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func awayForADay(version: ProtocolChoice.Version) throws {
        var home = FakeHome(Device.house(3), version: version)
        home.connectAndSettle()
        home.disconnect()
        for minute in 1...1_440 {
            home.pass(seconds: 60)
            for number in 0x100..<0x103 as Range<UInt32> {
                var node = Device.node(number, at: home.now.wall)
                node.reports[.environment]?.values["temperature"] = .number(Double(minute))
                let key = Plan.StateKey(device: node.id, group: .environment)
                home.plan.show([node], reported: [key], at: home.now)
            }
            #expect(home.plan.states.isEmpty && home.plan.due.isEmpty && home.plan.clearings.isEmpty)
        }
        let before = home.log.count
        home.connectAndSettle()
        let told = home.log[before...]
        #expect(Dictionary(grouping: told, by: \.topic).values.allSatisfy { $0.count == 1 }, "\(told.map(\.topic))")
        let values = told.filter { $0.topic.hasSuffix("/environment") }
        #expect(values.count == 3 && values.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains("1440") })
    }

    /// It takes everything and acknowledges nothing.
    @Test func withoutAcknowledgements() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll(FakeBroker.welcome, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.publish((0..<1_000).map { Publication(topic: "slow/\($0)", payload: [0x31]) })
        loop.user.wait("twenty are on their way") { $0.inFlight == BrokerLoop.mostInFlight }
        loop.mailbox.wakes.signal()
        // Its goodbye has an end, too.
        loop.stop()
        #expect(loop.user.state.withLock { $0.toPublish.count } == 1_000 - BrokerLoop.mostInFlight)
        #expect(loop.mailbox.report.published == BrokerLoop.mostInFlight)
        #expect(loop.mailbox.report.state == .stopped)
    }

    /// While the disk takes nothing, a reload connects to brokers all the same.
    @Test func norDoesADisk() throws {
        let (first, second) = try (reserved(), reserved())
        nonisolated(unsafe) let test = try BridgedGateway()
        let isHeld = Monitor(true)
        try test.configure(first.port, "keep-alive = 60")
        test.store.enqueue { _ in _ = isHeld.wait(until: nil) { isHeld, _ in isHeld ? nil : true } }
        let reload = Platform.Thread(named: "reload") {
            try? test.configure(second.port, named: "second", "keep-alive = 60")
        }
        defer {
            isHeld.notify { $0 = false }
            reload.join()
            test.stop()
            for one in [first, second] { close(one.descriptor) }
        }
        try test.eventually("it is active") { test.brokers.reports.map(\.broker.name) == ["house", "second"] }
    }
}
