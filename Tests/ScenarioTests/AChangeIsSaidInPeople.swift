import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// What a change of the radio's settings costs is said in the nodes that it has heard over the air today.
@Test func aChangeIsSaidInPeople() throws {
    let (folders, here) = (try Folders(), try RadioHere { $0.timeScale = 1 })
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    try gateway.authorize()

    /// What is said before a change; without `--yes` and a terminal nothing is written.
    func shown(_ words: String...) throws -> String {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == 64 && program.errors.text.contains("--yes"))
        return program.output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    func setting(_ setting: String) throws -> String { try shown("radio", "config", "set", setting) }

    // Nobody was heard: there is nobody to speak of.
    #expect(try !setting("lora.modem_preset=MEDIUM_SLOW").contains("heard today"))
    #expect(try setting("lora.hop_limit=5").contains("A hop limit above 3"))

    // One without a relay, one four hops away; what comes by MQTT is not heard.
    for place in [0, 9, 7] { here.radio.sendText(from: here.radio.nodes[place].number, "from \(place)") }
    try gateway.eventually("all are heard") { try gateway.messages().count == 3 }
    #expect(
        try setting("lora.modem_preset=MEDIUM_SLOW").contains(
            "2 nodes that you heard today use LongFast: with MediumSlow you hear none of them."))
    #expect(
        try setting("lora.region=US").contains(
            "2 nodes that you heard today are in EU_868: in US you hear none of them."))
    #expect(
        try setting("lora.hop_limit=5").contains("Hop limit 5: 1 of your 2 nodes is more than three hops away."))
    #expect(try !setting("lora.hop_limit=2").contains("hops away"))
    #expect(try setting("device.role=ROUTER").contains("A router repeats every packet"))
    // A link with another key for the channel on which they write.
    let other = try RadioHere {
        $0.channels = [.init(index: 0, role: .primary, name: "Home", psk: Array(1...16))]
    }
    let link = try Program.run(
        "channel", "url", "--device", "tcp:127.0.0.1:\(other.radio.listen())", "--database", "\(folders.root)/other.db",
        in: folders)
    let words = try shown("channel", "add", link.output.trimmingCharacters(in: .newlines), "--replace")
    #expect(words.contains("2 nodes write on channel 0: with a new name or key they cannot be read."), "\(words)")
}
