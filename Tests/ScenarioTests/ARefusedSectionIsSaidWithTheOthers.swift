import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Several sections are written at once. When the radio refuses one of them, those before it stay: the command says what the radio
/// has of each.
@Test func aRefusedSectionIsSaidWithTheOthers() throws {
    let (folders, here) = (try Folders(), try RadioHere { $0.timeScale = 1 })
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    let refused = ["mqtt.enabled=true", "mqtt.tls_enabled=true", "mqtt.proxy_to_client_enabled=false"]
    let settings = ["lora.hop_limit=5"] + refused + ["neighbor_info.update_interval=30000"]
    let program = try Program(["radio", "config", "set", "--yes"] + settings, in: folders)
    #expect(try program.exitCode() == 65)
    let lines = program.output.text.split(separator: "\n")
    #expect(lines.contains("lora.hop_limit: 5, as it was to be"), "\(program.output.text)")
    #expect(lines.contains { $0.hasPrefix("mqtt.tls_enabled: ") && $0.hasSuffix(", not changed") })
    #expect(lines.contains { $0.hasPrefix("neighbor_info.update_interval: ") && $0.hasSuffix(", not changed") })
    #expect(program.errors.text.contains("refused"), "\(program.errors.text)")
    let asked = try Program.run("radio", "config", "get", "lora.hop_limit", in: folders)
    #expect(asked.output == "5\n")

    // As JSON, too; and what it has is what a later command finds.
    let json = try Program(
        ["radio", "config", "set", "--yes", "lora.hop_limit=4"] + refused + ["--json"], in: folders)
    #expect(try json.exitCode() == 65)
    let page = try JSONDecoder().decode(JSON.self, from: json.output.data)
    #expect(try PublishedSchema("radio-action").flaws(of: page) == [])
    #expect(page["isDone"] == false && page["refusal"].string?.contains("refused") == true)
    #expect(page["changes"].rows.prefix(3).map { $0["isTaken"] } == [true, false, false])
    try gateway.program.stop()
}
