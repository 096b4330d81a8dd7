import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// Every thirty simulated seconds, twice, or twelve times when MESH_GATEWAY_TEST_FULL is set. Nothing is left behind by
/// a reboot, and nothing gets lost by it.
@Test func aRadioThatRebootsAgainAndAgainIsFollowed() throws {
    let reboots = isFullRun ? 12 : 2
    let here = try RadioHere {
        $0.misbehaviour = .reboots
        $0.rebootInterval = 30
    }
    let folders = try Folders()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    try gateway.eventually("all nodes are there") { try gateway.client.get("/api/v1/nodes").data.rows.count == 25 }
    let (before, handshakes) = (Resources(of: gateway.program), here.radio.completedHandshakes)
    for reboot in 1...reboots {
        let sent = try Program.run("send", "--channel", "0", "--queue", "text \(reboot)", in: folders)
        #expect(sent.code == 0, "\(sent.errors)")
        try gateway.eventually("reboot \(reboot) has been followed") {
            let isLive = try gateway.client.get("/api/v1/status").data["link"]["state"] == "live"
            return isLive && here.radio.completedHandshakes >= handshakes + reboot
        }
    }
    for reboot in 1...reboots {
        try gateway.eventually("text \(reboot) has gone out") { here.texts.contains("text \(reboot)") }
    }
    #expect(try gateway.client.get("/api/v1/nodes").data.rows.count == 25)
    #expect(try gateway.client.get("/api/v1/sources").data.rows.count == 1)
    // How often is said once it is a nuisance.
    let status = try Program.run("status", in: folders)
    #expect(status.output.contains("keeps-restarting") == (reboots > 3), "\(status.output)")
    let after = Resources(of: gateway.program)
    #expect(after.descriptors <= before.descriptors + 4)
    #expect(after.threads <= before.threads + 2)
    if !Program.isSanitized { #expect(gateway.program.residentBytes < before.bytes + 4_000_000) }
    try gateway.program.stop()
}

private struct Resources {
    let descriptors: Int
    let threads: Int
    let bytes: Int

    init(of program: Program) {
        func entries(of folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.process)/\(folder)").count) ?? .max
        }
        descriptors = entries(of: "fd")
        threads = entries(of: "task")
        bytes = program.residentBytes
    }
}
