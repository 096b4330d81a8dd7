import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

@Test func repliesTapbacksAndLongTextsGoOut() throws {
    let here = try RadioHere()
    let radio = here.radio
    let hiker = radio.nodes[0].number
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(radio.listen(port: 0))", in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()

    let question = radio.sendText(from: hiker, "Is anybody at the hut?")
    try gateway.eventually("the question is there") {
        try gateway.messages().contains { $0["text"] == "Is anybody at the hut?" }
    }

    let reply = try gateway.post(["text": "Yes, come in", "channel": 0, "replyId": .integer(Int(question))])
    let sentReply = try #require(
        radio.waitForPacket(timeout: Program.patience) { Int($0.id) == reply["requestId"].integer })
    #expect(sentReply.decoded?.replyID == question)
    #expect(sentReply.decoded?.emoji == 0)

    // One emoji with a replyId is a tapback, whether it says so or not.
    let tapback = try gateway.post(["text": "👍", "channel": 0, "replyId": .integer(Int(question))])
    let sentTapback = try #require(
        radio.waitForPacket(timeout: Program.patience) { Int($0.id) == tapback["requestId"].integer })
    #expect(sentTapback.decoded?.replyID == question)
    #expect(sentTapback.decoded?.emoji == 1)
    #expect(try gateway.message(tapback["messageId"])["emoji"] == 1)
    #expect(try gateway.message(reply["messageId"])["emoji"] == .null)

    // A text that does not fit goes out in parts that together are the text.
    let words = (1...60).map { "word\($0)" }.joined(separator: " ")
    let parts = try gateway.post(["text": .string(words), "channel": 0], expecting: 202)
    let ids = parts["messageIds"].rows
    #expect(ids.count > 1)
    #expect(parts["queueIds"].rows.count == ids.count)
    for id in ids { _ = try gateway.message(id, becoming: "delivered") }
    let onTheAir = radio.received.compactMap(\.decoded)
        .filter { $0.port == .textMessage && $0.payload.starts(with: "word".utf8) }
    #expect(onTheAir.count == ids.count)
    #expect(onTheAir.allSatisfy { $0.payload.count <= 200 })
    #expect(onTheAir.map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: " ") == words)
    try gateway.program.stop()
}
