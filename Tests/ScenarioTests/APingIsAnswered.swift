import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// The shipped program beside a simulated radio, with rules that act.
@Suite struct APingIsAnswered {
    static func write(_ rules: [String: String], in folders: Folders) throws {
        let folder = folders.root + "/rules.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in rules {
            try text.write(toFile: "\(folder)/\(name).conf", atomically: true, encoding: .utf8)
        }
        try "name = Home\n".write(toFile: folders.root + "/mesh-gateway.conf", atomically: true, encoding: .utf8)
    }

    private static let rules = [
        "ack": "when = message\nmatches = ^ping\nreact = hops\nreply = heard you, {short}",
        "weather": "when = direct message\nphrase = weather {city}\nreply = {city}: sunny",
    ]

    @Test func withItsReferenceAndAsTheRules() throws {
        let folders = try Folders()
        try Self.write(Self.rules, in: folders)
        let here = try RadioHere { $0.nodes = 12 }
        let device = "tcp:127.0.0.1:\(try here.radio.listen())"
        var gateway = try ServedGateway(
            device: device, in: folders, environment: ["MESH_GATEWAY_CONFIG": folders.root + "/mesh-gateway.conf"])
        try gateway.authorize(scopes: ["admin"])
        try gateway.waitUntilLive()
        /// The last line of `rule list`, and those of `rule show` that begin with this.
        func list() throws -> String {
            try Program.run("rule", "list", in: folders).output.split(separator: "\n").last.map(String.init) ?? ""
        }
        func shown() throws -> String { try Program.run("rule", "show", "ack", in: folders).output }
        try gateway.eventually("nothing has left") { try list() == "Rules have not acted in the last day." }
        #expect(try shown().contains("acts   not in the last day\n       all rules have sent nothing in the last "))
        let node = here.radio.nodes[0]
        let ping = here.radio.sendText(from: node.number, "ping")
        func answer(_ isReaction: Bool) throws -> MeshPacket {
            try #require(
                here.radio.waitForPacket(timeout: Program.patience) { packet in
                    guard let data = packet.decoded, data.port == .textMessage else { return false }
                    return data.replyID == ping && (data.emoji != 0) == isReaction
                }, "\(gateway.program.errors.text)")
        }
        let reply = try answer(false)
        let short = try #require(node.user?.shortName)
        #expect(String(decoding: reply.decoded?.payload ?? [], as: UTF8.self) == "heard you, \(short)")
        #expect(reply.to == .broadcast && reply.channel == 0)
        _ = try answer(true)

        // What was captured, encrypted as the question came.
        let other = try #require(
            here.radio.nodes.dropFirst().first { $0.hopsAway == 0 && $0.user?.publicKey != nil && !$0.viaMQTT })
        let question = here.radio.sendText(from: other.number, "weather  New York", to: here.radio.number)
        let told = try #require(
            here.radio.waitForPacket(timeout: Program.patience) { $0.decoded?.replyID == question })
        #expect(told.to == other.number && told.pkiEncrypted)
        #expect(String(decoding: told.decoded?.payload ?? [], as: UTF8.self) == "New York: sunny")

        // The message names its rule, and the log its message, whose delivery it shows.
        let row = try gateway.eventually("the reply is a message") {
            try gateway.messages().first { $0["text"] == .string("heard you, \(short)") }
        }
        #expect(row["sender"] == "rule:ack" && row["replyId"].integer == Int(ping))
        let log = try gateway.eventually("the log has it") { () -> JSON? in
            let log = try gateway.client.get("/api/v1/rules/ack/log").json
            return log["firings"].rows.isEmpty ? nil : log
        }
        let line = log["firings"].rows[0]
        #expect(line["fate"] == "sent" && line["sentId"] == row["id"], "\(line)")
        #expect(line["delivery"].string != nil && line["airtime"].integer ?? 0 > 0)
        try gateway.eventually("both are counted") {
            try list().hasPrefix("Rules have acted twice in the last day. In the last hour they have sent for ")
        }
        #expect(try shown().contains("acts   once in the last day\n       all rules have sent for "))

        // A second one of the same node within a minute.
        try here.say("ping again", to: gateway)
        _ =
            try gateway.eventually("it is skipped") {
                let firings = try gateway.client.get("/api/v1/rules/ack/log").json["firings"].rows
                return firings.contains { $0["fate"] == "skipped" && $0["why"] == "cool-down" } ? true : nil
            } as Bool
        #expect(here.radio.received.count { $0.decoded?.replyID == ping } == 2)
        #expect(try list().hasPrefix("Rules have acted twice in the last day; 1 act was skipped. "))
        #expect(try shown().contains("acts   once in the last day, 1 skipped\n"))
        try gateway.program.stop()
    }
}
