import MeshModel
import Routes
import Testing

@testable import RestAPI

/// `queue`, `expiresIn`, and what can be done with a text that waits. The radio has been here once, and is away.
@Suite struct ATextMayWaitForTheRadio {
    private func gateway(_ policy: ClientPolicy = ClientPolicy()) throws -> TestGateway {
        let test = try TestGateway(policy: policy)
        let id = test.id
        try test.store.commit { writer in try writer.update(id) { $0.nodeNumber = TestGateway.own } }
        return test
    }

    private static let messages = "/api/v1/messages"

    @Test func onlyWhenItIsAsked() throws {
        let test = try gateway()
        let text = #""text":"later","toNodeId":"!abcdef12""#
        #expect(try test.post(Self.messages, "{\(text)}").status == 503)
        #expect(try test.post(Self.messages, #"{\#(text),"queue":false}"#).status == 503)
        let answer = try test.post(Self.messages, #"{\#(text),"queue":true}"#)
        #expect(answer.status == 201)
        #expect(answer.tree["data"]?["deliveryState"] == .text("pending"))
        let rows = try test.get(Self.messages).tree["data"]?.elements ?? []
        #expect(rows.map { $0["deliveryState"] } == [.text("pending")])
        #expect(rows.map { $0["id"] } == [answer.tree["data"]?["messageId"]])
    }

    @Test func orWhenTheOwnerSaysSo() throws {
        var policy = ClientPolicy()
        policy.queueing = Queueing(isOn: true)
        let test = try gateway(policy)
        #expect(try test.post(Self.messages, #"{"text":"later","channel":0}"#).status == 201)
        #expect(try test.post(Self.messages, #"{"text":"now","channel":0,"queue":false}"#).status == 503)
    }

    /// Nobody knows under which number it would go out.
    @Test func notBeforeThereWasARadio() throws {
        let answer = try TestGateway().post(Self.messages, #"{"text":"a","channel":0,"queue":true}"#)
        #expect(answer.status == 503)
    }

    @Test(arguments: [
        (#""channel":0,"queue":"heard""#, "\"queue\": \"heard\" needs toNodeId"),
        (#""channel":0,"queue":1"#, "queue must be true, false or \"heard\""),
        (#""channel":0,"expiresIn":0"#, "expiresIn must be a number of seconds between 1 and 2592000"),
        (#""channel":0,"expiresIn":"1h""#, "expiresIn must be a number of seconds between 1 and 2592000"),
        // What the contract checks comes first.
        (#""channel":9,"queue":1"#, "Channel must be a number between 0 and 7"),
    ])
    func nonsenseIsRefused(_ keys: String, _ message: String) throws {
        let answer = try gateway().post(Self.messages, "{\"text\":\"a\",\(keys)}")
        #expect(answer.status == 400)
        #expect(answer.message == message)
    }

    @Test func itIsTakenBackAndSentAgain() throws {
        let test = try gateway()
        let posted = try test.post(Self.messages, #"{"text":"later","toNodeId":"!abcdef12","queue":"heard"}"#)
        let id = try #require(posted.tree["data"]?["messageId"]?.text)
        let path = "\(Self.messages)/\(id)"
        func delivery(_ answer: Answer) -> JSONTree? { answer.tree["data"]?["delivery"] }
        #expect(delivery(try test.get(path))?["state"] == .text("queued"))

        #expect(try test.post("\(path)/resend", "{}").tree["code"] == .text("MESSAGE_UNDER_WAY"))
        let cancelled = try test.post("\(path)/cancel", "")
        #expect(cancelled.status == 200)
        #expect(cancelled.tree["data"]?["deliveryState"] == .text("failed"))
        #expect(cancelled.tree["data"]?["ackFailed"] == .number(1))
        #expect(delivery(cancelled)?["state"] == .text("cancelled"))
        #expect(delivery(cancelled)?["reason"] == .text("cancelled before it was sent"))
        #expect(try test.post("\(path)/cancel", "").tree["code"] == .text("MESSAGE_SENT"))

        #expect(try test.post("\(path)/resend", "{}").status == 503)
        let again = try test.post("\(path)/resend", #"{"queue":true}"#)
        #expect(again.status == 200)
        #expect(again.tree["data"]?["id"]?.text == id)
        #expect(again.tree["data"]?["deliveryState"] == .text("pending"))
        #expect(delivery(again)?["attempts"] == .number(2))
        let ids = delivery(again)?["packetIds"]?.elements ?? []
        #expect(ids.count == 2)
        #expect(ids.first == again.tree["data"]?["requestId"])
        // By any of them.
        for number in ids.compactMap(\.number) {
            #expect(try test.get("\(Self.messages)/\(UInt32(number))").tree["data"]?["id"]?.text == id)
        }
        #expect(try test.get(Self.messages).rows.count == 1)
    }

    @Test func onlyWithTheRightToWriteThere() throws {
        let test = try gateway()
        let posted = try test.post(Self.messages, #"{"text":"later","channel":1,"queue":true}"#)
        let id = try #require(posted.tree["data"]?["messageId"]?.text)
        let other = try test.token(["messages:read", "channel_1:read", "channel_0:write", "messages:write"])
        for action in ["resend", "cancel"] {
            let answer = try test.ask("POST", "\(Self.messages)/\(id)/\(action)", as: other, "{}")
            #expect(answer.status == 403)
            #expect(answer.tree["required"]?["resource"] == .text("channel_1"))
        }
        #expect(try test.post("\(Self.messages)/7/cancel", "").status == 404)
        try test.insert("theirs", packetID: 7, at: TestGateway.now)
        #expect(try test.post("\(Self.messages)/7/cancel", "").status == 400)
    }
}

extension Answer {
    fileprivate var tree: JSONTree { (try? JSONTree(body)) ?? .null }
}
