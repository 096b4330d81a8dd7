import Foundation
import RadioSimulator
import Testing

@testable import ServedProgram

/// One run of the doctor as programs see it.
private struct DoctorRun {
    let code: Int32
    let json: JSON
    /// Status of each check.
    var statuses: [String: String] = [:]
    var messages: [String: String] = [:]
    var fixes: [String: String] = [:]

    init(_ arguments: [String] = [], in folders: Folders, environment: [String: String] = [:]) throws {
        let program = try Program(["doctor", "--json"] + arguments, in: folders, environment: environment)
        code = try program.exitCode()
        #expect(program.errors.text.isEmpty, "\(program.errors.text)")
        json = try JSONDecoder().decode(JSON.self, from: program.output.data)
        for check in json["checks"].rows {
            let name = check["name"].string ?? "?"
            statuses[name] = check["status"].string
            messages[name] = check["message"].string
            fixes[name] = check["fix"].string
        }
    }

    /// On a busy machine an answer can come later than the half second in which it counts: asks until it was in time.
    static func via(_ backend: JSON, in folders: Folders) throws -> DoctorRun {
        for _ in 0..<30 {
            let found = try DoctorRun(in: folders)
            if found.json["via"] == backend { return found }
        }
        return try DoctorRun(in: folders)
    }

    func count(_ status: String) -> Int { statuses.values.count { $0 == status } }
}

@Test func theDoctorWorksWithoutAnything() throws {
    let found = try DoctorRun(in: Folders())
    #expect(found.json["schema"] == "doctor/1")
    #expect(found.json["via"] == "host")
    #expect(found.statuses.count >= 24)
    #expect(found.statuses["daemon"] == "warning")
    #expect(found.fixes["daemon"]?.contains("mesh-gateway") == true)
    #expect(found.statuses["region"] == "skipped")
    #expect(found.json["counts"]["fault"].integer == found.count("fault"))
    #expect(found.code == (found.count("fault") > 0 ? 2 : 1))
}

@Test func theDoctorAsksTheDaemon() throws {
    let folders = try Folders()
    let here = try RadioHere { $0.firmware = .v2_7 }
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    let before = try DoctorRun.via("daemon", in: folders)
    #expect(before.json["via"] == "daemon")
    #expect(before.statuses["radio-link"] == "ok")
    #expect(before.statuses["region"] == "ok")
    #expect(before.messages["region"]?.contains("EU_868") == true)
    #expect(before.messages["firmware"]?.contains("2.7.") == true)
    #expect(before.statuses["store-and-forward"] == "ok")
    #expect(before.statuses["database-integrity"] == "ok")
    #expect(before.messages["http-port"]?.contains("127.0.0.1") == true)
    #expect(before.fixes["tokens"] == "mesh-gateway token create phone")
    try gateway.authorize()
    #expect(try DoctorRun.via("daemon", in: folders).statuses["tokens"] == "ok")

    // The daemon ends; the database remembers the radio.
    try gateway.program.stop()
    let after = try DoctorRun.via("database", in: folders)
    #expect(after.json["via"] == "database")
    #expect(after.statuses["region"] == "ok")
    #expect(after.statuses["radio-link"] == "skipped")
    #expect(after.fixes["radio-link"] == "mesh-gateway serve")
    #expect(after.statuses["tokens"] == "ok")
}

@Test func aMistakeInTheConfigurationIsAFaultAmongOthers() throws {
    let folders = try Folders()
    let file = try folders.file("mesh.conf", "databse = /tmp/x.db\n")
    let found = try DoctorRun(["--config", file], in: folders)
    #expect(found.statuses["configuration"] == "fault")
    #expect(found.messages["configuration"]?.contains("\(file):1") == true)
    #expect(found.fixes["configuration"] == "sudoedit \(file)")
    #expect(found.statuses["memory"] != nil)
    #expect(found.code == 2)
}

@Test func aDaemonThatHangsHoldsUpNothing() throws {
    let folders = try Folders()
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: folders.socket.utf8) }
    let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    try #require(isBound == 0 && listen(descriptor, 4) == 0)
    let found = try DoctorRun(in: folders)
    #expect(found.statuses["daemon"] == "fault")
    #expect(found.messages["daemon"]?.contains("does not answer") == true)
    #expect(found.fixes["daemon"] == "sudo systemctl restart mesh-gateway")
    #expect(found.code == 2)
}

