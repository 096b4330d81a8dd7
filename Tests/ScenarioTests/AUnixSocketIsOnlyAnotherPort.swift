import Foundation
import Testing

@testable import ServedProgram

/// Whoever connects to a Unix socket in `listen` needs a token, root too: it stands for the network.
@Suite struct AUnixSocketIsOnlyAnotherPort {
    private let folders: Folders
    private let gateway: ServedGateway
    private var path: String { "\(folders.root)/run/api.sock" }

    init() throws {
        folders = try Folders()
        let file = try folders.file("unix.conf", "rate-limit-requests = 3\nrate-limit-messages = 1000\n")
        gateway = try ServedGateway(
            device: "simulated", in: folders, ["--config", file, "--listen", "unix:\(folders.root)/run/api.sock"])
    }

    /// The status and the body.
    private func ask(_ target: String, _ headers: String..., socket: String? = nil) throws -> (
        status: String, text: String
    ) {
        let words = headers.flatMap { ["-H", $0] }
        let curl = try Program(
            ["-sS", "-w", "\n%{http_code}", "--unix-socket", socket ?? path] + words + ["http://localhost\(target)"],
            in: folders, executable: "/usr/bin/curl")
        try #require(curl.exitCode() == 0, "\(curl.errors.text)")
        let lines = curl.output.text.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    @Test func aTokenIsNeeded() throws {
        #expect(gateway.program.output.text.contains("  serving   unix:\(path)\n"))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o007 == 0)
        #expect(try ask("/api/status").status == "200")
        #expect(try ask("/api/v1/nodes").status == "401")
        #expect(try ask("/local/status").status == "404")
        #expect(try ask("/local/tokens", "X-Forwarded-For: 127.0.0.1").status == "404")
        // The local socket beside it asks for none.
        #expect(try ask("/api/v1/nodes", socket: folders.socket).status == "200")
        let made = try Program.run("token", "create", "phone", in: folders)
        let token = made.output.trimmingCharacters(in: .newlines)
        #expect(try ask("/api/v1/nodes", "Authorization: Bearer \(token)").status == "200")
    }

    /// The proxy says who asks, and who is counted; without its word nobody is shut out for others.
    @Test func theProxyTellsWhoAsks() throws {
        for _ in 0..<3 { #expect(try ask("/api/health", "X-Forwarded-For: 8.8.8.8, 192.0.2.1").status == "200") }
        #expect(try ask("/api/health", "X-Forwarded-For: 9.9.9.9, 192.0.2.1").status == "429")
        #expect(try ask("/api/health", "X-Forwarded-For: 192.0.2.2").status == "200")
        for _ in 0..<5 { #expect(try ask("/api/health").status == "200") }
        for _ in 0..<12 { #expect(try ask("/api/v1/nodes", "Authorization: Bearer wrong").status == "401") }
        let wrong = try (0..<12).map { _ in
            try ask("/api/v1/nodes", "Authorization: Bearer wrong", "X-Forwarded-For: 10.0.0.9").status
        }
        #expect(wrong.last == "429")
        #expect(try ask("/api/v1/nodes", "Authorization: Bearer wrong", "X-Forwarded-For: 10.0.0.8").status == "401")
    }

    @Test func itsFileGoesWithTheDaemon() throws {
        try gateway.program.stop()
        #expect(access(path, F_OK) != 0)
    }

    @Test func theLocalSocketIsNoPlaceForClients() throws {
        let folders = try Folders()
        let start = try Program.run(
            "serve", "--device", "simulated", "--listen", "unix:\(folders.socket)", in: folders)
        #expect(start.code == 78)
        #expect(start.errors.contains("is the local socket, where no token is asked for"), "\(start.errors)")
    }
}
