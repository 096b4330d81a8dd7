import Foundation
import MeshModel
import RadioSimulator
import Testing

@testable import ServedProgram

@Test func systemdIsToldHowItGoes() throws {
    let here = try RadioHere()
    let folders = try Folders()
    let port = try FakePort(here.radio, in: folders)
    let systemd = try NotifySocket(in: folders)
    let gateway = try ServedGateway(
        device: "auto", in: folders, environment: port.environment.merging(systemd.environment) { $1 })
    // Who serves is ready, with a radio or without.
    let count = try systemd.wait(for: "READY") { $0.hasPrefix("READY=1\n") }
    #expect(systemd.messages.prefix(count - 1) == ["EXTEND_TIMEOUT_USEC=600000000", "STATUS=opening the database"])
    let serving = "serving on http://127.0.0.1:\(gateway.client.port); radio "
    try systemd.waitForStatus(containing: serving + "searching; no-radio: No ")

    try port.plug(as: "ttyACM0")
    try systemd.waitForStatus(containing: serving + "live on /dev/ttyACM0 (Simulated radio 📻, \(here.radio.number.id))")
    try port.unplug()
    try systemd.wait(for: "the radio is gone", after: systemd.messages.count - 1) {
        $0.hasPrefix("STATUS=\(serving)searching; no-radio: ") || $0.contains("; unplugged: ")
    }

    gateway.program.signal(SIGHUP)
    let reload = try systemd.wait(for: "RELOADING") { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }
    try systemd.wait(for: "READY again", after: reload) { $0.hasPrefix("READY=1") }
    #expect(try gateway.client.get("/api/status").status == 200)

    try gateway.program.stop()
    let end = try systemd.wait(for: "STOPPING") { $0.hasPrefix("STOPPING=1") }
    #expect(end == systemd.messages.count)
    // Nobody has asked for signs of life.
    #expect(!systemd.messages.contains { $0.contains("WATCHDOG") })
}

@Test func systemdIsToldWhyNothingCanBeStored() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let systemd = try NotifySocket(in: folders)
    var gateway = try ServedGateway(
        device: "simulated", in: folders, environment: disk.environment.merging(systemd.environment) { $1 })
    try gateway.authorize()
    try gateway.waitUntilLive()
    try disk.fail([.write, .sync], with: ENOSPC, every: 1)
    #expect(try gateway.client.post("/api/v1/messages", ["text": "lost", "channel": 0]).status != 201)
    try systemd.waitForStatus(containing: "; disk-failing: Nothing can be stored: ")
    let status = try #require(systemd.status)
    #expect(status.contains("; radio live on the simulated radio ("), "\(status)")
    try disk.recover()
    _ = try gateway.post(["text": "stored", "channel": 0])
    try gateway.eventually("it is well again") { systemd.status?.contains("Nothing can be stored") == false }
    try gateway.program.stop()
}

/// The sign of life comes from who has to be alive: while the thread that writes the database hangs in a call of the disk,
/// there is none, although everything else goes on.
@Test func aStuckDaemonGivesNoSignOfLife() throws {
    let folders = try Folders()
    let disk = FaultyDisk(in: folders)
    let systemd = try NotifySocket(in: folders)
    let environment = try disk.environment.merging(systemd.environment) { $1 }
    let gateway = try ServedGateway(
        device: "simulated", in: folders, environment: environment.merging(["WATCHDOG_USEC": "400000"]) { $1 })
    func waitForSigns(after count: Int) throws {
        let first = try systemd.wait(for: "a sign of life", after: count) { $0 == "WATCHDOG=1" }
        try systemd.wait(for: "another one", after: first) { $0 == "WATCHDOG=1" }
    }
    try waitForSigns(after: 0)

    // Something to write, from a command, which has a thread of its own.
    try disk.hang([.write, .sync])
    let command = try Program(["token", "create", "phone"], in: folders)
    let complaint = "the thread that writes the database gives no sign of life"
    _ = try gateway.program.errors.line(containing: complaint)
    func eventuallyComplains(_ times: Int) throws {
        try gateway.eventually("it is asked \(times) times") {
            gateway.program.errors.text.split(separator: "\n").count { $0.contains(complaint) } >= times
        }
    }
    // A sign from before may be on its way still.
    try eventuallyComplains(2)
    let count = systemd.messages.count
    try eventuallyComplains(5)
    #expect(!systemd.messages.dropFirst(count).contains("WATCHDOG=1"))
    #expect(try gateway.client.get("/api/status").status == 200)

    try disk.recover()
    try waitForSigns(after: count)
    #expect(try command.exitCode() == 0)
    try gateway.program.stop()
}