@Test func aDatabaseThatIsNoneIsNamed() throws {
    let folders = try Folders()
    let text = try folders.file("notes.txt", String(repeating: "This is no database. ", count: 100))
    let found = try DoctorRun(["--database", text], in: folders)
    #expect(found.statuses["database"] == "fault")
    #expect(found.messages["database"]?.contains("not a database") == true)
}

@Test func theNewestVersionIsReadFromAFile() throws {
    let folders = try Folders()
    let newest = try folders.file("newest", "v99.0.0\nwhatever\n")
    #expect(try DoctorRun(["--updates", newest], in: folders).statuses["update"] == "warning")
    let absent = try DoctorRun(["--updates", "\(folders.root)/none"], in: folders)
    #expect(absent.statuses["update"] == "skipped")
    #expect(absent.messages["update"]?.contains("No such file") == true)
}

@Test func anotherProgramAtTheRadioIsNamed() throws {
    let folders = try Folders()
    let here = try RadioHere()
    let fake = try FakePort(here.radio, in: folders)
    try fake.plug(as: "ttyACM0")
    let found = try DoctorRun(in: folders, environment: fake.environment)
    #expect(found.statuses["radio-port"] == "ok")
    #expect(found.messages["stable-port-name"]?.contains(fake.stablePath) == true)
}

/// In plain words, in columns and below one another.
@Test(arguments: [80, 40, 20]) func peopleReadLinesThatFit(columns: Int) throws {
    let folders = try Folders()
    let (code, text, _) = try Program.run("doctor", in: folders, environment: ["COLUMNS": "\(columns)"])
    #expect(code == 1 || code == 2)
    #expect(text.contains("warning  daemon"))
    #expect(text.contains("-> mesh-gateway serve\n"))
    let names = /^(ok|warning|FAULT|skipped) +[a-z-]+$/
    for line in text.split(separator: "\n") where !line.contains("-> ") && line.wholeMatch(of: names) == nil {
        #expect(line.count <= columns, "\(line)")
    }
}

@Test func theBundleHasNoSecretsInIt() throws {
    let folders = try Folders()
    let here = try RadioHere()
    var gateway = try ServedGateway(device: "tcp:127.0.0.1:\(here.radio.listen())", in: folders)
    try gateway.waitUntilLive()
    try gateway.authorize()
    here.radio.sendText(from: here.radio.nodes[0].number, "meet me at the old mill")
    try gateway.eventually("the text is there") { try !gateway.messages().isEmpty }
    let file = "\(folders.root)/doctor.tar"
    let (code, text, errors) = try Program.run("doctor", "--bundle", file, in: folders)
    #expect(code == 0 || code == 1 || code == 2)
    #expect(errors.isEmpty, "\(errors)")
    #expect(text.contains("\(file) holds doctor.json, doctor.txt, versions.txt"))
    let content = try #require(FileManager.default.contents(atPath: file))
    #expect(content.count % 512 == 0)
    for name in ["doctor.json", "ports.txt", "configuration.txt", "diagnosis.json", "tables.txt"] {
        #expect(content.range(of: Data(name.utf8)) != nil, "\(name)")
    }
    var secrets = SimulatedRadio.passwords.map { Data($0.utf8) } + [Data("old mill".utf8)]
    secrets.append(Data(try #require(gateway.client.token).utf8))
    secrets += [Data(here.radio.privateKey), Data(here.radio.privateKey).base64EncodedData()]
    secrets += [Data(0x40..<0x60), Data(0x40..<0x60).base64EncodedData()]
    for secret in secrets { #expect(content.range(of: secret) == nil, "\(String(decoding: secret, as: UTF8.self))") }
    #expect(try mode(of: file) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.root).allSatisfy { !$0.hasSuffix(".part") })
}

@Test func aBundleThatCannotBeWrittenIsOneSentence() throws {
    let folders = try Folders()
    let (code, _, errors) = try Program.run("doctor", "--bundle", "\(folders.root)/no/where.tar", in: folders)
    #expect(code == 73)
    #expect(
        errors
            == "mesh-gateway: \(folders.root)/no/where.tar cannot be written: No such file or directory; name another file.\n"
    )
}

private func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
}
