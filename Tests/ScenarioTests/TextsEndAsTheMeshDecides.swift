import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The simulated radio of the program is the same as one made here: the same seed gives the same mesh.
private func cast(_ index: Int) throws -> SimulatedNode { try SimulatedRadio().nodes[index] }

@Test func aTextToAChannelIsDelivered() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()
    let sent = try gateway.post(["text": "Grüße vom Gipfel ⛰️", "channel": 1])
    #expect(sent["deliveryState"] == "pending")
    #expect(sent["toNodeId"] == "broadcast")
    // The row is there before anybody heard of it.
    let row = try gateway.message(sent["messageId"])
    #expect(row["text"] == "Grüße vom Gipfel ⛰️")
    #expect(row["channel"] == 1)
    #expect(row["requestId"] == sent["requestId"])

    let delivered = try gateway.message(sent["messageId"], becoming: "delivered")
    #expect(delivered["ackFailed"] == .null)
    #expect(delivered["timestamp"] == row["timestamp"])
    try gateway.program.stop()
}

@Test func aDirectMessageIsConfirmedByItsRecipient() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()
    let hiker = try cast(0).number
    try gateway.eventually("the recipient is known") {
        try gateway.client.get("/api/v1/nodes/\(hiker.id)").data["hasPKC"] == true
    }
    let sent = try gateway.post(["text": "Are you there?", "toNodeId": .string(hiker.id)])
    #expect(sent["channel"] == -1)
    let confirmed = try gateway.message(sent["messageId"], becoming: "confirmed")
    #expect(confirmed["ackFromNode"] == .integer(Int(hiker.rawValue)))
    #expect(confirmed["delivery"]["pkiEncrypted"] == true)
    #expect(confirmed["ackFailed"] == .null)
    try gateway.program.stop()
}

@Test func aDirectMessageToANodeWithoutAKeyFails() throws {
    var gateway = try ServedGateway(device: "simulated", in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()
    let oldDevice = try cast(4).number
    let sent = try gateway.post(["text": "Are you there?", "toNodeId": .string(oldDevice.id)])
    let failed = try gateway.message(sent["messageId"], becoming: "failed")
    #expect(failed["routingErrorCode"] == 39)  // PKI_SEND_FAIL_PUBLIC_KEY
    // The number, not true: Emacs compares with `equal 1`.
    #expect(failed["ackFailed"] == 1)
    #expect(failed["ackFromNode"] == .null)
    try gateway.program.stop()
}
