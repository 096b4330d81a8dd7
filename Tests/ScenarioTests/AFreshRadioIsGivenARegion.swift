import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A radio as from the shop gets its region and its names in one edit. With firmware 2.8 it has another number from the region on,
/// before the edit is committed.
@Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
func aFreshRadioIsGivenARegion(_ firmware: SimulatorOptions.Firmware) throws {
    let (folders, here) = (try Folders(), try RadioHere { ($0.firmware, $0.isFresh) = (firmware, true) })
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    let old = here.radio.number
    let change = try Program(
        ["radio", "config", "set", "--yes", "lora.region=EU_868", "owner.long_name=Hut", "owner.short_name=HUT"],
        in: folders)
    #expect(try change.exitCode() == 0, "\(change.errors.text)")
    #expect(change.output.text.contains("With its first region the radio makes its key pair"))

    let new = here.radio.number
    #expect((new == old) == (firmware == .v2_7))
    #expect(firmware == .v2_7 || new == here.radio.publicKey.nodeNumber)
    // It has restarted, and the gateway goes on under its number.
    var own: JSON = .null
    try gateway.eventually("the gateway has the radio's names, key and number") {
        let result = try Program.run("radio", "info", "--json", in: folders)
        guard result.code == 0 else { return false }
        own = try JSONDecoder().decode(JSON.self, from: Data(result.output.utf8))
        return own["rebootCount"].integer ?? 0 > 1 && own["nodeId"] == .string(new.id)
    }
    #expect(own["longName"] == "Hut" && own["shortName"] == "HUT" && own["region"] == "EU_868")
    #expect(own["publicKey"] == .string(Data(here.radio.publicKey.bytes).base64EncodedString()))
    let status = try Program.run("status", "--json", in: folders)
    let page = try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))
    #expect(page["sources"].rows.count == 1 && !status.output.contains("region-unset"), "\(status.output)")
    #expect(try Program.run("send", "--channel", "0", "from the Hut", in: folders).code == 0)
    try gateway.eventually("the radio has the text") { here.texts == ["from the Hut"] }
}

/// The same by a file, which also says who may administer the radio: the section of that has the key pair, which the radio makes in
/// the middle of the edit.
@Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
func aFreshRadioIsGivenAFile(_ firmware: SimulatorOptions.Firmware) throws {
    let (folders, here) = (try Folders(), try RadioHere { ($0.firmware, $0.isFresh) = (firmware, true) })
    let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    let key = Data(repeating: 0xAB, count: 32).base64EncodedString()
    let file = try folders.file(
        "hut.yaml",
        """
        owner: Hut
        config:
          security: {adminKey: ['base64:\(key)'], debugLogApiEnabled: true}
          lora: {region: EU_868}
        module_config:
          mqtt: {root: msh/test}
        """)
    let imported = try Program(["radio", "config", "import", file, "--yes"], in: folders)
    #expect(try imported.exitCode() == 0, "\(imported.output.text)\(imported.errors.text)")
    let new = here.radio.number
    #expect(firmware == .v2_7 || new == here.radio.publicKey.nodeNumber)
    var settings = ""
    try gateway.eventually("the radio is back with all of it, and its keys") {
        let result = try Program.run(
            "radio", "config", "get", "security", "lora.region", "mqtt.root", "owner.long_name", in: folders)
        settings = result.output
        return result.code == 0
    }
    for words in [key, "EU_868", "msh/test", "Hut", "set, 32 bytes"] {
        #expect(settings.contains(words), "\(words) is not in \(settings)")
    }
    #expect(here.radio.number == new, "its key pair was made once")
}
