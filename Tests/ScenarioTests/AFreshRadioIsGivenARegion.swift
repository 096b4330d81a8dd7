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
