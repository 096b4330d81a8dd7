import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram

/// The radio refuses the first message, is given the key, and sends the second attempt.
@Test func aForgottenNodeIsGivenBackToTheRadio() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let hiker = here.radio.nodes[0]
    try gateway.eventually("the recipient is known") {
        try gateway.client.get("/api/v1/nodes/\(hiker.number.id)").data["hasPKC"] == true
    }
    here.radio.forget(hiker.number)
    let message: JSON = ["text": "You are not forgotten", "toNodeId": .string(hiker.number.id)]
    let sent = try gateway.post(message)
    let confirmed = try gateway.message(sent["messageId"], becoming: "confirmed")
    #expect(confirmed["delivery"]["attempts"] == 2)
    #expect(confirmed["requestId"] == sent["requestId"], "the id by which clients know it stays")
    let known = here.radio.nodes[0]
    #expect(!known.isForgotten && known.publicKey == hiker.publicKey && known.longName == hiker.longName)
    try gateway.eventually("its favourite flag is as before") { here.radio.nodes[0].isFavorite == hiker.isFavorite }

    // When the radio has told that it does not know the node, it gets it back before the message.
    here.radio.forget(hiker.number)
    here.radio.reboot()
    try gateway.eventually("the gateway has heard it") {
        gateway.program.errors.text.split(separator: "\n").count { $0.contains("radio link live") } == 2
    }
    let second = try gateway.post(message)
    let delivered = try gateway.message(second["messageId"], becoming: "confirmed")
    #expect(delivered["delivery"]["attempts"] == 1)
    try gateway.program.stop()
}

@Test func aMessageIsHeldUntilAPersonHasDecided() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: ["MESH_GATEWAY_KEY_CHANGE": "hold"])
    try gateway.authorize()
    try gateway.waitUntilLive()
    let hiker = here.radio.nodes[0].number
    try gateway.eventually("the recipient is known") {
        try gateway.client.get("/api/v1/nodes/\(hiker.id)").data["hasPKC"] == true
    }
    here.radio.changeKey(of: hiker)
    _ = try gateway.program.errors.line(containing: "key-changed")
    let sent = try gateway.post(["text": "whoever you are", "toNodeId": .string(hiker.id)])
    let held = try gateway.message(sent["messageId"])
    #expect(held["deliveryState"] == "pending")
    #expect(held["delivery"]["reason"].string?.contains("recipient's key") == true)
    // Others are not held.
    let other = try gateway.post(["text": "hello", "toNodeId": .string(here.radio.nodes[6].number.id)])
    _ = try gateway.message(other["messageId"], becoming: "confirmed")
    #expect(here.texts == ["hello"])
    #expect(try Program.run("keys", "accept", hiker.id, in: folders).code == 0)
    _ = try gateway.message(sent["messageId"], becoming: "confirmed")
    try gateway.program.stop()
}
