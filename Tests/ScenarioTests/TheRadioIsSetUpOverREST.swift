import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// A radio as from the shop gets its region, its names, the channels of a link and one more in one request: it restarts once, and
/// the gateway goes on under its number.
@Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
func theRadioIsSetUpOverREST(_ firmware: SimulatorOptions.Firmware) throws {
    let (folders, here) = (try Folders(), try RadioHere { ($0.firmware, $0.isFresh) = (firmware, true) })
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    try gateway.authorize(scopes: ["admin"])
    let settings = "/api/v1/sources/default/radio/settings"

    let first = try gateway.client.get(settings).data
    #expect(first["regions"].rows.count == (firmware == .v2_7 ? 26 : 34))
    #expect(first["settings"].rows.first { $0["path"] == "lora.region" }?["value"] == "UNSET")
    let wish: JSON = [
        "changes": .array([
            ["path": "lora.region", "value": "EU_868", "was": "UNSET"], ["path": "owner.long_name", "value": "Hut"],
            ["path": "owner.short_name", "value": "HUT"], ["path": "lora.hop_limit", "value": 4],
            // Its section has the key pair, which the radio makes in the middle of the edit.
            ["path": "security.debug_log_api_enabled", "value": true],
        ]),
        "channels": .array([["index": 1, "name": "Club", "psk": "new"]]),
        // One channel with the public key, hop limit 3 and EU_868.
        "link": ["url": "https://meshtastic.org/e/#CgcSAQE6AggNEgwIATgBQANIAVAbaAE", "replace": true],
    ]
    let body = try JSONEncoder().encode(wish)
    let answer = try gateway.client.request("PATCH", settings, ["Content-Type: application/json"], body: body)
    #expect(answer.status == 200, "\(answer.text)")
    let change = try answer.data
    #expect(change["isDone"] == true && change["restarts"] == true)
    #expect(change["changes"].rows.allSatisfy { $0["error"] == .null && $0["isTaken"] == true }, "\(answer.text)")
    // What the request says itself counts more than its link.
    #expect(change["changes"].rows.first { $0["path"] == "lora.hop_limit" }?["taken"] == 4)
    #expect(change["channels"].rows.first { $0["index"] == 1 }?["new"]["name"] == "Club")

    let new = here.radio.number
    var own: JSON = .null
    try gateway.eventually("the radio has restarted, and the gateway has its names, key and number") {
        let result = try Program.run("radio", "info", "--json", in: folders)
        guard result.code == 0 else { return false }
        own = try JSONDecoder().decode(JSON.self, from: Data(result.output.utf8))
        return own["rebootCount"].integer ?? 0 > 1 && own["nodeId"] == .string(new.id)
    }
    // Once, and with one key pair.
    #expect(here.radio.number == new && (firmware == .v2_7 || new == here.radio.publicKey.nodeNumber))
    #expect(own["rebootCount"] == 2 && own["longName"] == "Hut" && own["publicKey"] != .null)
    #expect(try gateway.client.get("/api/v1/sources").data.rows.count == 1)
    let channels = try gateway.client.get("/api/v1/sources/default/channels").data.rows
    #expect(channels.first { $0["id"] == 1 }?["encryptionStatus"] == "secure")
}
