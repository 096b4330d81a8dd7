import Foundation
import Testing

@testable import ServedProgram

/// `waiting` is what is to be sent, with a daemon and without one; what a rule's quiet hours hold is `held` beside it.
@Test func whatQuietHoursHoldIsCountedApart() throws {
    let (folders, here) = (try Folders(), try RadioHere())
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    func write(_ path: String, _ lines: String...) throws {
        let path = "\(folders.root)/\(path)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
    // Nobody answers there.
    try write("targets.d/phone.conf", "kind = ntfy", "url = http://127.0.0.1:1/topic", "allow-local = yes")
    // The tests run in UTC.
    let minute = Int(Date().timeIntervalSince1970) / 60
    func clock(_ offset: Int) -> String {
        let time = (minute + offset) % 1_440
        return String(format: "%02d:%02d", time / 60, time % 60)
    }
    try write("rules.d/night.conf", "when = message", "tell = phone", "quiet = \(clock(-120))-\(clock(120))")
    try write("rules.d/loud.conf", "when = message", "tell = phone")
    let environment = ["MESH_GATEWAY_CONFIG": file]
    var gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.authorize(scopes: ["admin"])
    try gateway.waitUntilLive()
    let served = gateway
    try served.eventually("the rules are at work") {
        try served.client.get("/api/v1/rules").json["rules"].rows.filter { $0["inForce"] == true }.count == 2
    }
    for text in ["one", "two", "three"] { here.radio.sendText(from: here.radio.nodes[0].number, text) }

    func counts(_ page: JSON) -> [Int?] {
        let target = page["targets"].rows.first
        return [target?["waiting"].integer, target?["held"].integer]
    }
    func listed() throws -> [Int?] {
        let list = try Program(["target", "list", "--json"], in: folders, environment: environment)
        #expect(try list.exitCode() == 0, "\(list.errors.text)")
        return counts(try JSONDecoder().decode(JSON.self, from: list.output.data))
    }
    try served.eventually("three wait, and three are held") {
        try counts(served.client.get("/api/v1/targets").json) == [3, 3]
    }
    #expect(try listed() == [3, 3])
    let metrics = try served.client.get("/api/v1/metrics").text
    #expect(metrics.contains("mesh_gateway_target_waiting{target=\"phone\"} 3\n"), "\(metrics)")
    #expect(metrics.contains("mesh_gateway_target_held{target=\"phone\"} 3\n"), "\(metrics)")
    let shown = try Program(["target", "list"], in: folders, environment: environment)
    #expect(try shown.exitCode() == 0 && shown.output.text.contains("HELD"), "\(shown.output.text)")
    try gateway.program.stop()
    #expect(try listed() == [3, 3], "the same without a daemon")
}
