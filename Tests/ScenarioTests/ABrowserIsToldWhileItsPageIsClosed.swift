import Foundation
import MeshModel
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// From the setting to the push service: a host is named, a browser registers, is told a direct message and a test, and is gone.
/// What only the browser may know is nowhere else.
@Test func aBrowserIsToldWhileItsPageIsClosed() throws {
    let status = Monitor(201)
    let server = try LoopbackServer { _, connection in
        say("HTTP/1.1 \(status.withLock { $0 }) X\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    func write(_ text: String) throws { try text.write(toFile: file, atomically: true, encoding: .utf8) }
    try write("")
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, exitCode: Int32? = 0) throws -> String {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        let code = try command.exitCode()
        let text = command.output.text + command.errors.text
        #expect(exitCode == nil || code == exitCode, "\(line): \(code) \(text)")
        return text
    }
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let threads = { try threadNames(of: gateway.program.process) }
    let calm = try threads()
    #expect(!calm.contains("targets") && !calm.contains("rules"), "\(calm)")

    // Somebody has to name a host that is not the whole internet's.
    let browser = PushedBrowser()
    let request: JSON = [
        "endpoint": .string("\(server.url)/push/geheim"), "name": "Firefox on desk",
        "keys": ["p256dh": .string(browser.p256dh), "auth": .string(browser.auth)],
    ]
    func register() throws -> Answer { try gateway.client.post("/api/v1/push/register", request) }
    let refused = try register()
    #expect(refused.status == 400 && refused.text.contains("push-hosts = 127.0.0.1:\(server.port)"), "\(refused.text)")
    try write("push-hosts = http://127.0.0.1\npush-contact = nobody\n")
    let mistakes = try type("config check", exitCode: nil)
    #expect(mistakes.contains("push-hosts cannot be") && mistakes.contains("push-contact cannot be"))
    try write("push-hosts = 127.0.0.1:\(server.port)\npush-contact = mailto:you@example.org\n")
    gateway.program.signal(SIGHUP)
    _ = try gateway.program.errors.line(containing: "push-hosts: none -> 127.0.0.1:\(server.port)")
    let registered = try register()
    #expect(try registered.status == 200 && registered.json["state"] == "ready", "\(registered.text)")
    let id = try #require(try registered.json["id"].integer)

    // A rule for it is in force by itself.
    let list = "/api/v1/push/registrations"
    try gateway.eventually("the rule is at work") { try threads().contains("rules") }
    here.radio.sendText(from: here.radio.nodes[0].number, "streng vertraulich", to: here.radio.number)
    #expect(server.wait(for: 1))
    let told = try JSONDecoder().decode(JSON.self, from: Data(#require(browser.open(server.received[0].body))))
    let row = try gateway.eventually("it is in the feed") {
        try gateway.client.get("/api/v1/notifications").json["notifications"].rows.first
    }
    #expect(told["id"] == row["id"] && told["title"] == row["title"] && told["body"] == "streng vertraulich")
    #expect(told["link"].string?.hasPrefix("#/") == true && told["type"] == "direct-message")
    #expect(server.received[0].headers["urgency"] == "high" && server.received[0].headers["ttl"] == "3600")
    #expect(!server.received[0].headers.values.contains { $0.contains("vertraulich") || $0.contains("direct") })

    let shown = try type("push list")
    #expect(shown.contains("Firefox on desk") && shown.contains("http://127.0.0.1:\(server.port)/"), "\(shown)")
    _ = try type("push test \(id)")
    #expect(server.wait(for: 2))
    #expect(try type("doctor --json", exitCode: nil).contains("The registered phone or browser is told."))

    // Its secrets are nowhere else.
    _ = try type("doctor --bundle \(folders.root)/bundle.tar", exitCode: nil)
    _ = try type("export \(folders.root)/export.tar")
    let pages = [
        shown, try gateway.client.get(list).text, gateway.program.errors.text, try type("config show"),
        try type("status"),
    ]
    for text in pages { #expect(!text.contains("geheim") && !text.contains(browser.auth)) }
    for name in ["bundle.tar", "export.tar"] {
        let bytes = try Data(contentsOf: URL(filePath: "\(folders.root)/\(name)"))
        for secret in ["push/geheim", browser.auth, browser.p256dh] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) is in \(name)")
        }
    }

    // It is gone, and with it the threads.
    status.withLock { $0 = 410 }
    here.radio.sendText(from: here.radio.nodes[1].number, "noch etwas", to: here.radio.number)
    try gateway.eventually("the registration ends") { try gateway.client.get(list).data["registrations"].rows.isEmpty }
    try gateway.eventually("its threads end") { try threads().allSatisfy { $0 != "targets" } }
    try gateway.program.stop()
}

/// Names of a process's threads (proc(5)).
private func threadNames(of process: Int32) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").compactMap {
        (try? String(contentsOfFile: "/proc/\(process)/task/\($0)/comm", encoding: .utf8))?
            .trimmingCharacters(in: .newlines)
    }
}
