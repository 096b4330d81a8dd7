import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import MQTTBridge

/// Conversations change while their broker, or we, are away.
@Suite(.serialized) struct ASessionFollowsItsConversations {
    /// A gateway that has had a session, and is stopped.
    private func stopped(at port: Int, _ filters: [String]) throws -> String {
        let gateway = try TalkingGateway()
        let folder = gateway.bridged.folder + "-kept"
        try gateway.configure(port)
        try gateway.add("club", filters, topic: nil)
        try gateway.waitUntilConnected()
        gateway.stop()
        try FileManager.default.copyItem(atPath: gateway.bridged.folder, toPath: folder)
        return folder
    }

    private func change(_ folder: String, _ change: @Sendable @escaping (Writer) throws -> Void) throws {
        let store = try Store(path: folder + "/db")
        try store.commit(change)
        store.close()
    }

    /// What waits at the broker comes by a filter that the conversation has no more.
    @Test(arguments: [false, true])
    func whatWaitsForAnOldFilterIsTakenOnce(isOld: Bool) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        defer { withExtendedLifetime(gate) {} }
        let folder = try stopped(at: gate?.port ?? mosquitto.port, ["club/talk", "club/+"])
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("club/talk", text: "while away"))
        try change(folder) { writer in
            var found = try #require(try writer.brokerConversation("club"))
            found.conversation.filters = [TopicFilter("club/#")]
            try writer.update(found.source, to: found.conversation)
        }
        let gateway = try TalkingGateway(folder: folder)
        try gateway.wait(for: ["while away"])
        try gateway.bridged.eventually("only the new one is left") { gateway.subscriptions() == ["club/#"] }
        usleep(300_000)
        #expect(gateway.texts() == ["while away"])
        try other.publish(OutgoingMessage("club/talk", text: "later"))
        try gateway.wait(for: ["while away", "later"])
        gateway.stop()
        try other.close()
    }

    /// The last one is removed while we are away: the broker keeps nothing for us either.
    @Test(arguments: [false, true])
    func theSessionGoesWithTheLastOne(isOld: Bool) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        defer { withExtendedLifetime(gate) {} }
        let folder = try stopped(at: gate?.port ?? mosquitto.port, ["club/#"])
        try change(folder) { writer in
            try writer.removeBrokerConversation(try #require(try writer.brokerConversation("club")).source)
        }
        let gateway = try TalkingGateway(folder: folder)
        gateway.conversations.changed()
        try gateway.bridged.eventually("forgotten") {
            (try? gateway.bridged.store.read { try $0.brokersWithSessions() }) == []
        }
        let name = try gateway.bridged.gateway.nameAtBrokers()
        gateway.stop()
        let same = try DirectConnection(to: mosquitto.port, isOld ? .mqtt311 : .mqtt5, clientID: "meshgw_\(name)-talk")
        {
            ($0.isClean, $0.sessionExpiry) = (false, 60)
        }
        #expect(try !same.waitUntilLive().isSessionPresent)
        try same.close()
    }

    /// What waits for a broker that never comes goes out when the conversation moves to one that is there.
    @Test func whatWaitsMovesAlong() throws {
        let (mosquitto, absent) = (try Mosquitto(), try Mosquitto())
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.configure(absent.port, named: "garden")
        try gateway.add("moving", ["moving"], topic: nil) { $0.broker = "garden" }
        let waiting = try gateway.send("first", in: "moving")
        try gateway.add()
        try gateway.waitUntilConnected()
        let sent = try gateway.send("second")
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: sent)?.state == .relayed }
        #expect(gateway.delivery(of: waiting)?.state == .queued)
        try gateway.edit("moving") { $0.broker = "house" }
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: waiting)?.state == .relayed }
        // Back, where nobody was while nothing wanted to go there.
        usleep(500_000)
        try absent.start()
        try gateway.edit("moving") { $0.broker = "garden" }
        let third = try gateway.send("third", in: "moving")
        try gateway.bridged.eventually("relayed: \(gateway.state(of: "moving"))") {
            gateway.delivery(of: third)?.state == .relayed
        }
        gateway.stop()
    }

    @Test func aBrokerThatRefusedUsIsTriedAgainAtAReload() throws {
        let mosquitto = try Mosquitto(anonymous: false)
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.bridged.eventually("refused: \(gateway.state())") { gateway.state().state == .refused }
        mosquitto.stop()
        let file = mosquitto.folder.appending(path: "conf")
        try String(contentsOf: file, encoding: .utf8)
            .replacing("allow_anonymous false", with: "allow_anonymous true")
            .write(to: file, atomically: true, encoding: .utf8)
        try mosquitto.start()
        gateway.conversations.changed()
        #expect(gateway.state().state == .refused, "only a reload tries it again")
        gateway.bridged.brokers.reload()
        try gateway.waitUntilConnected()
        gateway.stop()
    }

    /// The owner gives Home Assistant the topics of a conversation: what would go there has failed at once.
    @Test func aTextThatCouldPressAButtonHasFailed() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.waitUntilConnected()
        try gateway.bridged.configure(mosquitto.port, "home-assistant = all\nhome-assistant-prefix = club")
        let sent = try (1...25).map { try gateway.send("press \($0)") }
        for one in sent {
            try gateway.bridged.eventually("failed: \(gateway.delivery(of: one) as Any)") {
                gateway.delivery(of: one)?.state == .failed
            }
            #expect(gateway.delivery(of: one)?.cause == nil, "not of its age")
        }
        gateway.stop()
    }

    /// The last one is removed while its first connection is made: the session that it makes is ended, too.
    @Test func aSessionThatNobodyWantsAnyMoreIsEnded() throws {
        let (asked, isRemoved, cleanStarts) = (Monitor(false), Monitor(false), Monitor<[Bool]>([]))
        let broker = try FakeBroker { connection in
            let connect = FakeBroker.readPacket(connection)
            guard connect.firstRange(of: Array("-talk".utf8)) != nil else {
                return _ = writeAll([0x20, 3, 0, 0x87, 0] as [UInt8], to: connection)
            }
            // The flags stand behind "MQTT" and its version; bit 1 asks for a clean start.
            cleanStarts.notify { $0.append(connect[9] & 2 != 0) }
            asked.notify { $0 = true }
            _ = isRemoved.wait(seconds: 300) { $0 ? true : nil }
            _ = writeAll(FakeBroker.welcome, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        #expect(asked.wait(seconds: 300) { $0 ? true : nil } == true)
        try gateway.remove()
        isRemoved.notify { $0 = true }
        let all = cleanStarts.wait(seconds: 300) { $0.count >= 2 ? $0 : nil }
        #expect(all == [false, true])
        gateway.stop()
    }

    /// A broker that takes QoS 0 alone is sent QoS 0.
    @Test func noTextHasMoreQoSThanTheBrokerTakes() throws {
        let mosquitto = try Mosquitto { _ in ["max_qos 0"] }
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.waitUntilConnected()
        let sent = try gateway.send("heard all the same")
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: sent)?.state == .relayed }
        gateway.stop()
    }
}
