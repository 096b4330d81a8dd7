import Foundation
import Testing

@testable import ServedProgram

/// How often a thread of the daemon has gone to sleep, by its name; nil: there is none.
private func sleeps(of name: String, in process: pid_t) throws -> Int? {
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
        let folder = "/proc/\(process)/task/\(thread)"
        guard let comm = try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8), comm == "\(name)\n" else {
            continue
        }
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int($0) }
    }
    return nil
}

/// Counted while the mesh talks and rules listen.
@Test func aTargetWithNothingToTellIsNotWoken() throws {
    let server = try LoopbackServer(status: 200)
    let folders = try Folders()
    let mesh = try ToldByADaemon(
        ["phone.conf": "kind = ntfy\nurl = \(server.url)/topic\nallow-local = yes\n"], tell: "phone", in: folders)
    let process = mesh.gateway.program.process
    mesh.say("told")
    #expect(server.wait(for: 1))
    try mesh.gateway.eventually("nothing waits") {
        try mesh.gateway.client.get("/api/v1/targets").json["targets"].rows[0]["waiting"] == 0
    }
    // It goes to sleep after its last commit, for which a busy disk may take its time.
    var (before, quiet) = (try #require(try sleeps(of: "targets", in: process)), 0)
    try mesh.gateway.eventually("it sleeps") {
        usleep(200_000)
        let now = try sleeps(of: "targets", in: process)
        quiet = now == before ? quiet + 1 : 0
        before = now ?? 0
        return quiet == 10
    }
    for number in 0..<30 { try mesh.here.say("not told \(number)", to: mesh.gateway) }
    #expect(try sleeps(of: "targets", in: process) == before)
    #expect(server.received.count == 1)
    try mesh.gateway.program.stop()
}

/// Also where rules name one.
@Test func withoutTargetsThereIsNoThreadNoRowAndNoProcess() throws {
    let folders = try Folders()
    let mesh = try ToldByADaemon([:], tell: "phone", in: folders)
    let process = mesh.gateway.program.process
    mesh.say("told in the feed alone")
    try mesh.gateway.eventually("it is in the feed") {
        try !mesh.gateway.client.get("/api/v1/notifications").json["notifications"].rows.isEmpty
    }
    #expect(try sleeps(of: "targets", in: process) == nil)
    let children = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").map {
        (try? String(contentsOfFile: "/proc/\(process)/task/\($0)/children", encoding: .utf8)) ?? ""
    }
    #expect(children.allSatisfy { $0.isEmpty }, "\(children)")
    try mesh.gateway.program.stop()
    let database = "\(folders.state)/mesh-gateway/mesh.db"
    for table in ["dispatches", "targets"] {
        #expect(try rows("SELECT * FROM \(table)", in: database).isEmpty, "\(table)")
    }
}
