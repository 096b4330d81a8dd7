import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

@Test func messagesAreReadAndFollowed() throws {
    let here = try RadioHere()
    let folders = try Folders()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let (friend, other) = (here.radio.nodes[0].number, here.radio.nodes[1].number)
    try gateway.eventually("its key is known") {
        try gateway.client.get("/api/v1/nodes/\(friend.id)").data["hasPKC"] == true
    }
    try here.say("to all", to: gateway)
    here.radio.sendText(from: other, "to hikers", channel: 1)
    here.radio.sendText(from: friend, "to you", to: here.radio.number)
    try gateway.eventually("all are there") { try gateway.messages().count == 3 }
    let sent = try gateway.post(["text": "to you as well", "toNodeId": .string(friend.id)])
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")

    func texts(_ words: String...) throws -> [String?] {
        let program = try Program(["messages", "--json"] + words, in: folders)
        #expect(try program.exitCode() == 0, "\(program.errors.text)")
        return try JSON(text: program.output.text)["messages"].rows.map { $0["text"].string }
    }
    #expect(try texts() == ["to all", "to hikers", "to you", "to you as well"])
    #expect(try texts("--channel", "Hikers") == ["to hikers"])
    #expect(try texts("--with", friend.id) == ["to you", "to you as well"])
    #expect(try texts("--limit", "2") == ["to you", "to you as well"])
    #expect(try texts("--since", "1h").count == 4)
    let shown = try Program.run("messages", in: folders)
    #expect(shown.output.contains("me > ") && shown.output.contains(", confirmed, id "))

    let follower = try Program(["messages", "--json", "--follow", "--channel", "0"], in: folders)
    let known = try JSON(text: follower.output.line(containing: "to all"))
    #expect(known["schema"] == "message/1" && known["event"] == "known")
    here.radio.sendText(from: other, "also to all")
    let stored = try JSON(text: follower.output.line(containing: "also to all"))
    #expect(stored["event"] == "stored" && stored["message"]["from"]["nodeId"] == .string(other.id))
    here.radio.sendText(from: other, "not here", channel: 1)
    try gateway.eventually("it is there, but not here") {
        try gateway.messages().contains { $0["text"] == "not here" }
    }
    _ = try gateway.post(["text": "mine", "channel": 0])
    let delivery = try JSON(text: follower.output.line(containing: "\"state\":\"relayed\""))
    #expect(delivery["event"] == "delivery" && delivery["message"]["text"] == "mine")
    #expect(!follower.output.text.contains("not here"))
    follower.signal(SIGINT)
    #expect(try follower.exitCode() == 130)
    #expect(follower.errors.text.isEmpty)

    // From the database alone.
    try gateway.program.stop()
    #expect(try texts("--limit", "1") == ["mine"])
    let follow = try Program.run("messages", "--follow", "--device", "tcp:127.0.0.1:1", in: folders)
    #expect(follow.code == 69 && follow.errors.contains("no daemon is running"), "\(follow.errors)")
}
