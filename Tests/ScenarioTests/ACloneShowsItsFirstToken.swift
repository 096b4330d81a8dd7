import Foundation
import Testing

@testable import ServedProgram

/// `deploy/run` on a terminal, in a clone in which nothing is left to build.
@Suite struct ACloneShowsItsFirstToken {
    private let folders: Folders
    private let clone: String

    init() throws {
        folders = try Folders()
        clone = "\(folders.root)/clone"
        let files = FileManager.default
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        for folder in ["deploy", ".build/release", "bin"] {
            try files.createDirectory(atPath: "\(clone)/\(folder)", withIntermediateDirectories: true)
        }
        for script in ["deploy/run", "deploy/prerequisites"] {
            try files.copyItem(atPath: repository.appending(path: script).path, toPath: "\(clone)/\(script)")
        }
        try files.createSymbolicLink(
            atPath: "\(clone)/.build/release/mesh-gateway", withDestinationPath: Program.path)
        let swift = try folders.file("clone/bin/swift", "#!/bin/sh\necho Swift version 6.2\n")
        chmod(swift, 0o755)
    }

    /// Runs it on a terminal, which `script` makes.
    private func run() throws -> Program {
        var environment = ["SHELL": "/bin/sh"]
        environment["PATH"] = "\(clone)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        if Program.isUnderTSan { environment["LD_PRELOAD"] = try SharedObject.mutexUnderTSan.get() }
        // Lines end as elsewhere. The daemon takes the terminal's end for a reload, so that it needs another signal.
        let command =
            "stty -onlcr; exec setpriv --pdeathsig KILL \(clone)/deploy/run --device simulated --listen 127.0.0.1:0"
        return try Program(
            ["-qefc", command, "/dev/null"], in: folders, staysOpen: true, environment: environment,
            executable: "/usr/bin/script")
    }

    @Test func andSaysNothingOfTokensThatAreMissing() throws {
        let first = try run()
        let line = try first.output.line(containing: "curl -H")
        let setup = try first.output.line(containing: "token create setup")
        #expect(setup.hasSuffix(" --scope admin --expires 1h --qr '--device' 'simulated'"), "\(setup)")
        let screen = first.output.text
        #expect(screen.contains("A first token, named first and shown this once: mm_v1_"), "\(screen)")
        #expect(screen.contains("try       curl"), "the daemon's first words: \(screen)")
        #expect(!screen.contains("no token yet"), "\(screen)")

        // It is the token, and the address.
        let asked = try #require(line.firstMatch(of: /Bearer (mm_v1_\w+)' http:\/\/127\.0\.0\.1:(\d+)\/api\/v1\/nodes/))
        var client = Client(host: "127.0.0.1", port: try #require(UInt16(asked.2)))
        client.token = String(asked.1)
        #expect(try client.get("/api/v1/nodes").status == 200)
        // Its owner uses the page, too, and stars nodes there.
        let scopes = try client.get("/api/v1/me").data["token"]["scopes"].rows.compactMap(\.string)
        #expect(scopes == ["read", "send", "nodes:write"])
        first.say("\u{3}")
        #expect(try first.exitCode() == 0)

        // The next time there is one.
        let second = try run()
        _ = try second.output.line(containing: "try       curl")
        second.say("\u{3}")
        #expect(try second.exitCode() == 0)
        #expect(!second.output.text.contains("token"), "\(second.output.text)")
    }
}
