import Foundation
import Testing

@testable import ServedProgram

/// Socket activation as systemd does it: sockets from descriptor 3 on, and three variables.
@Suite final class SystemdHandsSocketsOver {
    private let folders: Folders
    private let network: Int32
    private let local: Int32

    init() throws {
        folders = try Folders()
        network = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(listen(network, 8) == 0)
        local = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folders.root)/handed.sock".utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(local, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0 && listen(local, 8) == 0)
    }

    deinit { [network, local].forEach { close($0) } }

    /// Starts the daemon as the process that the sockets are for.
    private func start(
        _ words: [String], handing sockets: [Int32], settings: String = "", environment: [String: String] = [:]
    ) throws -> Program {
        let file = try folders.file("handed.conf", settings)
        let shell = "export LISTEN_PID=$$ LISTEN_FDS=\(sockets.count) LISTEN_FDNAMES=web:proxy; exec \"$0\" \"$@\""
        return try Program(
            ["-c", shell, Program.path, "serve", "--device", "simulated", "--config", file] + words, in: folders,
            handed: sockets, environment: environment, executable: "/bin/sh")
    }

    private func serving(_ program: Program) throws -> Client {
        let line = try program.output.line(containing: "/api/status")
        return Client(
            host: "127.0.0.1", port: try #require(UInt16(line.split(separator: ":").last!.split(separator: "/")[0])))
    }

    private func curl(_ words: String...) throws -> (code: Int32, output: String) {
        let curl = try Program(["-sS"] + words, in: folders, executable: "/usr/bin/curl")
        return (try curl.exitCode(), curl.output.text)
    }

    /// Also anew: they are systemd's, and still listen when a daemon has gone.
    @Test func bothKindsAnswer() throws {
        for _ in 0..<2 {
            let program = try start(["--listen", "systemd", "--listen", "127.0.0.1:0"], handing: [network, local])
            let client = try serving(program)
            #expect(try client.get("/api/status").status == 200)
            #expect(try client.get("/api/v1/nodes").status == 401)
            let path = "\(folders.root)/handed.sock"
            #expect(program.output.text.contains("  serving   unix:\(path)\n"))
            let answer = try curl("--unix-socket", path, "http://localhost/api/v1/nodes")
            #expect(answer.output.contains("Unauthorized"), "\(answer)")
            #expect(program.output.text.components(separatedBy: "  serving ").count == 5)
            program.signal(SIGHUP)
            _ = try program.errors.line(containing: "nothing has changed")
            #expect(try client.get("/api/status").status == 200)
            try program.stop()
            #expect(access(path, F_OK) == 0)
        }
    }

    @Test func TLSIsForTheNetworkAlone() throws {
        let certificates = try Certificates(in: folders)
        let program = try start(["--listen", "systemd"], handing: [network, local], settings: certificates.settings)
        let client = try serving(program)
        #expect(try certificates.shownName(client.port) == "first")
        let answer = try curl("--unix-socket", "\(folders.root)/handed.sock", "http://localhost/api/status")
        #expect(answer.output.contains("\"status\":\"ok\""))
    }

    @Test func whatCannotBeServedIsASentence() throws {
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { [datagrams, idle].forEach { close($0) } }
        for (sockets, part, code) in [
            ([datagrams], "the socket web (descriptor 3) that was handed over is no TCP or Unix stream socket", 69),
            ([network, idle], "the socket proxy (descriptor 4) that was handed over does not listen", 69),
            ([], "systemd has handed over no socket: stop the service", 78),
        ] as [([Int32], String, Int32)] {
            let program = try start(["--listen", "systemd"], handing: sockets)
            #expect(try program.exitCode() == code)
            #expect(program.errors.text.contains(part), "\(program.errors.text)")
        }
    }

    @Test func whatNobodyTakesIsNamed() throws {
        let program = try start(["--listen", "127.0.0.1:0"], handing: [network])
        _ = try program.errors.line(containing: "there is no listen = systemd: socket web (descriptor 3)")
        try program.stop()
    }

    /// Left over from a parent: LISTEN_PID says for whom they were.
    @Test func anothersAreLeftAlone() throws {
        let program = try Program(
            ["serve", "--device", "simulated", "--listen", "systemd"], in: folders, handed: [network],
            environment: ["LISTEN_FDS": "1", "LISTEN_PID": "1"])
        #expect(try program.exitCode() == 78)
    }
}