/// What is in the way | what systemd and standard error say.
@Test func systemdIsToldWhyItDoesNotStart() throws {
    let other = try Folders()
    let running = try ServedGateway(device: "simulated", in: other)
    let folders = try Folders()
    let mistake = try folders.file("mesh.conf", "device = simulated\nlisten = 127.0.0.1:0\ndatabse = /tmp/x.db\n")
    let port = running.client.port
    let process = running.program.process
    let holder = "mesh-gateway (process \(process), \(Program.path)); stop that one: sudo "
    let cases: [([String], Int32, [String])] = [
        (["--config", mistake], 78, ["\(mistake):3: unknown key \"databse\"; did you mean \"database\"?"]),
        (
            ["--listen", "127.0.0.1:\(port)"], 69,
            ["127.0.0.1:\(port) is already in use by \(holder)", "or listen elsewhere: --listen '*:\(port + 1)'"]
        ),
        (
            ["--database", "\(other.state)/mesh-gateway/simulated.db"], 69,
            ["another mesh-gateway (process \(process)), which is \(Program.path); stop that one: sudo "]
        ),
        (
            ["--socket", other.socket], 69,
            ["another mesh-gateway (process \(process), \(Program.path)) already listens on \(other.socket)"]
        ),
        (
            ["--socket", "/proc/none/x.sock"], 69,
            ["sudo install -d -o ", " /proc/none, or name another", "--socket PATH"]
        ),
        (["--database", "/proc/none/mesh.db"], 73, ["there is no such folder"]),
    ]
    for (options, code, parts) in cases {
        let systemd = try NotifySocket(in: folders)
        defer { unlink(systemd.path) }
        let rest = options[0] == "--listen" ? [] : ["--listen", "127.0.0.1:0"]
        let program = try Program(
            ["serve", "--device", "simulated"] + rest + options, in: folders, environment: systemd.environment)
        #expect(try program.exitCode() == code, "\(options)")
        let sentence = program.errors.text
        for part in parts { #expect(sentence.contains(part), "\(options): \(sentence)") }
        try systemd.wait(for: "\(options): the same sentence") { "mesh-gateway: \($0.dropFirst(7))\n" == sentence }
        #expect(!systemd.messages.contains { $0.hasPrefix("READY") })
    }
    try running.program.stop()
}

/// A service has one place for what it stores, and says so when that is read-only.
@Test func aServiceKeepsToItsFolder() throws {
    let folders = try Folders()
    let systemd = try NotifySocket(in: folders)
    // Nobody can make a file there.
    let environment = ["STATE_DIRECTORY": "/proc/self"].merging(systemd.environment) { $1 }
    let program = try Program(
        ["serve", "--device", "simulated", "--listen", "127.0.0.1:0"], in: folders, environment: environment)
    #expect([73, 77].contains(try program.exitCode()))
    let file = "/proc/self/simulated.db: "
    #expect(program.errors.text.contains(file), "\(program.errors.text)")
    try systemd.waitForStatus(containing: file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.state).isEmpty)
}

/// In a folder of the user's, nobody else is expected; elsewhere it is worth a word.
@Test(.enabled(if: getgrnam("mesh-gateway") == nil)) func withoutTheGroupItSaysWhoMayUseTheSocket() throws {
    let folders = try Folders()
    let gateway = try ServedGateway(
        device: "simulated", in: folders, environment: ["MESH_GATEWAY_SOCKET": "\(folders.root)/own.sock"])
    let line = try gateway.program.errors.line(containing: "there is no group mesh-gateway: only root")
    #expect(line.hasSuffix(" may use \(folders.root)/own.sock"))
    try gateway.program.stop()
    let usual = try ServedGateway(device: "simulated", in: folders)
    try usual.program.stop()
    #expect(!usual.program.errors.text.contains("group"))
}

private let hasJournal = access("/run/systemd/journal/socket", F_OK) == 0

/// Below systemd's journal, without its socket: a line with its priority, and no time of its own.
@Test(.enabled(if: !hasJournal)) func theJournalGetsThePriorityOfALine() throws {
    let script = """
        export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2)
        exec "$0" serve --device simulated --listen nowhere
        """
    let program = try Program(["-c", script, Program.path], in: Folders(), executable: "sh")
    #expect(try program.exitCode() == 78)
    #expect(program.errors.text.hasPrefix("<3>option --listen: listen cannot be \"nowhere\""), "\(program.errors.text)")
    #expect(program.errors.text.split(separator: "\n").count == 1)
}

/// Of a pipe that is not the journal's, the variable says nothing.
@Test func withoutAJournalLinesHaveATime() throws {
    let folders = try Folders()
    let gateway = try ServedGateway(
        device: "simulated", in: folders, environment: ["JOURNAL_STREAM": "8:12345"])
    try gateway.waitUntilLive()
    let line = try gateway.program.errors.line(containing: "radio link live")
    #expect(line.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d notice: radio link live/) != nil, "\(line)")
    try gateway.program.stop()
}
