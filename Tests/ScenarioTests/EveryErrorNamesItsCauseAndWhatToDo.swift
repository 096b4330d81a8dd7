import Foundation
import MeshModel
import Testing

@testable import ServedProgram

/// A mistake, and what its one sentence has to say.
private struct Mistake {
    /// `ROOT` stands for the test's own folder, `RECORDING` for a recording.
    let command: String
    let code: Int32
    /// What happened.
    let cause: String
    /// What to do about it.
    let action: String

    init(_ command: String, _ code: Int32, _ cause: String, _ action: String) {
        (self.command, self.code, self.cause, self.action) = (command, code, cause, action)
    }

    /// Runs it: its exit code, nothing on standard output, and one line on standard error.
    func check(in folders: Folders, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let recording = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Recordings/01-handshake-serial.jsonl").path
        let words = command.replacing("ROOT", with: folders.root).replacing("RECORDING", with: recording).split(
            separator: " "
        ).map(String.init)
        let program = try Program(words, in: folders)
        let ended = try program.exitCode()
        let text = program.errors.text
        #expect(ended == code, "\(command): \(text)", sourceLocation: sourceLocation)
        #expect(program.output.text.isEmpty, "\(command): \(program.output.text)", sourceLocation: sourceLocation)
        #expect(text.contains(cause), "\(command): \(text)", sourceLocation: sourceLocation)
        #expect(text.contains(action), "\(command): \(text)", sourceLocation: sourceLocation)
        #expect(
            text.hasPrefix("mesh-gateway: ") && text.hasSuffix("\n") && text.split(separator: "\n").count == 1,
            "\(command): \(text)", sourceLocation: sourceLocation)
        #expect(text.utf8.count < 800, "\(command): \(text)", sourceLocation: sourceLocation)
    }
}

