import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Made, looked at, changed and removed; its texts are read and written as others are. The broker is away.
@Test func aConversationOverABrokerIsKeptFromTheCommandLine() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: "\(folders.root)/brokers.d", withIntermediateDirectories: true)
    try "url = mqtt://127.0.0.1:1\n".write(
        toFile: "\(folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, exitCode: Int32 = 0) throws -> String {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(line): \(command.errors.text)")
        return (exitCode == 0 ? command.output.text : command.errors.text).replacing("\n", with: " ")
    }
    func says(_ line: String, _ words: String..., exitCode: Int32 = 0) throws {
        let said = try type(line, exitCode: exitCode)
        for word in words { #expect(said.contains(word), "\(line): \(said)") }
    }

    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    try says("conversation", "mesh-gateway conversation add NAME")
    try says("conversation add club --broker house --filter club/# --filter news", "mqtt:club", "writes to   news")
    try says("conversation add club --broker house --filter x", "already", exitCode: 65)
    try says("conversation add other --broker attic --filter x", "broker must be", exitCode: 65)
    try says("conversation add other --broker house", "--filter", exitCode: 64)
    try says(
        "conversation edit club --title Club --topic club/talk --json --qos 0", "writes to   club/talk", "JSON",
        "QoS         0")
    try says("conversation edit club --raw --no-topic --from Hut", "writes to   news", "Hut", "as          text")
    try says("conversation edit club", "--title", exitCode: 64)
    try says("conversation edit nobody --title x", "nobody", exitCode: 66)
    try says("conversation list", "club", "house", "news")
    try says("conversation show nobody", "nobody", exitCode: 66)

    // Its texts are among the others.
    try says("send hello --to mqtt:club", "to news", "waits for the broker")
    _ = try type("send hello --to mqtt:club --wait --timeout 1s", exitCode: 6)
    try says("send hello --to mqtt:nobody", "nobody", exitCode: 66)
    try says("send hello --to mqtt:club --alert", "alert", exitCode: 65)
    try says("send hello --to mqtt:club --source x", "leave --source out", exitCode: 65)
    try says("messages --with mqtt:club", "me > news", "hello", "queued")
    try says("messages --with mqtt:club --source x", "--source", exitCode: 65)
    #expect(try !type("messages").contains("hello"))
    try says("conversations", "mqtt:club", "Club", "me: hello")
    try says("conversations --mute mqtt:club", "for good")
    try says("conversations --mark-read mqtt:club", "mqtt:club")
    let following = try Program(
        ["messages", "--with", "mqtt:club", "--follow"], in: folders, environment: environment)
    _ = try following.output.line(containing: "hello")
    let sent = try gateway.client.post("/api/v1/messages", ["conversation": "mqtt:club", "text": "from the phone"])
    #expect(sent.status == 201, "\(sent.text)")
    _ = try following.output.line(containing: "from the phone")
    following.signal(SIGINT)
    #expect(try following.exitCode() == 130)

    // Without a daemon it can be read, and nothing else.
    try gateway.program.stop()
    try says("messages --with mqtt:club", "from the phone")
    try says("conversation show club", "no daemon is running")
    // An archive is of what radios heard; a backup has everything.
    let (archive, other, backup) = ("\(folders.root)/a.tar", "\(folders.root)/other.db", "\(folders.root)/b.db")
    _ = try type("export \(archive) --with-secrets")
    let exported = try Data(contentsOf: URL(filePath: archive))
    for word in ["from the phone", "mqtt:club", "Hut"] {
        #expect(exported.range(of: Data(word.utf8)) == nil, "\(word)")
    }
    _ = try type("import \(archive) --database \(other)")
    try says("messages --with mqtt:club --database \(other)", "club", exitCode: 66)
    _ = try type("backup \(backup)")
    try says("messages --with mqtt:club --database \(backup)", "from the phone")
    for line in ["send hello --to mqtt:club", "conversation edit club --title x", "messages --with mqtt:club --follow"]
    {
        try says(line, "mesh-gateway serve", exitCode: 69)
    }
    gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try says("conversation remove club", "removed")
    try says("messages --with mqtt:club", "club", exitCode: 66)
    try says("conversation remove club", "club", exitCode: 66)
    try gateway.program.stop()
}
