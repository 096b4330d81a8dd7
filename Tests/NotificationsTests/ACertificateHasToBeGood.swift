import Foundation
import Testing

@testable import Notifications

/// openssl as a server, with certificates of an authority of the test's own.
@Suite struct ACertificateHasToBeGood {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)").path

    private func openssl(_ words: [String]) throws {
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/openssl")
        program.arguments = words
        program.currentDirectoryURL = URL(filePath: folder)
        program.standardError = FileHandle.nullDevice
        program.standardOutput = FileHandle.nullDevice
        try program.run()
        program.waitUntilExit()
        #expect(program.terminationStatus == 0, "\(words)")
    }

    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    /// - Parameters:
    ///   - days: how long the certificate is good.
    ///   - issuer: who signs it; nil: itself.
    private func outcome(
        name: String = "IP:127.0.0.1", days: Int = 10, trusts: Bool = true, issuer: String? = "ca"
    ) throws -> HTTPOutcome {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try openssl(
            ["req", "-x509"] + Self.key + [
                "-days", "10", "-subj", "/CN=Authority", "-keyout", "ca.key", "-out", "ca.pem",
            ])
        try openssl(["req"] + Self.key + ["-subj", "/CN=Server", "-keyout", "server.key", "-out", "server.csr"])
        try "subjectAltName=\(name)\n".write(toFile: "\(folder)/extensions", atomically: true, encoding: .utf8)
        let signer = issuer.map { ["-CA", "\($0).pem", "-CAkey", "\($0).key", "-CAcreateserial"] }
        try openssl(
            ["x509", "-req", "-in", "server.csr"] + (signer ?? ["-signkey", "server.key"]) + [
                "-days", "\(days)", "-extfile", "extensions", "-out", "server.pem",
            ])
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/openssl")
        server.currentDirectoryURL = URL(filePath: folder)
        server.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "server.key", "-www"]
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        // It has the signal mask of a thread of the test's pool, which blocks SIGTERM.
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        // "ACCEPT 127.0.0.1:PORT"
        var text = ""
        while !(text.contains("ACCEPT") && text.hasSuffix("\n")) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") })
        let port = try #require(line.split(separator: ":").last)
        var request = HTTPRequest(address: try WebAddress("https://127.0.0.1:\(port)/"), isLocalAllowed: true)
        request.authority = trusts ? "\(folder)/\(issuer ?? "server").pem" : nil
        return Curl.unhurried.send(request)
    }

    private func words(_ outcome: HTTPOutcome) -> String {
        if case .failed(let failure) = outcome { "\(failure)" } else { "\(outcome)" }
    }

    @Test func aGoodOneIs() throws { #expect(try outcome() == .answered(status: 200, retryAfter: nil)) }

    @Test func anExpiredOneIsNot() throws { #expect(words(try outcome(days: -1)).contains("has expired")) }

    @Test func oneForAnotherNameIsNot() throws {
        #expect(words(try outcome(name: "DNS:example.org")).hasPrefix("the certificate of 127.0.0.1 is not good"))
    }

    /// As many devices at home have one; named with `ca` it is as good as another.
    @Test func oneThatVouchesForItselfIsNotUntilItIsNamed() throws {
        #expect(words(try outcome(trusts: false, issuer: nil)).contains("ca = FILE"))
        #expect(try outcome(issuer: nil) == .answered(status: 200, retryAfter: nil))
    }

    @Test func oneOfAnUnknownAuthorityIsNot() throws {
        #expect(words(try outcome(trusts: false)).contains("ca = FILE"))
    }
}
