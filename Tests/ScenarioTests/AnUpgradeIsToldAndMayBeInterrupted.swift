import CSQLite
import Foundation
import Testing

@testable import ServedProgram

/// A slow disk: the service manager is told again and again, ends it, and the next start makes it whole.
@Test func anUpgradeIsToldAndMayBeInterrupted() throws {
    let database = try ReleasedDatabase(format: 1)
    let folders = database.folders
    let disk = FaultyDisk(in: folders)
    let systemd = try NotifySocket(in: folders)
    let environment = try disk.environment.merging(systemd.environment) { $1 }
    let before = try #require(FileManager.default.contents(atPath: database.path))
    // From the first word to the end are some ten seconds: nobody is late, however busy this machine is.
    try disk.delay([.read], milliseconds: 500)
    let serving = try Program(
        ["serve", "--device", "simulated", "--listen", "127.0.0.1:0"], in: folders, environment: environment)
    let announced = try serving.errors.line(
        containing: "bringing the database \(database.path) (126 kB) from format 1 to ")
    #expect(announced.contains("of free disk space, and there are "))
    try systemd.wait(for: "the first word") { $0.contains("STATUS=bringing the database to format ") }
    serving.signal(SIGTERM)
    #expect(try serving.exitCode() == 0)
    #expect(serving.errors.text.contains("it is as it was, and the next start begins again"), "\(serving.errors.text)")
    #expect(FileManager.default.contents(atPath: database.path) == before)

    // A command on a terminal, which Ctrl-C ends.
    let command = try Program(["token", "create", "new"], in: folders, environment: disk.environment)
    _ = try command.errors.line(containing: "bringing the database")
    command.signal(SIGINT)
    // By the signal, or, where whoever has started it had that one blocked, as if it were.
    let code = try command.exitCode()
    #expect(code == -SIGINT || code == 128 + SIGINT, "\(code): \(command.errors.text)")
    #expect(command.output.text == "" && FileManager.default.contents(atPath: database.path) == before)

    // The next start begins again, and is waited for.
    let heard = systemd.messages.count
    let whole = try Program(
        ["serve", "--device", "simulated", "--listen", "127.0.0.1:0"], in: folders, environment: environment)
    let begun = try systemd.wait(for: "the first word", after: heard) {
        $0.contains("STATUS=bringing the database to ")
    }
    try systemd.wait(for: "another one", after: begun) { $0.contains("STATUS=bringing the database to format ") }
    #expect(systemd.messages.dropFirst(heard).count { $0 == "EXTEND_TIMEOUT_USEC=600000000" } >= 3)
    try disk.recover()
    try systemd.wait(for: "that it is ready", after: begun) { $0.contains("READY=1") }
    whole.signal(SIGTERM)
    #expect(try whole.exitCode() == 0)
    let again = try Program.run("token", "list", in: folders, environment: disk.environment)
    #expect(again.code == 0 && again.output.contains("phone") && !again.errors.contains("bringing"), "\(again)")
}

/// An older version says which one to install again, and changes nothing.
@Test func anOlderVersionNamesTheNewerOne() throws {
    let folders = try Folders()
    let path = "\(folders.root)/mesh.db"
    #expect(try Program.run("token", "create", "phone", "--database", path, in: folders).code == 0)
    try execute(
        "INSERT INTO format_history VALUES (99, '7.1.0', 0); PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)",
        on: path)
    let before = FileManager.default.contents(atPath: path)
    for command in [
        ["serve", "--device", "simulated", "--listen", "127.0.0.1:0"], ["token", "list"], ["nodes"],
        ["token", "create", "x"],
    ] {
        let refused = try Program(command + ["--database", path], in: folders)
        #expect(try refused.exitCode() == 65, "\(command)")
        let sentence = refused.errors.text
        #expect(
            sentence.contains("written by a newer version of mesh-gateway (format 99 of version 7.1.0"), "\(sentence)")
        #expect(sentence.contains("sudo apt install ./mesh-gateway_7.1.0_*.deb"), "\(sentence)")
        #expect(sentence.contains("mesh-gateway restore FILE"), "\(sentence)")
    }
    #expect(FileManager.default.contents(atPath: path) == before)
}

/// As another program does (`sqlite3_exec`).
private func execute(_ sql: String, on path: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(path, &database) == SQLITE_OK && sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
}
