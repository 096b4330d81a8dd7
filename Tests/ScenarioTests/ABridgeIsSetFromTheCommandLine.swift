import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Set, looked at, ended; and what passes it.
@Test func aBridgeIsSetFromTheCommandLine() throws {
    let broker = try PersistentBroker()
    try broker.start()
    let folders = try Folders()
    let here = try RadioHere()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: "\(folders.root)/brokers.d", withIntermediateDirectories: true)
    try "url = mqtt://127.0.0.1:\(broker.port)\n".write(
        toFile: "\(folders.root)/brokers.d/house.conf", atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    func type(_ line: String, exitCode: Int32 = 0) throws -> String {
        let command = try Program(line.split(separator: " ").map(String.init), in: folders, environment: environment)
        #expect(try command.exitCode() == exitCode, "\(line): \(command.errors.text)")
        return (exitCode == 0 ? command.output.text : command.errors.text).replacing("\n", with: " ")
    }
    func says(_ line: String, _ words: String..., exitCode: Int32 = 0) throws {
        let said = try type("conversation " + line, exitCode: exitCode)
        for word in words { #expect(said.contains(word), "\(line): \(said)") }
    }

    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    _ = try type("conversation add club --broker house --filter club/talk")
    try says("edit club --bridge Hikers", "json", exitCode: 65)
    try says("edit club --json --bridge Hikers", "bridge      channel 1, at most 20 texts an hour go there")
    try says("edit club --bridge hikers@Default --up-only --texts-per-hour 5", "channel 1, up only, at most 5 texts")
    try says("edit club --bridge 0", "already", exitCode: 65)
    #expect(try !type("conversation edit club --no-bridge").contains("bridge"))
    for (line, word, exitCode) in [
        ("--bridge Nowhere", "no channel", 66), ("--bridge 1@nowhere", "nowhere", 66), ("--up-only", "--bridge", 64),
        ("--bridge 1 --up-only --down-only", "either", 64), ("--bridge 1 --no-bridge", "either", 64),
        ("--bridge 1 --texts-per-hour 61", "1 to 60", 65),
    ] as [(String, String, Int32)] {
        try says("edit club \(line)", word, exitCode: exitCode)
    }
    try says("edit club --bridge 0", "bridge      channel 0, at most 20", "warning     channel 0 has uplinkEnabled")
    // Until the broker is there, and what lay there has come, nothing goes up.
    try here.say("Servus", to: gateway)
    _ = try type("send Hallo --to mqtt:club")
    try gateway.eventually("what was said on the channel is in the conversation") {
        try type("messages --with mqtt:club").contains("Servus")
    }
    try gateway.eventually("what is said in the conversation is on the channel") {
        here.texts.contains("mesh-gateway: Hallo")
    }
    try gateway.program.stop()
}
