import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A daemon with a rule that answers a direct `ping` after a while, beside a radio of the test.
final class ActingDaemon {
    let here: RadioHere
    private(set) var gateway: ServedGateway
    private let folders: Folders
    private let environment: [String: String]
    private var strangers: UInt32 = 0

    init(in folders: Folders, environment: [String: String] = [:]) throws {
        (self.folders, here) = (folders, try RadioHere())
        // What is tried more than once is no more than rules may send.
        try APingIsAnswered.write(
            ["answer": "when = direct message\nphrase = ping\nreply = heard {id}\ndelay = 3s"], in: folders)
        let conf = folders.root + "/mesh-gateway.conf"
        try "rules-airtime = 100\nlog-level = debug\n".write(toFile: conf, atomically: true, encoding: .utf8)
        self.environment = environment.merging(["MESH_GATEWAY_CONFIG": conf]) { $1 }
        gateway = try ServedGateway(
            device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: self.environment)
        let made = try Program(
            ["token", "create", "phone", "--scope", "admin"], in: folders, environment: self.environment)
        try #require(made.exitCode() == 0, "\(made.errors.text)")
        gateway.client.token = made.output.text.trimmingCharacters(in: .newlines)
        try gateway.waitUntilLive()
        try gateway.eventually("the rule is at work") {
            try self.gateway.client.get("/api/v1/rules").json["rules"].rows.first?["since"] != .null
        }
    }

    /// A stranger asks, and the gateway has heard it.
    func ping() throws -> PacketID {
        strangers += 1
        let stranger = NodeNumber(0x0BAD_0000 + strangers)
        let ping = here.radio.sendText(from: stranger, "ping", to: here.radio.number)
        try gateway.eventually("the ping is there") {
            try gateway.messages().contains { $0["fromNodeId"] == .string(stranger.id) && $0["text"] == "ping" }
        }
        return ping
    }

    func isAnswered(_ ping: PacketID) -> Bool { answers(to: ping) > 0 }

    /// Until the radio has accepted it, a packet may come again under its id.
    func answers(to ping: PacketID) -> Int {
        Set(here.radio.received.filter { $0.decoded?.replyID == ping }.map(\.id)).count
    }

    /// Acts of the rule that came to nothing since the start.
    func skipped() throws -> Int {
        let lines = try gateway.client.get("/api/v1/metrics").text.split(separator: "\n")
        let line = lines.first { $0.hasPrefix("mesh_gateway_rule_acts_skipped_total{rule=\"answer\"}") }
        return line.flatMap { $0.split(separator: " ").last.flatMap { Int($0) } } ?? 0
    }

    /// The lines of the rule's log, the newest first.
    func log() throws -> [JSON] { try gateway.client.get("/api/v1/rules/answer/log").json["firings"].rows }

    func stop() throws { try gateway.program.stop() }
}
