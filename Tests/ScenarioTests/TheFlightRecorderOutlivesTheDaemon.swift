import Foundation
import Testing

@testable import ServedProgram

/// What went over the link is kept in memory, also of a daemon that was killed; saved, it can be replayed elsewhere, and
/// says what the daemon's own API said.
@Test func theFlightRecorderOutlivesTheDaemon() throws {
    let folders = try Folders()
    var gateway = try ServedGateway(device: "simulated:nodes=5", in: folders)
    try gateway.waitUntilLive()
    try gateway.authorize()
    let names = try Set(gateway.client.get("/api/v1/nodes").data.rows.compactMap { $0["longName"].string })
    #expect(names.count == 6)
    gateway.program.signal(SIGKILL)
    #expect(try gateway.program.exitCode() == -SIGKILL)

    let file = folders.root + "/saved.jsonl"
    let saved = try Program.run("capture", "last", "10m", file, "--json", in: folders)
    #expect(saved.code == 0, "\(saved.errors)")
    let summary = try JSONDecoder().decode(JSON.self, from: Data(saved.output.utf8))
    #expect(summary["schema"] == "capture/1" && summary["via"] == "recorder")
    let again = try Program.run("capture", "last", "10m", file, in: folders)
    #expect(again.code == 73)
    #expect(again.errors.contains("--force"))

    let replay = try Program.run("replay", file, "--json", "--api", "/api/v1/nodes", in: folders)
    #expect(replay.code == 0, "\(replay.errors)")
    let result = try JSONDecoder().decode(JSON.self, from: Data(replay.output.utf8))
    #expect(result["schema"] == "replay/1")
    let replayed = result["answers"].rows.first?["body"]["data"].rows ?? []
    #expect(Set(replayed.compactMap { $0["longName"].string }) == names)
}

/// A capture beside a running daemon goes on until Ctrl-C and begins with the radio's settings and nodes, so that it can be
/// replayed although it began in the middle.
@Test func aCaptureBesideTheDaemonBeginsWithTheHandshake() throws {
    let folders = try Folders()
    let gateway = try ServedGateway(device: "simulated:nodes=5", in: folders)
    try gateway.waitUntilLive()
    let file = folders.root + "/live.jsonl"
    let capture = try Program.run("capture", file, "--for", "1s", in: folders)
    #expect(capture.code == 0, "\(capture.errors)")
    #expect(capture.output.contains("saved in"))
    let kept = folders.root + "/kept.db"
    let replay = try Program.run("replay", file, "--json", "--database", kept, in: folders)
    #expect(replay.code == 0, "\(replay.errors)")
    #expect(try JSONDecoder().decode(JSON.self, from: Data(replay.output.utf8))["nodes"] == 6)
    #expect(FileManager.default.fileExists(atPath: kept))
    let refused = try Program.run("replay", file, "--database", kept, in: folders)
    #expect(refused.code == 73)
    #expect(refused.errors.contains("--force"))

    let endless = try Program(["capture", folders.root + "/endless.jsonl"], in: folders)
    usleep(300_000)
    endless.signal(SIGINT)
    #expect(try endless.exitCode() == 130)
    #expect(FileManager.default.fileExists(atPath: folders.root + "/endless.jsonl"))
    try gateway.program.stop()
}

/// Without a daemon the command has the radio itself.
@Test func aCaptureWithoutADaemonAsksTheRadio() throws {
    let folders = try Folders()
    let file = folders.root + "/own.jsonl"
    let capture = try Program.run(
        "capture", file, "--for", "1s", "--json", "--device", "simulated:nodes=5", in: folders)
    #expect(capture.code == 0, "\(capture.errors)")
    #expect(try JSONDecoder().decode(JSON.self, from: Data(capture.output.utf8))["via"] == "radio")
    let replay = try Program.run("replay", file, "--json", in: folders)
    #expect(try JSONDecoder().decode(JSON.self, from: Data(replay.output.utf8))["nodes"] == 6, "\(replay.errors)")
}

@Test func aBadRecordingIsOneSentence() throws {
    let folders = try Folders()
    let bad = try folders.file("bad.jsonl", "{\"t\": 0, \"dir\": \"ev\", \"hex\": \"\"}\nnothing of the kind\n")
    let empty = try folders.file("empty.jsonl", "")
    for (arguments, code, part) in [
        (["replay", bad], 65, "line 2 of"),
        (["replay", empty], 65, "no complete handshake"),
        (["replay", "/nonexistent.jsonl"], 66, "No such file"),
        (["replay", empty, "--speed", "fast"], 64, "--speed max"),
        (["replay", empty, "--at", "noon"], 64, "--at 2026"),
        (["replay", empty, "--api", "nodes"], 64, "--api /api/v1/nodes"),
        (["capture", "last", "10m"], 66, "mesh-gateway serve"),
        (["capture", "last", "soon"], 64, "30m"),
        (["capture", folders.root, "--for", "1s"], 73, "this is a folder"),
        (["capture", "-", "--json"], 64, "name a file"),
    ] {
        let program = try Program(arguments, in: folders)
        #expect(try program.exitCode() == Int32(code), "\(arguments)")
        #expect(program.errors.text.contains(part), "\(program.errors.text)")
        #expect(program.errors.text.split(separator: "\n").count == 1, "\(program.errors.text)")
    }
}
