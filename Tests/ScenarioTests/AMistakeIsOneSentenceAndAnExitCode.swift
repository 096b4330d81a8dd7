import Foundation
import Testing

@testable import ServedProgram

/// Runs what must fail: exit code, one line on standard error, nothing on standard output.
private func failing(_ arguments: [String], in folders: Folders, environment: [String: String] = [:]) throws -> (
    code: Int32, sentence: String
) {
    let program = try Program(arguments, in: folders, environment: environment)
    let code = try program.exitCode()
    #expect(program.output.text.isEmpty, "\(program.output.text)")
    return (code, program.errors.text)
}

@Test(arguments: [
    (["serve", "--devcie", "auto"], "did you mean '--device'?"),
    (["serve", "--listen"], "the value of '--listen <host:port>' is missing"),
    (["sreve"], "did you mean serve?"),
    (["token", "revok", "phone"], "did you mean revoke?"),
    (["help", "nods"], "did you mean nodes?"),
    (["token", "create"], "name"),
    (["simulate"], "--tcp 4403"),
    (["simulate", "--tcp", "0", "--misbehave", "manners"], "wrong-nonce"),
    (["simulate", "--tcp", "99999"], "99999"),
])
func aWrongOptionIsUsageError(arguments: [String], part: String) throws {
    let (code, text) = try failing(arguments, in: Folders())
    #expect(code == 64)
    #expect(text.contains(part), "\(text)")
    // What is wrong, and what to type.
    #expect(text.split(separator: "\n").count <= 4 && text.contains(" --help\n"), "\(text)")
}

@Test(arguments: [
    (["serve", "--device", "radio"], [:], "option --device: device cannot be \"radio\""),
    (["serve", "--listen", "127.0.0.1:99999"], [:], "option --listen: listen cannot be \"127.0.0.1:99999\""),
    (["serve", "--log-level", "loud"], [:], "trace, debug, info, notice, warning, error"),
    (["serve"], ["MESH_GATEWAY_LOG_LEVLE": "info"], "MESH_GATEWAY_LOG_LEVEL"),
    (["serve", "--config", "/nonexistent/mesh.conf"], [:], "/nonexistent/mesh.conf cannot be read: No such file"),
    (["status", "--config", "/nonexistent/mesh.conf"], [:], "/nonexistent/mesh.conf cannot be read: No such file"),
])
func aWrongSettingIsAConfigurationError(arguments: [String], environment: [String: String], part: String) throws {
    let (code, text) = try failing(arguments, in: Folders(), environment: environment)
    #expect(code == 78)
    #expect(text.contains(part))
    #expect(text.split(separator: "\n").count == 1)
}

@Test func aMistakeInTheFileIsNamedWithItsLine() throws {
    let folders = try Folders()
    let file = try folders.file("mesh.conf", "# my gateway\ndevice = simulated\ndatabse = /tmp/x.db\n")
    let (code, text) = try failing(["serve", "--config", file], in: folders)
    #expect(code == 78)
    #expect(text == "mesh-gateway: \(file):3: unknown key \"databse\"; did you mean \"database\"?\n")
    let value = try folders.file("value.conf", "log-level = shouting\n")
    #expect(
        try failing(["serve", "--config", value], in: folders).sentence.contains(
            "\(value):1: log-level cannot be \"shouting\""))
}

@Test func anUnusableDatabaseIsNotTouched() throws {
    let folders = try Folders()
    let text = try folders.file("notes.txt", String(repeating: "This is no database. ", count: 100))
    let newer = "\(folders.root)/newer.db"
    let made = try Program.run("token", "create", "phone", "--database", newer, in: folders)
    #expect(made.code == 0)
    try setUserVersion(of: newer, to: 9999)
    // file | exit code | part of the sentence
    let cases: [(String, Int32, String)] = [
        (text, 65, "this file is not a database"),
        (newer, 65, "written by a newer version of mesh-gateway (format 9999"),
        ("\(folders.root)/no/such/folder/mesh.db", 73, "there is no such folder"),
        (folders.state, 65, "\(folders.state): this is a folder"),
    ]
    for (database, expected, part) in cases {
        let before = FileManager.default.contents(atPath: database)
        for command in [["serve", "--device", "simulated", "--listen", "127.0.0.1:0"], ["token", "create", "x"]] {
            let (code, sentence) = try failing(command + ["--database", database], in: folders)
            #expect(code == expected, "\(sentence)")
            #expect(sentence.contains(part))
            #expect(sentence.split(separator: "\n").count == 1)
        }
        #expect(FileManager.default.contents(atPath: database) == before)
    }
}

@Test func withoutADaemonAndADatabaseThereIsAdvice() throws {
    let folders = try Folders()
    for command in [["status"], ["token", "list"], ["token", "revoke", "x"]] {
        let (code, text) = try failing(command, in: folders)
        #expect(code == 66)
        #expect(text.contains("start one with: mesh-gateway serve"))
    }
}

/// Bytes 60 to 63 of a SQLite file, big-endian (file format 1.3).
private func setUserVersion(of path: String, to version: UInt32) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: 60)
    try file.write(contentsOf: withUnsafeBytes(of: version.bigEndian) { Data($0) })
    try file.close()
}
