import Foundation
import Testing

@testable import ServedProgram

/// Two daemons, a real broker, and a key that one has made and the other takes over. The command shows it and backups have it;
/// nothing else does.
@Test func aConversationsKeyStaysOnThisComputer() throws {
    let broker = try PersistentBroker()
    try broker.start()
    let (folders, others) = (try Folders(), try Folders())
    let trace = ["MESH_GATEWAY_LOG_LEVEL": "trace"]
    let hut = try TalkingDaemon("Hut", at: broker.port, in: folders, environment: trace)
    let valley = try TalkingDaemon("Valley", at: broker.port, in: others, environment: trace)
    for daemon in [hut, valley] {
        try daemon.start()
        try daemon.addConversation()
    }
    func type(_ line: String, in folders: Folders, input: String = "", exitCode: Int32 = 0) throws -> Program {
        let environment = ["MESH_GATEWAY_CONFIG": "\(folders.root)/mesh-gateway.conf"]
        let words = line.split(separator: " ").map(String.init)
        let command = try Program(words, in: folders, input: input, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(line): \(command.errors.text)")
        return command
    }
    func says(_ line: String, _ words: String..., input: String = "", exitCode: Int32 = 0) throws {
        let command = try type(line, in: folders, input: input, exitCode: exitCode)
        let said = (command.output.text + command.errors.text).replacing("\n", with: " ")
        for word in words { #expect(said.contains(word), "\(line): \(said)") }
    }

    // What cannot be.
    try says("conversation show club", "sealed      no")
    try says("conversation key club", "no key; to make one: mesh-gateway conversation key club --new", exitCode: 66)
    try says("conversation key nobody --new", "nobody", exitCode: 66)
    try says("conversation key club --new --qr", "only one of", exitCode: 64)
    try says("conversation key club --import \(folders.root)/none", "cannot be read", exitCode: 66)
    for text in ["", "meshgw-key:1:AAEC", "meshgw-key:2:" + String(repeating: "A", count: 43), "a\nb"] {
        try says("conversation key club --import -", "meshgw-key:1: and 43 characters", input: text, exitCode: 65)
    }

    let made = try type("conversation key club --new", in: folders)
    let line = made.output.text
    #expect(line.hasPrefix("meshgw-key:1:") && line.utf8.count == 57, "\(line)")
    #expect(made.errors.text.contains("whoever has this key"))
    #expect(try type("conversation key club", in: folders).output.text == line)
    let picture = try type("conversation key club --qr", in: folders).output.text
    #expect(picture.contains("█") && !picture.contains("meshgw-key"))
    try says("conversation key club --new", "forget it first", exitCode: 65)
    // The others have it, twice by mistake.
    let file = try others.file("key", line)
    for _ in 0..<2 {
        let taken = try type("conversation key club --import \(file)", in: others).output.text
        #expect(taken.contains("mqtt:club is sealed with the key "), "\(taken)")
    }
    try hut.say("Grüß Gott")
    try valley.gateway.eventually("\(valley.texts)") { valley.texts == ["Grüß Gott"] }
    try valley.say("Servus")
    try hut.gateway.eventually("\(hut.texts)") { hut.texts == ["Grüß Gott", "Servus"] }

    // Where it must not be.
    let key = try #require(Data(base64Encoded: base64(of: line)))
    var places = [("the API", try hut.gateway.everyAnswer())]
    for path in ["mqtt/conversations", "mqtt/conversations/club", "messages?conversation=mqtt:club"] {
        places.append((path, try hut.gateway.client.get("/api/v1/\(path)").body))
    }
    for line in [
        "conversation list", "conversation show club", "conversation show club --json", "conversations --json",
        "messages --with mqtt:club --json", "status --json", "mqtt status --json", "config show", "doctor --json",
    ] {
        let command = try Program(
            line.split(separator: " ").map(String.init), in: folders,
            environment: ["MESH_GATEWAY_CONFIG": "\(folders.root)/mesh-gateway.conf"])
        _ = try command.exitCode()
        places.append((line, command.output.data + command.errors.data))
    }
    try says("conversation show club", "sealed      with the key ")
    for (line, name) in [
        ("doctor --bundle \(folders.root)/bundle", "bundle"), ("export \(folders.root)/export", "export"),
        ("capture \(folders.root)/capture --for 1s", "capture"), ("backup \(folders.root)/backup", "backup"),
    ] {
        let command = try Program(
            line.split(separator: " ").map(String.init), in: folders,
            environment: ["MESH_GATEWAY_CONFIG": "\(folders.root)/mesh-gateway.conf"])
        _ = try command.exitCode()
        places.append((name, try content(of: "\(folders.root)/\(name)") + command.output.data + command.errors.data))
    }
    // Forgetting it asks.
    try says("conversation key club --forget", "cannot be read", "add --yes", exitCode: 64)
    try says("conversation key club --forget --yes", "cannot be read", "has no key any more")
    try says("conversation key club --forget --yes", "has no key", exitCode: 66)
    try hut.gateway.program.stop()
    try valley.gateway.program.stop()
    for daemon in [hut, valley] {
        let program = daemon.gateway.program
        places.append(("the log", program.errors.data + program.output.data))
    }
    for (place, content) in places {
        #expect(content.count > 0 || place == "mqtt status --json", "\(place) is empty")
        let isThere = key.forms.contains { content.range(of: $0) != nil }
        let text = String(decoding: content, as: UTF8.self)
        #expect((isThere || text.contains("meshgw-key:")) == (place == "backup"), "the key and \(place)")
    }
}

/// Of the line that shows a key.
private func base64(of line: String) -> String {
    line.trimmingCharacters(in: .newlines).replacing("meshgw-key:1:", with: "").replacing("-", with: "+")
        .replacing("_", with: "/") + "="
}

/// Of a file, or of all files of a folder.
private func content(of path: String) throws -> Data {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return Data() }
    let files = isFolder.boolValue ? try FileManager.default.subpathsOfDirectory(atPath: path) : [""]
    return files.reduce(into: Data()) { all, name in
        all += FileManager.default.contents(atPath: name.isEmpty ? path : "\(path)/\(name)") ?? Data()
    }
}
