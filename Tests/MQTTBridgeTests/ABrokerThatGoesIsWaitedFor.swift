import Glibc
import Testing

@testable import MQTTBridge

@Suite struct ABrokerThatGoesIsWaitedFor {
    @Test func beforeItIsThereAndAfterItWent() throws {
        let mosquitto = try Mosquitto()
        let loop = try RunningLoop(.local(mosquitto.port))
        loop.waitForLog("cannot connect to the broker")
        try mosquitto.start()
        loop.user.wait("live") { $0.connections == 1 }
        for (count, signal) in [(1, SIGTERM), (2, SIGKILL)] {
            mosquitto.stop(signal)
            loop.user.wait("lost") { $0.ends == count }
            try mosquitto.start()
            loop.user.wait("live again") { $0.connections == count + 1 }
        }
        // What was in flight is forgotten, and what is published now arrives.
        loop.publish([Publication(topic: "again", payload: [0x31])])
        loop.user.wait("acknowledged") { $0.settled.contains { $0.topic == "again" && $0.outcome == .acknowledged } }
        loop.stop()
    }

    /// A failure that stays the same is said once.
    @Test func withoutRepeatingItself() throws {
        let (descriptor, port) = try reserved()
        defer { close(descriptor) }
        let loop = try RunningLoop(.local(port))
        loop.waitForLog("cannot connect to the broker")
        sleep(4)
        #expect(loop.log.withLock { $0.count } == 1, "\(loop.log.withLock { $0 })")
        #expect(loop.mailbox.report.reason?.isEmpty == false)
        loop.stop()
    }

    /// It ends at once while the name or TCP still takes its time.
    @Test func untilItIsStopped() throws {
        // An address that nobody has: documentation's own.
        let loop = try RunningLoop(.local(1883) { $0.host = "192.0.2.1" })
        loop.stop()
        #expect(loop.mailbox.report.state == .stopped)
    }
}
