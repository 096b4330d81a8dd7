import RadioSimulator
import Testing

@testable import ServedProgram

@Test func aPluggedInRadioGoesAndComesBack() throws {
    let here = try RadioHere()
    let folders = try Folders()
    let port = try FakePort(here.radio, in: folders)
    let environment = try port.environment
    try port.plug(as: "ttyACM0")

    let ports = try Program.run("ports", in: folders, environment: environment)
    #expect(ports.code == 0)
    #expect(ports.output.contains("/dev/ttyACM0  radio  303a:1001"))
    #expect(ports.output.contains(port.stablePath))

    var gateway = try ServedGateway(device: "auto", in: folders, environment: environment)
    #expect(gateway.program.output.text.contains("radio     /dev/ttyACM0 (ESP32"))
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("before", to: gateway)
    let status = try Program.run("status", in: folders)
    #expect(status.code == 0)
    #expect(status.output.contains("radio     live"))
    let busy = try Program.run("ports", in: folders, environment: environment)
    #expect(busy.output.contains("mesh-gateway (process \(gateway.program.process))"))

    try port.unplug()
    try gateway.eventually("the gap is noticed") { try !gateway.isConnected() }
    let refused = try gateway.client.post("/api/v1/messages", ["text": "into the void", "channel": 0])
    #expect(refused.status == 503)
    let alone = try Program.run("status", in: folders)
    #expect(alone.code == 69)

    // The kernel gives another name when the old one is still held somewhere.
    try port.plug(as: "ttyACM1")
    try gateway.eventually("it comes back by itself") {
        try gateway.client.get("/api/v1/status").data["link"]["state"] == "live"
    }
    #expect(try gateway.messages().map { $0["text"] } == ["before"])
    let sent = try gateway.post(["text": "after", "channel": 0])
    _ = try gateway.message(sent["messageId"], becoming: "delivered")
    #expect(here.texts == ["after"])
    #expect(try gateway.client.get("/api/v1/sources").data.rows.count == 1)
    try gateway.program.stop()
}
