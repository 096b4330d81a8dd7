import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A gateway beside a radio whose mesh says only what the test lets it say.
private struct QuietMesh {
    let folders: Folders
    let here: RadioHere
    let gateway: ServedGateway
    var radio: SimulatedRadio { here.radio }

    init() throws {
        folders = try Folders()
        here = try RadioHere()
        var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
        try gateway.authorize()
        try gateway.waitUntilLive()
        try gateway.eventually("all nodes are there") { try gateway.client.get("/api/v1/nodes").data.rows.count == 25 }
        self.gateway = gateway
    }

    /// `listen --json`, which listens by now.
    func listen(_ arguments: String...) throws -> Program {
        let program = try Program(["listen", "--json"] + arguments, in: folders)
        _ = try program.output.line(containing: "\"kind\":\"start\"")
        return program
    }
}

/// The lines of a stream.
private func objects(_ program: Program) throws -> [JSON] {
    try program.output.text.split(separator: "\n").map { try JSON(text: String($0)) }
}

extension JSON {
    /// What a command has printed.
    init(text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }
}

@Test func whatIsHeardAndSentIsShownLive() throws {
    let mesh = try QuietMesh()
    let hiker = mesh.radio.nodes[0].number
    let listener = try mesh.listen("--kind", "packet,sent,message,delivery", "--port", "text", "--count", "5")
    let id = mesh.radio.sendText(from: hiker, "hello \u{1B}[31m")
    _ = try listener.output.line(containing: "\"kind\":\"message\"")
    let sent = try Program.run("send", "back to you", "--channel", "1", in: mesh.folders)
    #expect(sent.code == 0, "\(sent.errors)")
    #expect(try listener.exitCode() == 0, "\(listener.errors.text)")

    let events = try objects(listener)
    #expect(events.map { $0["schema"] } == [JSON](repeating: "listen/1", count: 6))
    let heard = try #require(events.first { $0["kind"] == "packet" })
    #expect(heard["packet"]["id"] == .integer(Int(id)))
    #expect(heard["packet"]["from"]["nodeId"] == .string(hiker.id))
    #expect(heard["packet"]["to"] == .null)
    #expect(heard["packet"]["portName"] == "TEXT_MESSAGE_APP")
    #expect(heard["packet"]["channelName"] == "LongFast")
    #expect(heard["packet"]["content"] == "hello \u{FFFD}[31m")
    #expect(heard["source"]["name"] == "Default")
    let stored = try #require(events.first { $0["kind"] == "message" })
    #expect(stored["message"]["text"] == "hello \u{FFFD}[31m")
    let out = try #require(events.first { $0["kind"] == "sent" })
    #expect(out["packet"]["content"] == "back to you")
    #expect(out["packet"]["channelName"] == "Hikers")
    let numbers = events.dropFirst().compactMap { event -> Int? in
        if case .integer(let number) = event["sequence"] { number } else { nil }
    }
    #expect(numbers == numbers.sorted() && Set(numbers).count == 5)
}

@Test func onlyWhatWasAskedForIsShown() throws {
    let mesh = try QuietMesh()
    let (one, another) = (mesh.radio.nodes[0].number, mesh.radio.nodes[1].number)
    let byNode = try mesh.listen("--node", one.id, "--port", "text", "--kind", "packet", "--count", "1")
    let byChannel = try mesh.listen("--channel", "hikers", "--count", "1")
    let byPort = try mesh.listen("--port", "paxcounter", "--for", "1s")
    mesh.radio.sendText(from: another, "not this")
    mesh.radio.sendText(from: one, "this node", channel: 0)
    mesh.radio.sendText(from: another, "this channel", channel: 1)
    #expect(try byNode.exitCode() == 0 && byChannel.exitCode() == 0 && byPort.exitCode() == 0)
    #expect(try objects(byNode).last?["packet"]["content"] == "this node")
    #expect(try objects(byChannel).last?["packet"]["content"] == "this channel")
    #expect(try objects(byPort).count == 1)
    for (words, part) in [
        (["--node", "nobody"], "No node is called \"nobody\""), (["--channel", "9"], "no channel \"9\""),
        (["--kind", "pakcet"], "there are packet, sent"), (["--port", "txet"], "no port \"txet\""),
        (["--for", "soon"], "90s, 30m, 2h"),
    ] {
        let refused = try Program(["listen"] + words, in: mesh.folders)
        #expect([64, 65, 66].contains(try refused.exitCode()))
        #expect(refused.errors.text.contains(part) && refused.errors.text.split(separator: "\n").count == 1)
    }
}

@Test func peopleReadALineForEachEvent() throws {
    let mesh = try QuietMesh()
    let listener = try Program(
        ["listen", "--count", "1", "--kind", "packet", "--port", "text"], in: mesh.folders,
        environment: ["COLUMNS": "40"])
    // People are not told when it begins: ask until it has.
    let hiker = mesh.radio.nodes[0].number
    try mesh.gateway.eventually("something is shown") {
        mesh.radio.sendText(from: hiker, "Grüezi \u{1B}]0;owned\u{7} mitenand am Gipfel")
        return !listener.output.text.isEmpty
    }
    #expect(try listener.exitCode() == 0)
    let text = listener.output.text
    #expect(text.contains(hiker.id) && text.contains("LongFast") && text.contains("mitenand"))
    // Nothing that a terminal would obey.
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(text)")
}

@Test func listeningEndsInGoodOrder() throws {
    let mesh = try QuietMesh()
    let interrupted = try mesh.listen()
    interrupted.signal(SIGINT)
    #expect(try interrupted.exitCode() == 130)
    #expect(interrupted.errors.text.isEmpty)

    // Nothing more happens on this mesh: that the reader has gone is noticed all the same.
    let piped = try Program(
        ["-c", "\"$0\" listen --json | head -n 1; echo \"${PIPESTATUS[0]}\"", Program.path], in: mesh.folders,
        executable: "bash")
    #expect(try piped.exitCode() == 0)
    #expect(piped.output.text.hasSuffix("\n0\n") && piped.errors.text.isEmpty, "\(piped.errors.text)")

    let left = try mesh.listen()
    try mesh.gateway.program.stop()
    #expect(try left.exitCode() == 69)
    #expect(left.errors.text == "mesh-gateway: the daemon has stopped.\n")
}

@Test func withoutADaemonTheRadioItselfIsHeard() throws {
    let here = try RadioHere()
    let folders = try Folders()
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    let listener = try Program(
        ["listen", "--json", "--kind", "packet", "--port", "text", "--count", "1", "--device", device], in: folders)
    _ = try listener.output.line(containing: "\"kind\":\"start\"")
    here.radio.sendText(from: here.radio.nodes[0].number, "hello")
    #expect(try listener.exitCode() == 0, "\(listener.errors.text)")
    #expect(try objects(listener).last?["packet"]["content"] == "hello")
    // What it heard is kept.
    let known = try Program.run("messages", "--json", in: folders)
    #expect(known.code == 0 && known.output.contains("\"text\":\"hello\""), "\(known.errors)")

    let interrupted = try Program(["listen", "--json", "--device", device], in: folders)
    _ = try interrupted.output.line(containing: "\"kind\":\"start\"")
    interrupted.signal(SIGINT)
    #expect(try interrupted.exitCode() == 130)
}
