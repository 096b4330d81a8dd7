import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Rules are files: the command line writes them, a broken one is named wherever problems are, and stays alone.
@Test func rulesAreKeptFromTheCommandLine() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, exitCode: Int32 = 0) throws -> (output: String, errors: String) {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(line): \(command.errors.text)")
        return (command.output.text, command.errors.text)
    }

    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["read", "messages:write"])
    try gateway.waitUntilLive()
    #expect(try type("rule list").output.contains("sudo mesh-gateway rule add direct-message"))
    let written = try type("rule add direct-message").errors
    #expect(written == "Written: \(folders.root)/rules.d/direct-message.conf.\n")
    #expect(try type("rule add nothing", exitCode: 64).errors.contains("direct-message, silent, battery"))
    #expect(try type("rule add direct-message", exitCode: 73).errors.contains("--name"))
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folders.root)/rules.d/direct-message.conf")
    #expect(mode[.posixPermissions] as? Int == 0o644)
    #expect(try type("rule list").output.contains("in force"))

    // What it notices is in the feed and in its log.
    try gateway.eventually("the rule is at work") {
        try gateway.client.get("/api/v1/rules").json["rules"].rows.first?["since"] != .null
    }
    here.radio.sendText(from: here.radio.nodes[0].number, "psst", to: here.radio.number)
    try gateway.eventually("it is told") {
        try gateway.client.get("/api/v1/notifications").json["notifications"].rows.count == 1
    }
    let told = try gateway.client.get("/api/v1/notifications").json["notifications"].rows[0]
    #expect(told["notification_type"] == "direct-message" && told["body"] == "psst")
    #expect(try type("rule log direct-message").output.contains("Direct message from"))
    #expect(try type("rule log direct-message --near").output.contains("Nothing has come near"))

    // Why it was not told, what it would have told, and what it would tell of an event by hand.
    let sos = "\(folders.root)/rules.d/sos.conf"
    try "when = direct message\nwords = sos\n".write(toFile: sos, atomically: true, encoding: .utf8)
    let tested = try type("rule test sos").output
    #expect(tested.hasPrefix("It would not have fired since ") && tested.contains("none of its words"))
    #expect(try type("rule test direct-message").output.hasPrefix("Once since "))
    let event = try folders.file(
        "event", #"{"kind": "message", "fromNodeId": "!a1b2c3d4", "channel": -1, "text": "sos!"}"#)
    let tried = try type("rule test sos --event \(event)").output
    #expect(tried.hasPrefix("It would fire, as a rule that has told nothing so far."))
    #expect(tried.contains("Direct message"))
    let bad = try folders.file("bad", #"{"kind": "mesage"}"#)
    #expect(
        try type("rule test sos --event \(bad)", exitCode: 65).errors.contains("did you mean \"message\"?"))
    // The longest one gets to the daemon, whatever its letters.
    for (count, why) in [(3_900, "no text"), (32_768, "longer than 8000 bytes")] {
        let long = try folders.file("long", #"{"kind": 7, "text": ""# + String(repeating: "ж", count: count) + #""}"#)
        #expect(try type("rule test sos --event \(long)", exitCode: 65).errors.contains(why))
    }
    #expect(try type("rule test sos --event \(folders.root)/none", exitCode: 66).errors.contains("cannot be read"))
    #expect(try type("rule test none", exitCode: 66).errors.contains("no rule \"none\""))
    #expect(try gateway.client.get("/api/v1/notifications").json["notifications"].rows.count == 1)
    _ = try type("rule remove sos")

    // health is four files, or none.
    #expect(try type("rule add health").errors.components(separatedBy: "Written: ").count == 5)
    _ = try type("rule remove health-silent")
    #expect(try type("rule add health", exitCode: 73).errors.contains("nothing was written"))
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/rules.d/health-silent.conf"))

    // acknowledge is two files, which say what they may cost, show what they would send, and are removed together.
    let acknowledge = try type("rule add acknowledge").errors
    #expect(acknowledge.components(separatedBy: "Written: ").count == 3)
    #expect(acknowledge.contains("acknowledge-direct: It sends at most ") && acknowledge.contains(" s on the air at "))
    #expect(try type("rule add acknowledge --name ack", exitCode: 64).errors.contains("acknowledge is 2 rules"))
    let ping = try folders.file(
        "ping",
        #"{"kind": "message", "fromNodeId": "!a1b2c3d4", "channel": 0, "text": "Ping!", "hopStart": 3, "hopLimit": 1}"#)
    let answer = try type("rule test acknowledge-channel --event \(ping)").output
    #expect(answer.contains("  react ") && answer.contains(": 7 of 200 bytes, "), "\(answer)")
    #expect(try type("rule remove acknowledge").errors.components(separatedBy: "Removed: ").count == 3)

    // A mistake is named everywhere, and what was in force stays.
    let broken = "\(folders.root)/rules.d/direct-message.conf"
    try "when = direct mesage\n".write(toFile: broken, atomically: true, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "rule-broken: \(broken):1:")
    #expect(try type("config check", exitCode: 78).errors.hasPrefix("\(broken):1: "))
    let status = try type("status", exitCode: 0).output.replacing(/\s+/, with: " ")
    #expect(status.contains("\"direct message\"? To see them: mesh-gateway rule list"), "\(status)")
    #expect(try type("rule list").output.contains("in force as before"))
    #expect(try gateway.client.get("/api/v1/problems").text.contains("rule-broken"))
    here.radio.sendText(from: here.radio.nodes[0].number, "psst again", to: here.radio.number)
    try gateway.eventually("it is told") {
        try gateway.client.get("/api/v1/notifications").json["notifications"].rows.count == 2
    }
    try gateway.program.stop()

    // Without a daemon the files are shown as they are, and what is done to them as with one.
    let list = try type("rule list").output
    #expect(try type("rule test health-battery").output.contains("It would not have fired since "))
    #expect(try type("rule test direct-message", exitCode: 65).errors.contains("mesh-gateway rule show direct-message"))
    #expect(try type("rule log health-battery --near").output.contains("Only a running daemon knows"))
    #expect(list.contains("no daemon runs") && list.contains("broken") && list.contains("\(broken):1: "))
    #expect(!list.contains("in force"))
    let removed = try type("rule remove direct-message --json").output
    #expect(removed.contains("health-battery") && !removed.contains("direct-message"))
    #expect(try type("rule add silent --json").output.contains("\"silent\""))
    #expect(try type("rule show silent").output.contains("no daemon runs"))
}
