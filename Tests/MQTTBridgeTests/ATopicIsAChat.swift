import Foundation
import MeshModel
import Testing

@testable import MQTTBridge

private var machine: String {
    #if arch(arm64)
        "aarch64"
    #else
        "x86_64"
    #endif
}

/// With a real broker, and one without MQTT 5 before it.
@Suite(.serialized) struct ATopicIsAChat {
    enum Spoken: CaseIterable, Sendable { case mqtt5, mqtt311 }

    private func port(_ mosquitto: Mosquitto, _ version: Spoken) throws -> (Int, VersionGate?) {
        guard version == .mqtt311 else { return (mosquitto.port, nil) }
        let gate = try VersionGate(to: mosquitto.port)
        return (gate.port, gate)
    }

    @Test(arguments: Spoken.allCases)
    func whatIsSaidComesAndGoes(version: Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let (port, gate) = try port(mosquitto, version)
        defer { withExtendedLifetime(gate) {} }
        let gateway = try TalkingGateway()
        try gateway.configure(port)
        try gateway.add()
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.subscribe(Subscription("club/#"))
        try other.publish(OutgoingMessage("club/talk", text: "Servus"))
        try other.publish(OutgoingMessage("club/talk", text: #"{"text":"Hallo","from":"Ann","id":"a-1"}"#))
        // The same once more: it has an id.
        try other.publish(OutgoingMessage("club/other", text: #"{"text":"Hallo","from":"Ann","id":"a-1"}"#))
        try other.publish(OutgoingMessage("elsewhere", text: "not for us"))
        try other.publish(OutgoingMessage("club/talk", text: "Ende"))
        try gateway.wait(for: ["Servus", "Hallo", "Ende"])
        let sent = try gateway.send("Grüß euch")
        var heard = try other.message()
        while heard.text != "Grüß euch" { heard = try other.message() }
        #expect(heard.topic == "club/talk" && !heard.isRetained)
        if version == .mqtt5 { #expect(heard.properties.contains(UserProperty("from", "mesh-gateway"))) }
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: sent)?.state == .relayed }
        // It does not come back to us.
        try other.publish(OutgoingMessage("club/talk", text: "danach"))
        try gateway.wait(for: ["Servus", "Hallo", "Ende", "Grüß euch", "danach"])
        gateway.stop()
        try other.close()
    }

    /// What is said while we are away, what we say while the broker is away, and all of it once.
    @Test(arguments: Spoken.allCases)
    func nothingIsLostOrDoubledByARestart(version: Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let (port, gate) = try port(mosquitto, version)
        defer { withExtendedLifetime(gate) {} }
        let folder: String
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        do {
            let gateway = try TalkingGateway()
            folder = gateway.bridged.folder + "-kept"
            try gateway.configure(port)
            try gateway.add()
            try gateway.waitUntilConnected()
            try other.publish(OutgoingMessage("club/talk", text: "one"))
            try gateway.wait(for: ["one"])
            _ = try gateway.send("two")
            try gateway.bridged.eventually("it has gone") {
                (try? gateway.bridged.store.commit { try $0.waitingTexts(in: $0.brokerConversations()[0].source) }) == 0
            }
            gateway.stop()
            try FileManager.default.copyItem(atPath: gateway.bridged.folder, toPath: folder)
        }
        try other.publish(OutgoingMessage("club/talk", text: "while away"))
        do {
            let gateway = try TalkingGateway(folder: folder)
            try gateway.wait(for: ["one", "two", "while away"])
            // Now the broker goes.
            mosquitto.stop()
            try gateway.bridged.eventually("lost") { gateway.state().state == .connecting }
            let late = try gateway.send("to nobody yet")
            #expect(gateway.delivery(of: late)?.state == .queued)
            try mosquitto.start()
            try gateway.bridged.eventually("relayed") { gateway.delivery(of: late)?.state == .relayed }
            sleep(1)
            #expect(gateway.texts() == ["one", "two", "while away", "to nobody yet"])
            gateway.stop()
        }
    }

    @Test(arguments: Spoken.allCases)
    func itsTopicsAreEditedWhileItRuns(version: Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let (port, gate) = try port(mosquitto, version)
        defer { withExtendedLifetime(gate) {} }
        let gateway = try TalkingGateway()
        try gateway.configure(port)
        try gateway.add(topic: nil)
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("club/talk", text: "first"))
        try gateway.wait(for: ["first"])
        try gateway.edit { $0.filters = ["news", "sport/+"].map { TopicFilter($0) } }
        try gateway.bridged.eventually("only the new ones are left") {
            gateway.subscriptions() == ["news", "sport/+"]
        }
        try other.publish(OutgoingMessage("club/talk", text: "no more"))
        try other.publish(OutgoingMessage("sport/ski", text: "second"))
        try other.publish(OutgoingMessage("news", text: "third"))
        try gateway.wait(for: ["first", "second", "third"])
        // The last one takes the session with it.
        try gateway.remove()
        try gateway.bridged.eventually("forgotten") {
            (try? gateway.bridged.store.read { try $0.brokersWithSessions() }) == []
        }
        gateway.stop()
        try other.close()
    }

    @Test(arguments: Spoken.allCases)
    func whatSeveralFiltersBringIsTakenOnce(version: Spoken) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        // Stands there before, and is a state.
        var retained = OutgoingMessage("club/state", text: "retained")
        retained.isRetained = true
        try other.publish(retained)
        let (port, gate) = try port(mosquitto, version)
        defer { withExtendedLifetime(gate) {} }
        let gateway = try TalkingGateway()
        try gateway.configure(port)
        try gateway.add("club", ["club/#", "+/talk", "club/talk"])
        try gateway.add("all", ["+/+"], topic: nil)
        try gateway.waitUntilConnected()
        for text in ["a", "b", "b"] {
            try other.publish(OutgoingMessage("club/talk", text: text))
            // Copies follow each other within a second; people do not.
            usleep(1_200_000)
        }
        try gateway.wait("club", for: ["a", "b", "b"])
        try gateway.wait("all", for: ["a", "b", "b"])
        // An own text is one of the conversation alone in which it was written.
        _ = try gateway.send("mine", in: "club")
        try other.publish(OutgoingMessage("club/x", text: "end"))
        try gateway.wait("club", for: ["a", "b", "b", "mine", "end"])
        try gateway.wait("all", for: ["a", "b", "b", "end"])
        gateway.stop()
        try other.close()
    }

    /// Said again after its filter was changed, it is no copy.
    @Test func theSameByAnotherFilterIsSaidAgain() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add("club", ["club/talk"])
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("club/talk", text: "ok"))
        try gateway.wait(for: ["ok"])
        try gateway.edit { $0.filters = [TopicFilter("club/#")] }
        try gateway.bridged.eventually("only the new one is left") { gateway.subscriptions() == ["club/#"] }
        try other.publish(OutgoingMessage("club/talk", text: "ok"))
        try gateway.wait(for: ["ok", "ok"])
        gateway.stop()
        try other.close()
    }

    @Test func aFloodEndsWithTheConversationAlone() throws {
        let mosquitto = try Mosquitto { _ in ["max_queued_messages 0"] }
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.add("calm", ["calm"], topic: nil)
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        for number in 1...2_100 {
            var message = OutgoingMessage("club/talk", text: "\(number)")
            message.quality = .atMostOnce
            _ = other.connection.publish(message)
            if number % 100 == 0 { try other.publish(OutgoingMessage("nowhere", text: "")) }
        }
        try gateway.bridged.eventually("flooded: \(gateway.state())") { gateway.state().state == .flooded }
        try gateway.bridged.eventually("its filter is taken back") {
            gateway.subscriptions() == ["calm"]
        }
        // Ten more a minute may come after the first 2,000, so that a slow machine has some of them.
        #expect((2_000...2_020).contains(gateway.texts().count))
        #expect(gateway.conversations.problems(showsNames: true).map(\.kind) == [.conversationFlooded])
        try other.publish(OutgoingMessage("calm", text: "still here"))
        try gateway.wait("calm", for: ["still here"])
        gateway.stop()
        try other.close()
    }

    private let plugin = "/usr/lib/\(machine)-linux-gnu/mosquitto_dynamic_security.so"

    /// Everybody may read and write below open/.
    private let rights = """
        {"defaultACLAccess": {"publishClientSend": false, "publishClientReceive": true, "subscribe": false, "unsubscribe": true},
        "clients": [], "groups": [{"groupname": "all", "roles": [{"rolename": "open"}]}], "anonymousGroup": "all",
        "roles": [{"rolename": "open", "acls": [{"acltype": "subscribePattern", "topic": "open/#", "allow": true},
        {"acltype": "publishClientSend", "topic": "open/#", "allow": true}]}]}
        """

    @Test func aFilterThatTheBrokerRefusesIsNamed() throws {
        // A file of ACLs drops what may not be read, and refuses nothing; this plugin answers.
        let mosquitto = try Mosquitto { folder in
            ["plugin \(plugin)", "plugin_opt_config_file \(folder)/rights"]
        }
        try rights.write(to: mosquitto.folder.appending(path: "rights"), atomically: true, encoding: .utf8)
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add("club", ["open/club", "closed/club"], topic: nil)
        try gateway.bridged.eventually("refused: \(gateway.state())") { gateway.state().state == .refused }
        #expect(gateway.state().reason == "the broker does not let us read closed/club")
        #expect(gateway.conversations.problems(showsNames: true).map(\.kind) == [.conversationRefused])
        // Who may not see conversations reads neither the name nor the filter.
        let told = gateway.conversations.problems(showsNames: false).map(\.advice)
        #expect(
            told == ["A conversation over a broker is refused. To see more: mesh-gateway conversation list"])
        // Another one that has it is refused as well; and of two, the one that is left.
        try gateway.add("late", ["closed/club"], topic: nil)
        try gateway.bridged.eventually("refused: \(gateway.state(of: "late"))") {
            gateway.state(of: "late").state == .refused
        }
        try gateway.edit("late") { $0.filters = ["closed/a", "closed/b"].map { TopicFilter($0) } }
        try gateway.bridged.eventually("refused: \(gateway.state(of: "late"))") {
            gateway.state(of: "late").reason == "the broker does not let us read closed/a"
        }
        try gateway.edit("late") { $0.filters = [TopicFilter("closed/b")] }
        try gateway.bridged.eventually("refused: \(gateway.state(of: "late"))") {
            gateway.state(of: "late").reason == "the broker does not let us read closed/b"
        }
        try gateway.remove("late")
        // The others live.
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("open/club", text: "heard"))
        try gateway.wait(for: ["heard"])
        // What may not be published is said to have failed.
        try gateway.edit { $0.givenTopic = "closed/club" }
        let sent = try gateway.send("not allowed")
        try gateway.bridged.eventually("failed") { gateway.delivery(of: sent)?.state == .failed }
        #expect(gateway.delivery(of: sent)?.error?.rawValue == 33)
        // A filter that is refused takes nothing away from another one that names the same topic.
        try gateway.edit { $0.filters = ["#", "open/+", "open/club"].map { TopicFilter($0) } }
        try gateway.bridged.eventually("refused: \(gateway.state())") {
            gateway.state().reason == "the broker does not let us read #"
        }
        try other.publish(OutgoingMessage("open/club", text: "heard again"))
        try other.publish(OutgoingMessage("open/club", text: "heard again"))
        try gateway.wait(for: ["heard", "not allowed", "heard again", "heard again"])
        // It is not refused for long after it was taken out.
        try gateway.edit { $0.filters = [TopicFilter("open/club")] }
        try gateway.bridged.eventually("connected: \(gateway.state())") { gateway.state().state == .connected }
        try gateway.bridged.eventually("nothing is wrong") { gateway.conversations.problems(showsNames: true).isEmpty }
        gateway.stop()
        try other.close()
    }
}
