import Foundation
import Testing

@testable import ServedProgram

/// From a backup to the gateway of that day: its messages, its tokens. What was there meanwhile is put aside.
@Test func aRestorationKeepsTheOldDatabase() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.nodes = 3 }
    let device = "tcp:127.0.0.1:\(try here.radio.listen())"
    let backup = "\(folders.root)/backup"
    func run(_ words: String..., expecting code: Int32 = 0) throws -> (output: String, errors: String) {
        let program = try Program(words, in: folders)
        #expect(try program.exitCode() == code, "\(words): \(program.errors.text)")
        return (program.output.text, program.errors.text)
    }

    var gateway = try ServedGateway(device: device, in: folders)
    try gateway.authorize()
    try gateway.waitUntilLive()
    let early = try gateway.post(["text": "before the backup", "channel": 0])["messageId"]
    let nodes = try gateway.client.get("/api/v1/nodes").data.rows.count
    let said = try run("backup", backup)
    #expect(said.output.contains("was checked") && said.output.contains("keep it private"), "\(said.output)")
    let permissions = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? NSNumber
    #expect(permissions?.intValue == 0o600)
    let late = try gateway.post(["text": "after the backup", "channel": 0])["messageId"]

    // Beside a daemon, and over a database.
    #expect(try run("restore", backup, "--replace", expecting: 69).errors.contains("in use by another mesh-gateway"))
    try gateway.program.stop()
    let refused = try run("restore", backup, expecting: 73)
    #expect(refused.errors.contains("there is a database already") && refused.errors.contains("--replace"))

    let restored = try run("restore", backup, "--replace")
    let kept = try #require(restored.output.replacing("\n", with: " ").firstMatch(of: /of before is (\S+\.2\S+)\./)?.1)
    let token = gateway.client.token
    gateway = try ServedGateway(device: device, in: folders)
    gateway.client.token = token
    #expect(try gateway.message(early)["text"] == "before the backup")
    #expect(try gateway.client.get("/api/v1/messages/\(late.string ?? "")").status == 404)
    #expect(try gateway.client.get("/api/v1/nodes").data.rows.count >= nodes)
    try gateway.program.stop()

    // The old one is whole, and has what the backup has not.
    gateway = try ServedGateway(device: device, in: folders, ["--database", String(kept)])
    gateway.client.token = token
    #expect(try gateway.message(late)["text"] == "after the backup")
    try gateway.program.stop()
}

@Suite(.enabled(if: geteuid() == 0, "files are given away by root")) struct WhatRootRestoresBelongsToTheService {
    @Test func noFileBecomesRoots() throws {
        let folders = try Folders()
        let databases = Databases(folders: folders)
        let service = "\(folders.root)/service"
        try FileManager.default.createDirectory(atPath: service, withIntermediateDirectories: false)
        try #require(chown(service, 64_123, 64_124) == 0)
        try databases.make("service/mesh.db", rows: 100)
        let place = ["--database", "\(service)/mesh.db"]
        for words in [
            ["backup", "\(service)/backup"], ["backup", "\(folders.root)/elsewhere"],
            ["restore", "\(folders.root)/elsewhere", "--replace"],
        ] {
            let program = try Program(words + place, in: folders)
            #expect(try program.exitCode() == 0, "\(program.errors.text)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: service)
        #expect(names.count > 3)
        for name in names {
            var status = stat()
            try #require(stat("\(service)/\(name)", &status) == 0)
            #expect(status.st_uid == 64_123 && status.st_gid == 64_124, "\(name)")
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
        var elsewhere = stat()
        try #require(stat("\(folders.root)/elsewhere", &elsewhere) == 0)
        #expect(elsewhere.st_uid == 0)
    }
}
