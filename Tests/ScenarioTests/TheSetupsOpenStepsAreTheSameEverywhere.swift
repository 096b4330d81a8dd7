import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

/// What a radio from the shop still needs is in `self`, `me` and `status`, and gone from each when it has been done. The restart
/// that this brings is no news for any rule.
@Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
func theSetupsOpenStepsAreTheSameEverywhere(_ firmware: SimulatorOptions.Firmware) throws {
    let (folders, here) = (try Folders(), try RadioHere { ($0.firmware, $0.isFresh) = (firmware, true) })
    let settings = try folders.file("gateway.conf", "")
    try FileManager.default.createDirectory(atPath: "\(folders.root)/rules.d", withIntermediateDirectories: false)
    for (name, when) in ["lost": "radio lost", "rebooted": "rebooted", "number": "problem node-number-changed"] {
        _ = try folders.file("rules.d/\(name).conf", "when = \(when)\n")
    }
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: ["MESH_GATEWAY_CONFIG": settings])
    try gateway.waitUntilLive()
    try gateway.authorize(scopes: ["admin"])
    func steps() throws -> [JSON] {
        let status = try Program.run("status", "--json", in: folders)
        let page = try JSONDecoder().decode(JSON.self, from: Data(status.output.utf8))
        return [
            page["sources"].rows[0]["setup"], try gateway.client.get("/api/v1/sources/default/self").data["setup"],
            try gateway.client.get("/api/v1/me").data["sources"].rows[0]["setup"],
        ]
    }
    func three(_ steps: JSON) -> [JSON] { [steps, steps, steps] }
    #expect(try steps() == three(.array(["region", "name"])))
    #expect(
        try Program.run("status", in: folders).output
            .contains("region and name, on the page, with the link of: mesh-gateway token create setup"))

    func change(_ changes: JSON...) throws {
        let body = try JSONEncoder().encode(["changes": JSON.array(changes)])
        let answer = try gateway.client.request(
            "PATCH", "/api/v1/sources/default/radio/settings", ["Content-Type: application/json"], body: body)
        #expect(answer.status == 200, "\(answer.text)")
    }
    // 2.8 takes a region without a restart.
    try change(
        ["path": "lora.region", "value": "EU_868"], ["path": "security.debug_log_api_enabled", "value": true])
    try gateway.eventually("the radio restarts, and whoever asks is told so") {
        try gateway.client.get("/api/v1/sources/default/self").data["link"]["restarting"] == true
    }
    try gateway.eventually("it is back, with a region") {
        try gateway.client.get("/api/v1/sources/default/self").data["connected"] == true
            && steps() == three(.array(["name"]))
    }
    #expect(try gateway.client.get("/api/v1/sources/default/self").data["link"]["restarting"] == false)
    try change(["path": "owner.long_name", "value": "Hut"])
    try gateway.eventually("its name is its own") { try steps() == three(.array([])) }
    #expect(try !Program.run("status", in: folders).output.contains("set up"))
    let told = try gateway.client.get("/api/v1/notifications").json["notifications"]
    #expect(told.rows.isEmpty, "\(told)")
}
