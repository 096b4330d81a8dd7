import Foundation
import Testing

@testable import ServedProgram

/// A topic of ntfy that not everybody may write to: `target add` asks for its token, or reads it from a file, and no argument,
/// answer or page has it.
@Test func aTopicThatWantsATokenGetsIt() throws {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    let server = try LoopbackServer { request, connection in
        let isKnown = request.headers["authorization"] == "Bearer tk_geheim"
        say("HTTP/1.1 \(isKnown ? 200 : 401) X\r\nContent-Length: 0\r\n\r\n", connection)
    }
    let here = try RadioHere()
    let gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    func type(
        _ line: String, input: String = "", exitCode: Int32 = 0, atTerminal: Bool = false
    ) throws -> String {
        var words = line.split(separator: " ").map(String.init)
        // In which somebody types the input.
        let terminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        if atTerminal { words = [python, "-c", terminal, Program.path] + words }
        let command = try Program(
            words, in: folders, input: input, staysOpen: atTerminal, environment: environment,
            executable: atTerminal ? "/usr/bin/env" : Program.path)
        let code = try command.exitCode()
        let said = command.output.text + command.errors.text
        #expect(code == exitCode, "\(line): \(said)")
        return said
    }
    let add = "target add phone ntfy --url-file - --allow-local"
    let url = "\(server.url)/topic\n"
    var said = [try type("\(add) --token-file -", input: url + "tk_geheim\n")]
    let secret = "\(folders.root)/targets.d/phone.secret"
    let mode = try #require(try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int)
    #expect(mode & 0o007 == 0, "\(String(mode, radix: 8))")
    said.append(try type("target test phone"))
    said.append(try type("target show phone --json"))
    #expect(!said.contains { $0.contains("geheim") }, "\(said)")
    _ = try type("target remove phone")
    #expect(!FileManager.default.fileExists(atPath: secret))

    // Without one no file is made, and what reads the address from a file asks nothing.
    _ = try type(add, input: url)
    #expect(!FileManager.default.fileExists(atPath: secret))
    #expect(try type("target test phone", exitCode: 69).contains("it wants a token"))
    _ = try type("target remove phone")
    #expect(try type("\(add) --token-file -", input: url, exitCode: 65).contains("no token"))
    #expect(try type("\(add) --token-file -", input: url + "tk_gehe\u{1}im\n", exitCode: 64).contains("no token"))
    let folder = try FileManager.default.contentsOfDirectory(atPath: "\(folders.root)/targets.d")
    #expect(folder.isEmpty, "\(folder)")
    #expect(
        try type("target add box alive --url-file - --token-file -", input: url, exitCode: 64).contains("ntfy only"))

    // Whoever types is asked.
    _ = try type("target add phone ntfy --allow-local", input: url + "tk_geheim\n", atTerminal: true)
    _ = try type("target test phone")
    _ = try type("target add open ntfy --allow-local", input: url + "\n", atTerminal: true)
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/targets.d/open.secret"))
    try gateway.program.stop()
}
