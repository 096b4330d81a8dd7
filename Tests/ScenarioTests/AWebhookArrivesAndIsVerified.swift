import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// From the command line to the receiver: a target is added, tried, and told what a rule notices; the library of Standard Webhooks
/// vouches for each. Nothing of its secrets is where it does not belong.
@Test func aWebhookArrivesAndIsVerified() throws {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "public-url = https://mesh.example.org\n".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, input: String = "", exitCode: Int32? = 0) throws -> (output: String, errors: String) {
        let command = try Program(
            line.split(separator: " ").map(String.init), in: folders, input: input, environment: environment)
        let code = try command.exitCode()
        #expect(exitCode == nil || code == exitCode, "\(line): \(code) \(command.errors.text)")
        return (command.output.text, command.errors.text)
    }
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    #expect(try type("target list").output.contains("sudo mesh-gateway target add"))

    // Another port is asked at first; the secret is known only then.
    let added = try type(
        "target add hook webhook --url-file - --allow-local", input: "http://127.0.0.1:9/geheimer-pfad\n")
    let secret = added.output.trimmingCharacters(in: .newlines)
    #expect(secret.hasPrefix("whsec_") && added.errors.contains("shown this once"))
    for name in ["hook.conf", "hook.secret"] {
        let found = try FileManager.default.attributesOfItem(atPath: "\(folders.root)/targets.d/\(name)")
        let mode = try #require(found[.posixPermissions] as? Int)
        #expect(mode & 0o007 == 0, "\(name): \(String(mode, radix: 8))")
    }
    #expect(try type("target test hook", exitCode: 69).errors.contains("refuses the connection"))
    let script = (#filePath as NSString).deletingLastPathComponent + "/receive-webhooks.py"
    let receiver = try Program([python, script], in: folders, input: secret + "\n", executable: "/usr/bin/env")
    let port = try #require(receiver.output.line(containing: "port ").split(separator: " ").last)
    let conf = "\(folders.root)/targets.d/hook.conf"
    let text = try String(contentsOfFile: conf, encoding: .utf8).replacingOccurrences(of: ":9/", with: ":\(port)/")
    try text.write(toFile: conf, atomically: false, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "read again")
    #expect(try type("target test hook").output == "hook has taken it.\n")
    _ = try receiver.output.line(containing: "notification.test")

    // What a file of one's own says goes into one that the service can read.
    try "mailto://geheimer-pfad@example.org\n".write(
        toFile: "\(folders.root)/home/urls", atomically: false, encoding: .utf8)
    _ = try type(
        "target add mail apprise --url-file - --urls-file \(folders.root)/home/urls",
        input: "http://127.0.0.1:9/notify\n")
    let kept = try String(contentsOfFile: "\(folders.root)/targets.d/mail.secret", encoding: .utf8)
    #expect(kept.contains("geheimer-pfad"))
    _ = try type("target remove mail")

    // What a rule notices arrives, under the id of the feed.
    _ = try type("rule add direct-message --tell hook")
    try gateway.eventually("the rule is at work") {
        try gateway.client.get("/api/v1/rules").json["rules"].rows.first?["since"] != .null
    }
    here.radio.sendText(from: here.radio.nodes[0].number, "streng geheim", to: here.radio.number)
    let line = try receiver.output.line(containing: "notification.told")
    let told = try gateway.eventually("it is in the feed") {
        try gateway.client.get("/api/v1/notifications").json["notifications"].rows.first
    }
    #expect(line.contains("\"id\": \"\(told["id"].string ?? "?")\"") && line.contains("https://mesh.example.org/#/"))
    #expect(line.contains("Direct message from") && !line.contains("geheim"))
    let shown = try gateway.client.get("/api/v1/targets")
    #expect(try shown.json["targets"].rows.first?["url"].string == "http://127.0.0.1:\(port)/...")
    #expect(try gateway.client.get("/api/v1/metrics").text.contains("mesh_gateway_target_failing{target=\"hook\"} 0"))

    // Its secrets are nowhere else.
    // What it says of this computer is not what is asked here.
    _ = try type("doctor --bundle \(folders.root)/bundle.tar", exitCode: nil)
    _ = try type("export \(folders.root)/export.tar")
    var places = [
        shown.text, try type("target show hook").output, try type("status").output, try type("config show").output,
        gateway.program.errors.text, gateway.program.output.text,
    ]
    for name in ["bundle.tar", "export.tar"] {
        places.append(String(decoding: try Data(contentsOf: URL(filePath: "\(folders.root)/\(name)")), as: UTF8.self))
    }
    for place in places { #expect(!place.contains("geheimer-pfad") && !place.contains(secret.dropFirst(6))) }

    // A mistake is named everywhere, and what was in force stays.
    try (text + "every = 5m\n").write(toFile: conf, atomically: false, encoding: .utf8)
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "target-broken: \(conf):")
    #expect(try type("config check", exitCode: 78).errors.contains("alive only"))
    #expect(try type("target list").output.contains("in force as before"))
    #expect(try gateway.client.get("/api/v1/problems").text.contains("target-broken"))
    _ = try type("target remove hook")
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/targets.d/hook.secret"))
    #expect(try type("status").output.contains("there is no such target"))
    try gateway.program.stop()
    receiver.signal(SIGTERM)
}
