import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// For good, for a time, and heard again; what a token has muted is its own business.
@Test func aConversationIsMutedFromTheCommandLine() throws {
    let (here, folders) = (try RadioHere(), try Folders())
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    try here.say("to all", to: gateway)
    func channel(_ words: String...) throws -> JSON {
        let program = try Program(["conversations", "--json"] + words, in: folders)
        #expect(try program.exitCode() == 0, "\(words): \(program.errors.text)")
        let rows = try JSON(text: program.output.text)["conversations"].rows
        return try #require(rows.first { $0["id"] == "channel:0" })
    }
    #expect(try channel()["muted"] == false)
    #expect(try !Program.run("conversations", in: folders).output.contains("MUTED"))
    let forGood = try channel("--mute", "channel:0")
    #expect(forGood["muted"] == true && forGood["mutedUntil"] == .null)
    #expect(try Program.run("conversations", in: folders).output.contains("for good"))
    let forHours = try channel("--mute", "channel:0", "--for", "2h")
    #expect(forHours["muted"] == true && forHours["mutedUntil"].string?.count == 24)
    #expect(try Program.run("conversations", in: folders).output.contains("until 20"))
    #expect(try gateway.client.get("/api/v1/conversations/channel:0").data["muted"] == false)
    #expect(try channel("--unmute", "channel:0")["muted"] == false)
    for (words, named) in [
        (["--for", "2h"], "--mute channel:0 --for 8h"), (["--mute", "channel:0", "--for", "soon"], "--for takes"),
        (["--mute", "channel:0", "--for", "0s"], "--mute channel:0 --for 8h"), (["--mute", "nobody"], "channel:0"),
        (["--unmute", "direct:!00000001"], "not found"),
    ] {
        let refused = try Program(["conversations"] + words, in: folders)
        #expect(try refused.exitCode() != 0, "\(words)")
        #expect(refused.errors.text.replacing("\n", with: " ").contains(named), "\(words): \(refused.errors.text)")
    }
    try gateway.program.stop()
    let refused = try Program(["conversations", "--mute", "channel:0"], in: folders)
    #expect(try refused.exitCode() == 69)
}
