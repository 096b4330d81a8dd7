import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// Runs `send` and reads what it prints for programs.
private func send(_ words: String..., in folders: Folders, input: String = "") throws -> (code: Int32, page: JSON) {
    let program = try Program(["send", "--json"] + words, in: folders, input: input)
    let code = try program.exitCode()
    try #require(!program.output.text.isEmpty, "\(program.errors.text)")
    return (code, try JSON(text: program.output.text))
}

/// A gateway beside a radio whose mesh is silent.
private func served(_ here: RadioHere, in folders: Folders) throws -> ServedGateway {
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize(scopes: ["read"])
    try gateway.waitUntilLive()
    // The disk may be slower than the link.
    try gateway.eventually("its channels are known") {
        try gateway.client.get("/api/v1/channels").text.contains("LongFast")
    }
    return gateway
}

@Test func aTextIsWaitedForUntilItArrives() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    let channel = try send("to all", "--channel", "longfast", "--wait", in: folders)
    #expect(channel.code == 0 && channel.page["schema"] == "send/1" && channel.page["via"] == "daemon")
    #expect(channel.page["outcome"] == "relayed" && channel.page["isSettled"] == true)
    #expect(channel.page["messages"].rows[0]["text"] == "to all")

    // A reply, from standard input, in two parts.
    let friend = here.radio.nodes[0]
    #expect(friend.behaviour == .acknowledges && friend.publicKey != nil)
    let id = try #require(channel.page["messages"].rows[0]["packetId"].integer)
    let long = String(repeating: "word ", count: 60)
    let reply = try send(
        "-", "--to", friend.number.id, "--reply-to", "\(id)", "--wait", in: folders, input: long)
    #expect(reply.code == 0 && reply.page["outcome"] == "confirmed")
    let parts = reply.page["messages"].rows
    #expect(parts.map { $0["delivery"]["part"] } == [1, 2])
    #expect(parts.allSatisfy { $0["delivery"]["state"] == "confirmed" })
    #expect(parts[0]["replyTo"] == .integer(id))
    try gateway.program.stop()
}

@Test func theExitCodeSaysWhatBecameOfAText() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    // Of the cast: it has no key.
    let keyless = here.radio.nodes[4]
    let failed = try send("hello?", "--to", keyless.number.id, "--wait", in: folders)
    #expect(failed.code == 4 && failed.page["outcome"] == "failed")
    let far = try #require(here.radio.nodes.first { $0.behaviour == .isOnlyRelayed })
    // Texts keep a distance of two and a half seconds.
    let relayed = try send("far away", "--to", far.number.id, "--wait", "--timeout", "4s", in: folders)
    #expect(relayed.code == 3 && relayed.page["outcome"] == "relayed" && relayed.page["isSettled"] == false)
    let unknown = try send("one more", "--channel", "0", "--wait", "--timeout", "0s", in: folders)
    #expect(unknown.code == 6 && unknown.page["outcome"] == "pending")
    let accepted = try send("and one more", "--channel", "0", in: folders)
    #expect(accepted.code == 0 && accepted.page["outcome"] == "pending")
    try gateway.program.stop()
}

@Test func whatCannotBeSentIsOneSentence() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    let gateway = try served(here, in: folders)
    func refused(_ words: [String], _ code: Int32, _ part: String) throws {
        let program = try Program(["send"] + words, in: folders)
        #expect(try program.exitCode() == code, "\(words)")
        #expect(program.output.text.isEmpty)
        #expect(program.errors.text.contains(part), "\(program.errors.text)")
    }
    try refused(["hello"], 64, "either --channel CHANNEL or --to NODE")
    try refused(["hello", "--channel", "0", "--to", "x"], 64, "either --channel CHANNEL or --to NODE")
    try refused(["hello", "--channel", "nope"], 66, "there are 0 (LongFast), 1 (Hikers), 2 (Rescue)")
    try refused(["hello", "--channel", "7"], 66, "The radio has no channel 7")
    try refused(["hello", "--to", "nobody"], 66, "No node is called \"nobody\"")
    try refused(["hello", "--to", "!ffffffff"], 65, "--channel 0")
    try refused([" ", "--channel", "0"], 65, "no text to send")
    try refused([String(repeating: "x", count: 601), "--channel", "0"], 65, "shorten it")
    try refused(["hello", "--channel", "0", "--reply-to", "you"], 66, "mesh-gateway messages shows their ids")
    here.radio.unplug()
    try gateway.eventually("the gap is noticed") {
        try Program.run("status", in: folders).code == 69
    }
    try refused(["hello", "--channel", "0"], 69, "With --queue the text waits for it")
    let waiting = try send("hello", "--channel", "0", "--queue", in: folders)
    #expect(waiting.code == 0 && waiting.page["outcome"] == "pending")
    #expect(waiting.page["messages"].rows[0]["delivery"]["state"] == "queued")
    try gateway.program.stop()
}

@Test func withoutADaemonATextGoesOutAllTheSame() throws {
    let here = try RadioHere()
    let folders = try Folders()
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    let sent = try send("hello", "--channel", "0", "--device", device, in: folders)
    #expect(sent.code == 0 && sent.page["via"] == "radio")
    func arrives(_ text: String) -> Bool {
        here.radio.waitForPacket(timeout: 90) { $0.decoded?.payload == Array(text.utf8) } != nil
    }
    #expect(arrives("hello"))
    let waited = try send("again", "--channel", "0", "--wait", "--device", device, in: folders)
    #expect(waited.code == 0 && waited.page["outcome"] == "relayed")
    #expect(arrives("again"))
}
