import RadioSimulator
import Testing

@testable import ServedProgram

@Test func aNetworkedRadioGoesAndComesBack() throws {
    let here = try RadioHere()
    let radio = here.radio
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(radio.listen())", in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("before", to: gateway)
    let sent = try gateway.post(["text": "sent before", "channel": 0])
    _ = try gateway.message(sent["messageId"], becoming: "delivered")
    let before = try gateway.messages()

    radio.unplug()
    try gateway.eventually("the gap is noticed") { try !gateway.isConnected() }
    #expect(try gateway.client.get("/api/status").json["connection"]["connected"] == false)
    let refused = try gateway.client.post("/api/v1/messages", ["text": "into the void", "channel": 0])
    #expect(refused.status == 503)
    #expect(try refused.json["message"] == "Not connected to Meshtastic node")
    // What is known stays readable, and whose it is.
    #expect(try gateway.messages() == before)
    #expect(try gateway.client.get("/api/v1/nodes").data.rows.count == 25)
    #expect(try gateway.client.get("/api/v1/status").data["localNodeNum"] == .integer(Int(radio.number.rawValue)))
    let status = try Program.run("status", in: gateway.folders)
    #expect(status.code == 69)

    try radio.replug()
    try gateway.eventually("it comes back by itself") {
        try gateway.client.get("/api/v1/status").data["link"]["state"] == "live"
    }
    #expect(try gateway.messages() == before)
    try here.say("after", to: gateway)
    let after = try gateway.post(["text": "sent after", "channel": 0])
    _ = try gateway.message(after["messageId"], becoming: "delivered")

    #expect(try gateway.messages().map { $0["text"] } == ["sent after", "after", "sent before", "before"])
    #expect(here.texts == ["sent before", "sent after"])
    #expect(try gateway.client.get("/api/v1/sources").data.rows.count == 1)
    try gateway.program.stop()
}
