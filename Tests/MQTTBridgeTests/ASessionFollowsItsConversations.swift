import Foundation
import MeshModel
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
