import Foundation
import Testing

@testable import ServedProgram

/// `mqtt add` asks for the password, writes both files, connects and says where the devices appear; what is wrong with either file is
/// said by `config check`, and a test that fails ends with 69.
@Test func aBrokerIsAddedFromTheCommandLine() throws {
    let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let environment = ["MESH_GATEWAY_CONFIG": file]
    let (place, port) = try reservedBrokerPort()
    defer { close(place) }
    let mosquitto = try mosquittoWithPassword(port, in: folders)
    defer { mosquitto.signal(SIGKILL) }
    let here = try RadioHere()
    let gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    try gateway.waitUntilLive()
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
    /// Other checks may find something on this computer.
    func doctorSays(_ check: String) throws -> String {
        let command = try Program(["doctor", "--json"], in: folders, environment: environment)
        _ = try command.exitCode()
        let checks = try JSONDecoder().decode(JSON.self, from: Data(command.output.text.utf8))["checks"].rows
        return checks.first { $0["name"].string == check }?["message"].string ?? "there is no \(check)"
    }
    let url = "mqtt://mesh@127.0.0.1:\(port)"
    let secret = "\(folders.root)/brokers.d/house.password"
    #expect(try type("mqtt").contains("mqtt add house"))

    // What cannot be writes nothing.
    #expect(try type("mqtt add House \(url)", exitCode: 64).contains("a-z, 0-9 and -"))
    #expect(try type("mqtt add house http://h", exitCode: 64).contains("mqtt:// or mqtts://"))
    #expect(try type("mqtt add house mqtt://u:pw@h", exitCode: 64).contains("does not belong in the url"))
    #expect(try type("mqtt add house \(url)", exitCode: 64).contains("--password-file"))
    #expect(try type("mqtt add house \(url) --password-file -", input: "\n", exitCode: 65).contains("no password"))
    #expect(try type("mqtt add house \(url) --show some", exitCode: 64).contains("favourites, direct, all"))
    #expect(!FileManager.default.fileExists(atPath: "\(folders.root)/brokers.d"))

    // Whoever types is asked.
    let added = try type("mqtt add house \(url) --show all", input: "geheim\n", atTerminal: true)
    #expect(added.contains("Password of mesh") && added.contains("Devices & services, MQTT"), "\(added)")
    let mode = try #require(try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int)
    #expect(mode & 0o007 == 0, "\(String(mode, radix: 8))")
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == "geheim\n")
    try gateway.eventually("the daemon's own connection is live") { try type("mqtt status").contains("live") }
    #expect(try type("config check").contains("no mistakes"))
    #expect(try type("mqtt add house \(url)", exitCode: 73).contains("another name"))
    #expect(try type("mqtt add attic \(url) --password-file -", input: "x\n", exitCode: 73).contains("house.conf has"))
    // A password that may be another broker's.
    try "other\n".write(toFile: "\(folders.root)/brokers.d/loft.password", atomically: true, encoding: .utf8)
    let other = "mqtt://mesh@127.0.0.1:9 --password-file -"
    #expect(try type("mqtt add loft \(other)", input: "x\n", exitCode: 73).contains("loft.password already"))
    let doctor = try doctorSays("broker-house")
    #expect(doctor.contains("It is connected"), "\(doctor)")

    // Everybody can read it.
    chmod(secret, 0o644)
    #expect(try type("config check").contains("\(secret) holds a secret"))
    // It is gone: the broker keeps its connection, and whoever checks is told of the line.
    unlink(secret)
    let conf = "\(folders.root)/brokers.d/house.conf"
    #expect(try type("config check", exitCode: 78).contains("\(conf):2: password-file: \(secret) cannot be read"))

    // Another password: the files are there, and the test says why it fails.
    try FileManager.default.removeItem(atPath: conf)
    let refused = try type("mqtt add house \(url) --password-file -", input: "wrong\n", exitCode: 69)
    #expect(
        refused.contains("not connected to mqtt://127.0.0.1:\(port)") && refused.contains("Written: "), "\(refused)")
    #expect(try type("mqtt test house", exitCode: 69).contains("not connected to"))
    #expect(try type("mqtt test house --json", exitCode: 69).contains(#""connected":false"#))
    #expect(try doctorSays("broker-house").contains("broker-broken: it refuses us"))
    try gateway.program.stop()
}

/// A file too many is named wherever mistakes are.
@Test func aBrokerTooManyIsNamed() throws {
    let folders = try Folders()
    let file = "\(folders.root)/mesh-gateway.conf"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let brokers = "\(folders.root)/brokers.d"
    try FileManager.default.createDirectory(atPath: brokers, withIntermediateDirectories: true)
    for number in 10...27 {
        try "url = mqtt://127.0.0.1:\(number)\n".write(
            toFile: "\(brokers)/b\(number).conf", atomically: true, encoding: .utf8)
    }
    let environment = ["MESH_GATEWAY_CONFIG": file]
    let here = try RadioHere()
    let gateway = try ServedGateway(
        device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders, environment: environment)
    let said = "b26.conf and b27.conf do not count: there are more than 16 brokers"
    _ = try gateway.program.errors.line(containing: said)
    // It is logged when the folder is read, and in force when sixteen processes have been started.
    try gateway.eventually("it is in force") {
        let command = try Program(["status"], in: folders, environment: environment)
        _ = try command.exitCode()
        return command.output.text.contains("broker-broken")
    }
    for (line, code) in [("config check", 78), ("status", 0), ("mqtt status", 0)] as [(String, Int32)] {
        let words = line.split(separator: " ").map(String.init)
        let command = try Program(words, in: folders, environment: environment)
        #expect(try command.exitCode() == code, "\(line)")
        let shown = (command.output.text + command.errors.text).replacing(/\s+/, with: " ")
        #expect(shown.contains(said), "\(line): \(shown)")
    }
    let command = try Program(
        ["mqtt", "add", "more", "mqtt://127.0.0.1:99"], in: folders, environment: environment)
    #expect(try command.exitCode() == 73 && command.errors.text.contains("16 brokers already"))
    try gateway.program.stop()
}

private func mosquittoWithPassword(_ port: Int, in folders: Folders) throws -> Program {
    let (path, passwords) = ("\(folders.root)/mosquitto.conf", "\(folders.root)/passwords")
    let make = try Program(
        ["-b", "-c", passwords, "mesh", "geheim"], in: folders, executable: "/usr/bin/mosquitto_passwd")
    try #require(try make.exitCode() == 0, "\(make.errors.text)")
    let user = geteuid() == 0 ? "user root\n" : ""
    try "listener \(port) 127.0.0.1\npassword_file \(passwords)\n\(user)".write(
        toFile: path, atomically: true, encoding: .utf8)
    return try Program(["-c", path], in: folders, executable: "/usr/sbin/mosquitto")
}

/// Mosquitto sets SO_REUSEADDR, and may listen there; nobody else is given the port while the socket is open.
private func reservedBrokerPort() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var yes = Int32(1)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    try #require(result == 0)
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}
