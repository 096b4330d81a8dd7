import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The mesh talks on a channel that the radio does not have. Somebody gives the gateway its key: what was said before
/// is read from the packet log, and what is said from then on as it comes.
@Test func aChannelTheRadioLacksIsReadHere() throws {
    let here = try RadioHere {
        $0.firmware = .v2_7
        $0.hiddenChannel = .climbers
    }
    let port = try here.radio.listen()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(port)", in: Folders())
    let made = try Program.run("token", "create", "owner", "--scope", "admin", in: gateway.folders)
    gateway.client.token = made.output.trimmingCharacters(in: .newlines)
    try gateway.waitUntilLive()
    let climber = here.radio.nodes[0].number

    here.radio.sendHiddenText(from: climber, "before the key")
    // What comes behind it shows that it has been heard.
    try here.say("in the open", to: gateway)
    #expect(try gateway.messages().map { $0["text"] } == ["in the open"])

    let answer = try gateway.client.post(
        "/api/v1/channel-database",
        ["name": "Climbers", "psk": "cHFyc3R1dnd4eXp7fH1+fw==", "enforceNameValidation": true])
    #expect(answer.status == 201, "\(answer.text)")
    let id = try answer.data["id"]
    try gateway.eventually("the log is read") {
        try gateway.client.get("/api/v1/channel-database/\(id.integer ?? 0)").data["decryptedPacketCount"] == 1
    }
    here.radio.sendHiddenText(from: climber, "after the key")
    let messages = try gateway.eventually("all three are there") {
        let messages = try gateway.messages()
        return messages.count == 3 ? messages : nil
    }
    // Two of them can have come in the same millisecond: their order says nothing.
    let hidden = messages.filter { $0["decryptedBy"] == "server" }
    #expect(Set(hidden.compactMap { $0["text"].string }) == ["before the key", "after the key"])
    #expect(hidden.allSatisfy { $0["channel"] == .integer(100 + (id.integer ?? 0)) })
    let open = messages.filter { $0["decryptedBy"] == "node" }
    #expect(open.map { $0["text"] } == ["in the open"] && open.map { $0["channel"] } == [0])
    #expect(messages.allSatisfy { $0["fromNodeId"] == .string(climber.id) })
    // Nothing has gone out on its behalf, and the key is in no log.
    #expect(here.texts.isEmpty)
    #expect(!gateway.program.errors.text.contains("cHFyc3R1"))
    try gateway.program.stop()
}
