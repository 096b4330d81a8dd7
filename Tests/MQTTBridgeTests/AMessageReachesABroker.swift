import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// Against Debian's mosquitto, with both versions of MQTT.
@Suite struct AMessageReachesABroker {
    @Test func andComesBack() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let loop = try RunningLoop(.local(mosquitto.port), user: RecordedUser(subscribingTo: ["a/+"]))
        loop.user.wait("subscribed") { $0.isAllowed == true }
        loop.publish([Publication(topic: "a/b", payload: Array("hello".utf8))])
        loop.user.wait("received") { $0.received.contains { $0.topic == "a/b" && $0.payload == "hello" } }
        loop.user.wait("acknowledged") { $0.settled.contains { $0.topic == "a/b" && $0.outcome == .acknowledged } }
        #expect(loop.user.state.withLock { $0.version } == .mqtt5)
        // Mosquitto's own, by its CONNACK.
        #expect(loop.user.state.withLock { $0.limits?.receiveMaximum } == 20)
        loop.stop()
        // It is retained, for whoever comes later.
        let later = try RunningLoop(.local(mosquitto.port), user: RecordedUser(subscribingTo: ["a/+"]))
        later.user.wait("retained") { $0.received.contains { $0.topic == "a/b" && $0.isRetained } }
        later.stop()
    }

    /// Never more than twenty without an acknowledgement.
    @Test func inBatches() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let loop = try RunningLoop(.local(mosquitto.port))
        loop.publish((0..<500).map { Publication(topic: "many/\($0)", payload: [0x31]) })
        loop.user.wait("all") { $0.settled.count == 500 }
        let most = loop.user.state.withLock { $0.mostInFlight }
        #expect(most <= BrokerLoop.mostInFlight && most > 1, "\(most)")
        #expect(loop.mailbox.report.published == 500)
        loop.stop()
    }

    /// A message expiry that is over takes the retained message away.
    @Test func forAsLongAsItCounts() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let loop = try RunningLoop(.local(mosquitto.port))
        loop.publish([
            Publication(topic: "x/short", payload: [0x31], expiry: 1), Publication(topic: "x/long", payload: [0x32]),
        ])
        loop.user.wait("both") { $0.settled.count == 2 }
        sleep(3)
        let later = try RunningLoop(.local(mosquitto.port), user: RecordedUser(subscribingTo: ["x/#"]))
        later.user.wait("the long one") { $0.received.contains { $0.topic == "x/long" } }
        #expect(!later.user.state.withLock { $0.received.contains { $0.topic == "x/short" } })
        later.stop()
        loop.stop()
    }

    /// The broker publishes the will when the connection breaks, and not when it ends in order.
    @Test func andItsWillOnlyWhenWeAreGoneWithoutAWord() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let watcher = try RunningLoop(
            .local(mosquitto.port) { $0.clientID = "watcher" },
            user: RecordedUser(subscribingTo: ["mesh-gateway/+/status"]))
        watcher.user.wait("subscribed") { $0.isAllowed == true }
        let loop = try RunningLoop(.local(mosquitto.port) { $0.clientID = "same" })
        loop.user.wait("live") { $0.connections == 1 }
        loop.stop()
        let first = try RunningLoop(.local(mosquitto.port) { $0.clientID = "same" })
        first.user.wait("live") { $0.connections == 1 }
        #expect(watcher.user.state.withLock { $0.received.isEmpty })
        // A second one under its client id: the broker ends the first, whose will is then published.
        let second = try RunningLoop(.local(mosquitto.port) { $0.clientID = "same" })
        second.user.wait("live") { $0.connections >= 1 }
        // Both come back, and take it from each other: that is said once.
        second.waitForLog("has another client the client id same?")
        #expect(second.log.withLock { $0.count { $0.hasPrefix("lost the broker") } } <= 2)
        watcher.user.wait("the will") { $0.received.contains { $0.payload == "offline" } }
        for loop in [first, second, watcher] { loop.stop() }
    }

    /// A client certificate, a user and a password from a file.
    @Test func asAUserWithAPassword() throws {
        let mosquitto = try Mosquitto(anonymous: false) { ["password_file \($0)/passwords"] }
        try run("/usr/bin/mosquitto_passwd", ["-b", "-c", mosquitto.folder.path + "/passwords", "mesh", "secret word"])
        try run("/bin/chmod", ["644", mosquitto.folder.path + "/passwords"])
        let file = mosquitto.folder.appending(path: "password")
        try "secret word\n".write(to: file, atomically: true, encoding: .utf8)
        try mosquitto.start()
        let good = try RunningLoop(
            .local(mosquitto.port) { ($0.user, $0.passwordFile) = ("mesh", file.path) })
        good.user.wait("live") { $0.connections == 1 }
        good.stop()

        try "another\n".write(to: file, atomically: true, encoding: .utf8)
        let bad = try RunningLoop(
            .local(mosquitto.port) { ($0.user, $0.passwordFile) = ("mesh", file.path) })
        bad.waitForLog("refuses us")
        #expect(bad.mailbox.report.state == .refused)
        // It stays so: nothing is tried again.
        #expect(bad.log.withLock { $0.count } == 1)
        bad.stop()
    }

    /// Out of force until a reload, of which rules tell.
    @Test func andARefusalIsSaidToTheGateway() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll([0x20, 3, 0, 0x87, 0] as [UInt8], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let test = try BridgedGateway()
        defer { test.stop() }
        let states = Monitor<[BrokerReport.State?]>([])
        test.gateway.problems.follow { [weak brokers = test.brokers] in
            let state = brokers?.reports.first?.report.state
            states.notify { $0.append(state) }
        }
        try test.configure(broker.port)
        // Once of the reload and once of the refusal, in either order.
        #expect(states.wait(seconds: 300) { $0.count >= 2 ? true : nil } == true)
        #expect(states.withLock { $0.contains(.refused) }, "\(states.withLock { $0 })")
    }
}
