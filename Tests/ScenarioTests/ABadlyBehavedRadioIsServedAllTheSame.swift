import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

@Test(arguments: [[], ["--misbehave", "truncated-frames"], ["--misbehave", "wrong-nonce", "--firmware", "2.7"]])
func aSimulatedRadioServesADaemonOverTCP(faults: [String]) throws {
    let simulator = try Program(["simulate", "--tcp", "0", "--seed", "3"] + faults, in: Folders())
    let line = try simulator.output.line(containing: "mesh-gateway serve --device tcp:127.0.0.1:")
    let device = try #require(line.split(separator: " ").last)
    try expectEverything(device: String(device))
    try simulator.stop()
}

@Test(arguments: [
    [], ["--misbehave", "debug-text-inside-frames"], ["--misbehave", "debug-text-between-frames", "--firmware", "2.7"],
])
func aSimulatedRadioServesADaemonOverAPty(faults: [String]) throws {
    let folders = try Folders()
    let link = "\(folders.root)/radio"
    let simulator = try Program(["simulate", "--pty", link, "--seed", "3"] + faults, in: folders)
    _ = try simulator.output.line(containing: "mesh-gateway serve --device \(link)")
    try expectEverything(device: link)
    try simulator.stop()
    #expect(!FileManager.default.fileExists(atPath: link))
}

/// A daemon on this radio gets live, lists everybody, and can send.
private func expectEverything(device: String) throws {
    var gateway = try ServedGateway(device: device, in: Folders())
    try gateway.authorize()
    try gateway.waitUntilLive()
    try gateway.eventually("all nodes are there") { try gateway.client.get("/api/v1/nodes").data.rows.count == 25 }
    #expect(
        try gateway.client.get("/api/v1/channels").data.rows.prefix(3).map { $0["name"] } == [
            "LongFast", "Hikers", "Rescue",
        ])
    let sent = try gateway.post(["text": "hello", "channel": 0])
    _ = try gateway.message(sent["messageId"], becoming: "delivered")
    try gateway.program.stop()
}