/// Every error of the command line says what happened, why probably, and what to type.
@Suite struct EveryErrorNamesItsCauseAndWhatToDo {
    /// Command | exit code | cause | action. No daemon, no database, no radio.
    private static let alone = [
        Mistake("nodes", 66, "no daemon is running and there is no database yet", "mesh-gateway serve"),
        Mistake("status", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("messages", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("node SMT", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("packets", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("keys list", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("export ROOT/archive", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("backup ROOT/backup", 66, "there is no database yet", "mesh-gateway serve"),
        Mistake("nodes --database ROOT/none.db", 66, "none.db: there is no database yet", "mesh-gateway serve"),
        Mistake("nodes --database ROOT/notes.txt", 65, "is not a database", "--database"),
        Mistake("nodes --config ROOT/none.conf", 78, "none.conf cannot be read: No such file", "--config"),
        Mistake("config show --config ROOT/none.conf", 78, "none.conf cannot be read: No such file", "--config"),
        Mistake("config show listne", 66, "no key \"listne\"", "did you mean listen"),
        Mistake("nodes --database ROOT/bookmarks.db", 65, "belongs to another program", "mesh-gateway take-over"),
        Mistake("simulate --pty ROOT/none/radio", 69, "/none/radio: its folder does not exist", "make the folder"),
        Mistake("simulate --pty ROOT/notes.txt", 69, "notes.txt exists and is not a symbolic link", "another path"),
        Mistake("radio info --device /dev/ttyNONE", 69, "/dev/ttyNONE", "mesh-gateway ports"),
        Mistake("radio info --device tcp:127.0.0.1:9", 69, "Connection refused", "is its network API enabled"),
        Mistake("send hello --channel 0 --device /dev/ttyNONE", 69, "no daemon is running", "mesh-gateway ports"),
        Mistake("traceroute !a1b2c3d4 --device /dev/ttyNONE", 69, "no daemon is running", "mesh-gateway ports"),
        Mistake("keys accept !a1b2c3d4", 69, "no daemon is running", "mesh-gateway serve"),
        Mistake("serve --device simulated --listen systemd", 78, "handed over no socket", "mesh-gateway.socket"),
        Mistake("capture last 10m", 66, "no flight recorder has kept anything", "mesh-gateway serve"),
        Mistake("capture last soon", 64, "\"soon\" is no time", "say 90s"),
        Mistake("capture ROOT/notes.txt", 73, "notes.txt already exists", "--force"),
        Mistake("capture ROOT", 73, "this is a folder", "name a file in it"),
        Mistake("replay ROOT/none.jsonl", 66, "none.jsonl cannot be read: No such file", "mesh-gateway capture"),
        Mistake("replay ROOT/notes.txt", 65, "line 1 of", "mesh-gateway capture"),
        Mistake("replay RECORDING --speed fast", 64, "\"fast\" is no speed", "--speed max"),
        Mistake("replay RECORDING --database ROOT/notes.txt", 73, "notes.txt already exists", "--force"),
        Mistake("export - ", 64, "standard output cannot be undone", "name a file"),
        Mistake("import ROOT/none", 66, "none cannot be read: No such file", "mesh-gateway export"),
        Mistake("import ROOT/notes.txt", 65, "is no archive", "mesh-gateway restore"),
        Mistake("take-over ROOT/none.db", 66, "there is no such file", "/data of its container"),
        Mistake("take-over ROOT/notes.txt", 65, "not an SQLite database", "name MeshMonitor's meshmonitor.db"),
        Mistake("take-over ROOT", 65, "this is a folder", "name the file meshmonitor.db"),
        Mistake("take-over mysql://db/meshmonitor", 65, "a database server", "name its meshmonitor.db"),
        Mistake("backup -", 64, "standard output cannot be undone", "name a file"),
        Mistake("restore ROOT/none", 66, "none cannot be read: No such file", "mesh-gateway backup"),
        Mistake("restore ROOT", 65, "is a folder", "mesh-gateway backup"),
        Mistake("restore ROOT/notes.txt --database ROOT/new.db", 65, "is no backup", "mesh-gateway backup"),
        Mistake("restore ROOT/notes.txt --database ROOT/notes.txt", 73, "a database already", "--replace"),
        Mistake("explain --hex xyz", 65, "no bytes in hexadecimal", "0d1234ab"),
        Mistake("replay ROOT/empty.jsonl", 65, "has no complete handshake", "mesh-gateway capture"),
    ]

    @Test func whereNothingIs() throws {
        let folders = try Folders()
        _ = try folders.file("notes.txt", String(repeating: "This is no database. ", count: 100))
        _ = try folders.file("empty.jsonl", "{\"t\": 0, \"dir\": \"ev\", \"hex\": \"\", \"event\": \"x\"}\n")
        let filling = try Program(
            ["\(folders.root)/bookmarks.db", "CREATE TABLE bookmarks (url TEXT)"], in: folders,
            executable: "/usr/bin/sqlite3")
        #expect(try filling.exitCode() == 0, "\(filling.errors.text)")
        for mistake in Self.alone { try mistake.check(in: folders) }
    }

    @Test func whereSomebodyListens() throws {
        let radio = try RadioHere()
        let port = try radio.radio.listen()
        try Mistake("simulate --tcp \(port)", 69, "port \(port) is already in use", "ss -ltnp").check(in: Folders())
    }

    /// The same beside a running daemon with its simulated radio.
    private static let besideADaemon = [
        Mistake("node nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("node twin", 65, "Several nodes are called \"twin\"", "name one by its id: !"),
        Mistake("nodes --sort size", 65, "not sorted by \"size\"", "distance"),
        Mistake("nodes --filter heard=soon", 65, "\"heard=soon\" is no time", "heard=2h"),
        Mistake("nodes --source elsewhere", 66, "no source \"elsewhere\"", "there are"),
        Mistake("messages --channel Nowhere", 66, "no channel \"Nowhere\"", "there are 0 (LongFast)"),
        Mistake("messages --with nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("messages --since soon", 64, "not \"soon\"", "2h"),
        Mistake("send hello --to nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("send hello", 64, "--channel", "--to"),
        Mistake("send hello --channel Nowhere", 66, "no channel \"Nowhere\"", "there are 0 (LongFast)"),
        Mistake("send \(String(repeating: "long", count: 200)) --channel 0", 65, "needs 4 packets", "shorten it"),
        Mistake("push test 99", 66, "no registration of this number", "mesh-gateway push list"),
        Mistake("push remove 99", 66, "no registration of this number", "mesh-gateway push list"),
        Mistake("listen --for ever", 64, "not \"ever\"", "30m"),
        Mistake("listen --kind rumour", 65, "no kind of event \"rumour\"", "packet, sent"),
        Mistake("explain 99999999", 66, "99999999", "mesh-gateway packets"),
        Mistake("telemetry nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("traceroute nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("request position nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("waypoint change nowhere --name x", 66, "no waypoint \"nowhere\"", "mesh-gateway waypoint list"),
        Mistake("waypoint create Camp 46", 64, "the place cannot be \"46\"", "LATITUDE,LONGITUDE"),
        Mistake("waypoint create Camp 91,6", 65, "latitude must be", "from -90 to 90"),
        Mistake("waypoint create Camp 46,6 --channel 7", 65, "no channel 7", "mesh-gateway channels"),
        Mistake("waypoint change Camp", 64, "say what to change", "--name"),
        Mistake("node SMT --nickname \(String(repeating: "x", count: 61))", 65, "nickname", "longer than 60 bytes"),
        Mistake("send-position nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("send \(String(repeating: "long", count: 60)) --alert --channel 0", 65, "one packet", "shorten it"),
        Mistake("request neighbors FRI", 65, "heard directly", "mesh-gateway nodes --filter direct"),
        Mistake("radio config get lora.colour", 66, "lora.colour", "mesh-gateway radio config get"),
        Mistake("radio config get paint", 66, "paint", "lora"),
        Mistake("radio config set lora.region=MARS --yes", 65, "lora.region takes one of", "EU_868"),
        Mistake(
            "radio config set lora.hop_limit=many --yes", 65, "lora.hop_limit takes a whole number",
            "mesh-gateway radio config get lora.hop_limit"),
        Mistake("radio config set lora.hop_limit --yes", 64, "no setting with a value", "lora.hop_limit=4"),
        Mistake("radio reboot", 64, "no terminal to ask at", "mesh-gateway radio reboot --yes"),
        Mistake("radio remove nobody --yes", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("channel add hello --yes", 65, "no link", "https://meshtastic.org/e/#"),
        Mistake("channel add https://meshtastic.org/e/#CgUSAwECAw --yes", 65, "not whole", "copy it again"),
        Mistake("keys verify nobody", 66, "No node is called \"nobody\"", "mesh-gateway nodes"),
        Mistake("keys accept SMT", 65, "No other key", "mesh-gateway keys verify"),
        Mistake("restore RECORDING", 69, "in use by another mesh-gateway", "stop that one"),
        Mistake("backup ROOT", 73, "this is a folder", "name a file"),
        Mistake("backup ROOT/none/backup", 73, "No such file or directory", "name another file"),
        Mistake("token revoke nobody", 66, "no token named \"nobody\"", "mesh-gateway token list"),
        Mistake("token create x --expires yesterday", 64, "yesterday", "30d"),
        Mistake("serve --device simulated --listen 127.0.0.1:0", 69, "already listens on", "--socket"),
    ]

    @Test func besideADaemon() throws {
        let folders = try Folders()
        let radio = try RadioHere()
        let gateway = try ServedGateway(device: "tcp:127.0.0.1:\(radio.radio.listen())", in: folders)
        try gateway.waitUntilLive()
        for node in radio.radio.nodes.prefix(2) { radio.radio.inject(Self.introduction(of: node.number)) }
        try gateway.eventually("there are twins") {
            try Program.run("nodes", "--filter", "twin", "--json", in: folders).output.components(
                separatedBy: "\"twin\""
            ).count == 3
        }
        for mistake in Self.besideADaemon { try mistake.check(in: folders) }
        try gateway.program.stop()
    }

    /// A node says that it is called "twin" (User: long name 2, short name 3).
    private static func introduction(of node: NodeNumber) -> MeshPacket {
        let user = [0x12, 4] + Array("twin".utf8) + [0x1A, 4] + Array(node.id.utf8.suffix(4))
        return MeshPacket(
            from: node, to: .broadcast, id: node.rawValue, payload: .decoded(MeshData(port: .nodeInfo, payload: user)))
    }

    /// What listens on the socket is no gateway of this version: its whole answer, if any | cause | action.
    private static let strangers = [
        ("", "is incomplete", "systemctl restart mesh-gateway"),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "is not mesh-gateway", "--socket"),
        ("HTTP/1.1 403 Forbidden\r\n\r\n{}", "no permission", "sudo"),
    ]

    @Test(arguments: strangers) func behindAStrangeSocket(answer: String, cause: String, action: String) throws {
        let folders = try Folders()
        let stranger = try Stranger(at: folders.socket, answers: [answer, answer])
        try Mistake("nodes", answer.contains("403") ? 77 : 69, cause, action).check(in: folders)
        stranger.stop()
    }

    @Test func besideADaemonOfAnotherVersion() throws {
        let folders = try Folders()
        let stranger = try Stranger(
            at: folders.socket,
            answers: [
                "HTTP/1.1 200 OK\r\n\r\n{\"data\":{\"path\":\"/x.db\",\"version\":\"0.0.9\"}}",
                "HTTP/1.1 404 Not Found\r\n\r\n{\"message\":\"Cannot GET /local/nodes\"}",
            ])
        let (code, output, errors) = try Program.run("nodes", in: folders)
        stranger.stop()
        #expect(code == 69)
        #expect(output.isEmpty)
        #expect(errors.contains("the running daemon is version 0.0.9"))
        #expect(errors.split(separator: "\n").allSatisfy { $0.contains("systemctl restart mesh-gateway") })
    }

    /// What cannot be written is told; who has read enough is not bothered.
    @Test func whereTheOutputEnds() throws {
        let folders = try Folders()
        func shell(_ script: String) throws -> (code: Int32, errors: String) {
            let path = "\((Program.path as NSString).deletingLastPathComponent):/usr/bin:/bin"
            let program = try Program(
                ["-c", script], in: folders, environment: ["PATH": path], executable: "/bin/bash")
            return (try program.exitCode(), program.errors.text)
        }
        let full = try shell("mesh-gateway help >/dev/null; mesh-gateway ports --json >/dev/full")
        #expect(full.code == 74)
        #expect(full.errors.contains("the output cannot be written: No space left on device"))
        let closed = try shell(
            "set -o pipefail; mesh-gateway ports --json | true; sleep 0.1; mesh-gateway ports --json | :")
        #expect(closed.code == 0)
        #expect(closed.errors.isEmpty)
    }
}

/// A program that listens where the daemon should, and gives these answers, one a connection.
private final class Stranger: @unchecked Sendable {  // constant
    private let listener: Int32

    init(at path: String, answers: [String]) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 5) == 0)
        Thread.detachNewThread { [listener] in
            for answer in answers {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                _ = read(client, &request, request.count)
                _ = send(client, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                close(client)
            }
        }
    }

    /// Ends its waiting, if it still waits.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
