import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import MQTTBridge

/// The bridge on the thread of its conversation, with a real broker.
@Suite(.serialized) struct ABridgeTalksToABroker {
    @Test func fromTheChannelToTheBrokerAndBack() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        let (store, radio) = (gateway.bridged.store, gateway.bridged.source)
        try store.commit { writer in
            let channel = Channel(index: 1, role: .secondary, name: "Hikers", psk: [2], uplinkEnabled: true)
            try writer.updateChannels([channel], in: radio, at: 1)
            try writer.updateNode(NodeNumber(0xA1B2_C3D4), in: radio, at: 1) { $0.longName = "Anna" }
        }
        let club = try gateway.add { $0.isJSON = true }
        try gateway.waitUntilConnected()
        let uuid = try #require(try store.read { try $0.source(radio)?.uuid })
        _ = try store.commit {
            try $0.setBridge((ConversationBridge(channel: 1, of: uuid), radio: radio), of: club)
        }
        gateway.conversations.changed()
        try gateway.bridged.eventually("the bridge reads the change log") {
            (try? store.readCommitted { try $0.cursor("bridges house") }) != nil
        }
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.subscribe(Subscription("club/#"))
        // Up.
        let now = WallClock.milliseconds()
        try store.commit(as: .live) { writer in
            try writer.insertMessage(
                Message(
                    id: "", from: NodeNumber(0xA1B2_C3D4), to: .broadcast, text: "Servus", channel: 1, packetID: 7,
                    timestamp: now, createdAt: now, updatedAt: now), in: radio)
        }
        let heard = try other.message()
        #expect(heard.text == #"{"id":"!a1b2c3d4-00000007","from":"Anna","text":"Servus"}"#)
        try gateway.wait(for: ["Servus"])
        // Down: there is no radio. What does not say when it was written lay at the broker, as far as is known.
        try other.publish(OutgoingMessage("club/talk", text: #"{"text":"of when?","from":"Bert","id":"b-1"}"#))
        let written = WallClock.milliseconds()
        try other.publish(
            OutgoingMessage("club/talk", text: #"{"text":"Hallo","from":"Bert","id":"b-2","at":\#(written)}"#))
        try gateway.wait(for: ["Servus", "of when?", "Hallo"])
        func report() throws -> ConversationBridge.Report {
            let found = try #require(try store.read { try $0.brokerConversation("club") })
            return gateway.conversations.bridge(of: found.conversation)
        }
        try gateway.bridged.eventually("one was tried") { (try? report().dropped) == 1 }
        #expect(try report().lastReason == "the radio was away")
        #expect(try report().warnings.count == 1, "the channel has uplinkEnabled")
        // The channel is another one.
        try store.commit { writer in
            try writer.updateChannels(
                [Channel(index: 1, role: .secondary, name: "Climbers", psk: [2])], in: radio, at: 2)
        }
        try gateway.bridged.eventually("stopped") {
            gateway.conversations.problems(showsNames: true).map(\.kind) == [.bridgeStopped]
        }
        let problem = try #require(gateway.conversations.problems(showsNames: true).first)
        #expect(problem.command == "mesh-gateway conversation edit club --bridge 1@\(uuid)")
        #expect(problem.advice.contains("channel 1 has another name or another key"))
        #expect(!gateway.conversations.problems(showsNames: false)[0].advice.contains("club"))
        gateway.stop()
        try other.close()
    }
}
