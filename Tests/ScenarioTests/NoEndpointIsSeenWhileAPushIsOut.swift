import Foundation
import Platform
import RadioSimulator
import Testing

@testable import ServedProgram

/// What stands behind a registration's host is a secret: of any user of this computer, of the log, of what the daemon shows and of
/// what people pass on. And what a push service is sent, only the browser reads.
@Test func noEndpointIsSeenWhileAPushIsOut() throws {
    let gate = Monitor(false)
    let service = try LoopbackServer { _, connection in
        _ = gate.wait(seconds: 300) { $0 ? () : nil }
        say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", connection)
    }
    defer { gate.notify { $0 = true } }
    let (folders, here) = (try Folders(), try RadioHere())
    let conf = "\(folders.root)/mesh-gateway.conf"
    try "push-hosts = 127.0.0.1:\(service.port)\n".write(toFile: conf, atomically: false, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": conf]
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["read"])
    try gateway.waitUntilLive()
    func type(_ words: String...) throws -> String {
        let command = try Program(words, in: folders, environment: environment)
        _ = try command.exitCode()
        return command.output.text + command.errors.text
    }
    // Those of RFC 8291, appendix A.
    let auth = "BTBZMqHH6r4Tts7J_aSIgg"
    let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    let phone = String(repeating: "feed", count: 16)
    let registered = try gateway.client.post(
        "/api/v1/push/register",
        [
            "endpoint": .string("\(service.url)/geheim-pfad?geheim=ja"), "name": "Firefox",
            "keys": ["p256dh": .string(point), "auth": .string(auth)],
        ])
    #expect(registered.status == 200, "\(registered.text)")
    let second = try gateway.client.post(
        "/api/v1/push/register", ["platform": "ios", "push_token": .string(phone)])
    #expect(try second.json["state"] == "no-apns")
    here.radio.sendText(from: here.radio.nodes[0].number, "not for others", to: here.radio.number)
    #expect(service.wait(for: 1))
    let request = try #require(service.received.first)
    #expect(
        request.line.hasPrefix("POST /geheim-pfad?geheim=ja ") && request.headers["content-encoding"] == "aes128gcm")
    #expect(!request.text.contains("not for others"))

    var seen: [String] = []
    for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int32(process) != nil {
        let words = file("/proc/\(process)/cmdline")
        let parent = file("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
        let isOurs = parent?.hasSuffix("\t\(gateway.program.process)") == true
        guard isOurs || Int32(process) == gateway.program.process else { continue }
        seen += [words, file("/proc/\(process)/environ")]
    }
    let list = try type("push", "list")
    #expect(list.contains("Firefox") && list.contains("http://127.0.0.1:\(service.port)/…"), "\(list)")
    seen += [
        list, try type("push", "list", "--json"), try type("status"), try type("config", "show"),
        try type("config", "check"),
        try type("push", "list", "--database", "\(folders.root)/none.db"), try type("rule", "list", "--json"),
    ]
    for path in ["push/registrations", "push/key", "metrics", "notifications", "rules"] {
        seen.append(try gateway.client.get("/api/v1/\(path)").text)
    }
    _ = try type("doctor", "--bundle", "\(folders.root)/bundle.tar")
    _ = try type("export", "\(folders.root)/export")
    for name in ["bundle.tar", "export"] {
        var isFolder: ObjCBool = false
        let path = "\(folders.root)/\(name)"
        #expect(FileManager.default.fileExists(atPath: path, isDirectory: &isFolder))
        let files = isFolder.boolValue ? try FileManager.default.subpathsOfDirectory(atPath: path) : [""]
        seen += files.map { file($0.isEmpty ? path : "\(path)/\($0)") }
    }
    gate.notify { $0 = true }
    try gateway.program.stop()
    seen += [gateway.program.errors.text, gateway.program.output.text, try type("push", "list", "--json")]
    for text in seen {
        for secret in ["geheim", auth, point, phone] { #expect(!text.contains(secret), "\(text.prefix(2_000))") }
    }
    #expect(seen.last?.contains("Firefox") == true, "the database alone shows it, too")
    #expect(seen.last?.contains("no-apns") == true)
}

private func file(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}
