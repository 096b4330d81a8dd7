import Foundation
import MeshModel
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct AMessageTellsItsWay {
    private func details(_ test: TestGateway, _ id: String, as token: APIToken? = nil) throws -> NSDictionary {
        try test.ask("GET", "/api/v1/messages/\(id)/details", as: token ?? test.token).data
    }

    @Test func ofOneThatCameIn() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { ($0.longName, $0.channel) = ("Ridge", 0) }
        try test.insert("hello", packetID: 7, at: TestGateway.now) { message in
            (message.hopStart, message.hopLimit, message.relayNode) = (5, 3, 0x42)
            (message.rxSNR, message.rxRSSI) = (5.25, -97)
        }
        for (packet, channel, from) in [(11, 0, TestGateway.peer), (12, 1, TestGateway.peer), (13, 0, TestGateway.own)]
            as [(PacketID, Int, NodeNumber)]
        {
            try test.insert(packet == 13 ? "🎉" : "👍", packetID: packet, at: TestGateway.now + Int64(packet)) {
                ($0.channel, $0.from, $0.replyID, $0.isTapback) = (channel, from, 7, true)
                $0.isOwn = from == TestGateway.own
            }
        }
        // A reply is no reaction.
        try test.insert("yes", packetID: 14, at: TestGateway.now + 14) { $0.replyID = 7 }
        let hill = FilledGateway.hill
        try test.store.commit { writer in
            let other = try writer.insert(Source(uuid: hill, name: "Hill", isEnabled: true, createdAt: .max))
            _ = try writer.insertMessage(
                Message(
                    id: "", from: TestGateway.peer, to: .broadcast, text: "hello", channel: 3, packetID: 7,
                    timestamp: TestGateway.now + 2, createdAt: 1, updatedAt: 1), in: other)
        }
        let found = try details(test, "7")
        #expect(found["message"] as? NSDictionary == (try test.get("/api/v1/messages/7").data))
        #expect(found["conversation"] as? String == "channel:0")
        #expect((found["attempts"] as? [Any])?.isEmpty == true)
        #expect((found["receipts"] as? [Any])?.isEmpty == true)
        let hops = try #require(found["hops"] as? NSDictionary)
        #expect(
            [hops["start"], hops["limit"], hops["taken"], hops["relayNode"]].map { $0 as? Int } == [5, 3, 2, 0x42])
        #expect(hops["rxSnr"] as? Double == 5.25)
        let receptions = try #require(found["receptions"] as? [NSDictionary])
        #expect(receptions.map { $0["sourceName"] as? String } == ["Default", "Hill"])
        let reactions = try #require(found["reactions"] as? [NSDictionary])
        // That of another channel is no reaction to it.
        #expect(reactions.map { $0["emoji"] as? String } == ["👍", "🎉"])
        #expect(reactions.map { $0["name"] as? String } == ["Ridge", nil])
        #expect(reactions.map { $0["isOwn"] as? Bool } == [false, true])

        // Who reads only that channel here does not learn of the other radio's, nor names of nodes.
        let token = try test.token(["messages:read", "channel_0:read"])
        let narrow = try details(test, "7", as: token)
        #expect((narrow["receptions"] as? [NSDictionary])?.map { $0["sourceName"] as? String } == ["Default"])
        #expect((narrow["reactions"] as? [NSDictionary])?.map { $0["name"] as? String } == [nil, nil])
        let stranger = try test.token(["messages:read", "channel_1:read"])
        #expect(try test.ask("GET", "/api/v1/messages/7/details", as: stranger).status == 404)
        #expect(try test.get("/api/v1/messages/99/details").status == 404)
    }

    @Test func ofOneThatWasSentAgain() throws {
        let test = try TestGateway()
        let id = test.id
        let message = try test.insert("out", packetID: 7, at: TestGateway.now) { message in
            (message.from, message.to, message.channel) = (TestGateway.own, TestGateway.peer, -1)
            (message.isOwn, message.delivery) = (true, Delivery())
        }
        try test.insert("👍", packetID: 20, at: TestGateway.now + 9) {
            ($0.channel, $0.to, $0.replyID, $0.isTapback) = (-1, TestGateway.own, 8, true)
        }
        try test.store.commit { writer in
            let stored = try writer.message(packetID: 7, from: message.from, in: id)
            try writer.insertAttempt(8, of: stored ?? message, in: id, at: TestGateway.now + 5)
            _ = try writer.updateMessage(packetID: 8, in: id, at: TestGateway.now + 8) { message in
                message.delivery = Delivery(state: .confirmed, error: nil, ackFrom: TestGateway.peer)
                message.delivery?.ackedAt = TestGateway.now + 8
                message.delivery?.ackProof = .valid
            }
        }
        let found = try details(test, "8")
        #expect(found["conversation"] as? String == "direct:!abcdef12")
        let attempts = try #require(found["attempts"] as? [NSDictionary])
        #expect(attempts.map { $0["packetId"] as? Int } == [7, 8])
        #expect(attempts.map { $0["timestamp"] as? Int64 } == [TestGateway.now, TestGateway.now + 5])
        let receipts = try #require(found["receipts"] as? [NSDictionary])
        #expect(receipts.map { $0["type"] as? String } == ["confirmed"])
        #expect(receipts.map { $0["nodeId"] as? String } == ["!abcdef12"])
        #expect(receipts.map { $0["timestamp"] as? Int64 } == [TestGateway.now + 8])
        #expect(receipts.map { $0["proof"] as? String } == ["valid"])
        let delivery = (found["message"] as? NSDictionary)?["delivery"] as? NSDictionary
        #expect(delivery?["ackProof"] as? String == "valid")
        #expect(delivery?["reason"] as? String == "the recipient acknowledged it, and its key proves that")
        // A reaction to any of its packets.
        #expect((found["reactions"] as? [NSDictionary])?.map { $0["emoji"] as? String } == ["👍"])
    }
}
