import Foundation
import Platform
import Testing

@testable import ServedProgram

/// What any user of this computer can read of the daemon and its children, what the daemon logs, and what people pass on.
@Test func noSecretIsSeenWhileRequestsAreOut() throws {
    let gate = Monitor(false)
    let server = try LoopbackServer { _, connection in
        _ = gate.wait(seconds: 300) { $0 ? () : nil }
        say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
    }
    defer { gate.notify { $0 = true } }
    let key = Data("geheim-geheim-geheim-geheim-geh1".utf8).base64EncodedString()
    let all = "allow-local = yes\n"
    let folders = try Folders()
    let mesh = try ToldByADaemon(
        [
            "hook.conf": "kind = webhook\nurl = \(server.url)/geheim-pfad\nsecret-file = hook.secret\n" + all,
            "hook.secret": "whsec_\(key)\n",
            "phone.conf": "kind = ntfy\nurl = \(server.url)/geheim-topic\nsecret-file = phone.secret\n"
                + "header = X-Key: geheim-header\n" + all,
            "phone.secret": "tk_geheim\n",
            "apprise.conf": "kind = apprise\nurl = http://anna:geheim-wort@127.0.0.1:\(server.port)/notify\n"
                + "urls-file = urls\n" + all,
            "urls": "mailto://geheim@example.org\n",
        ], tell: "hook\ntell = phone\ntell = apprise", in: folders)
    mesh.say("not for others")
    // Two at once, as long as none has succeeded.
    #expect(server.wait(for: 2))
    var seen: [String] = []
    var curls = 0
    for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int32(process) != nil {
        let words = read("/proc/\(process)/cmdline")
        let parent = read("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("PPid:") }
        let isOurs = parent?.hasSuffix("\t\(mesh.gateway.program.process)") == true
        if isOurs, words.contains("curl") { curls += 1 }
        guard isOurs || Int32(process) == mesh.gateway.program.process else { continue }
        seen += [words, read("/proc/\(process)/environ")]
    }
    #expect(curls == 2, "no request was seen")
    seen += [
        mesh.gateway.program.errors.text, mesh.gateway.program.output.text, try mesh.type("status").text,
        try mesh.type("target", "list", "--json").text, try mesh.type("target", "show", "phone", "--json").text,
        try mesh.type("config", "show").text, try mesh.type("config", "check").text,
        try mesh.gateway.client.get("/api/v1/targets").text, try mesh.gateway.client.get("/api/v1/metrics").text,
        try mesh.gateway.client.get("/api/v1/notifications").text,
    ]
    _ = try mesh.type("doctor", "--bundle", "\(folders.root)/bundle.tar")
    _ = try mesh.type("export", "\(folders.root)/export")
    for name in ["bundle.tar", "export"] {
        var isFolder: ObjCBool = false
        let path = "\(folders.root)/\(name)"
        #expect(FileManager.default.fileExists(atPath: path, isDirectory: &isFolder))
        let files = isFolder.boolValue ? try FileManager.default.subpathsOfDirectory(atPath: path) : [""]
        seen += files.map { read($0.isEmpty ? path : "\(path)/\($0)") }
    }
    for text in seen {
        #expect(!text.contains("geheim") && !text.contains(key), "\(text.prefix(2_000))")
    }
    gate.notify { $0 = true }
    try mesh.gateway.program.stop()
}

private func read(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
}
