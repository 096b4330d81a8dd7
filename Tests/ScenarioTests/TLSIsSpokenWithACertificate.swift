import Foundation
import Testing

@testable import ServedProgram

@Suite struct TLSIsSpokenWithACertificate {
    private let folders: Folders
    private let certificates: Certificates
    private let gateway: ServedGateway
    private var port: UInt16 { gateway.client.port }

    init() throws {
        folders = try Folders()
        certificates = try Certificates(in: folders)
        let file = try folders.file("tls.conf", certificates.settings)
        gateway = try ServedGateway(device: "simulated", in: folders, ["--config", file])
    }

    @Test func byVersionsThatAreSafe() throws {
        #expect(gateway.program.output.text.contains("  serving   https://127.0.0.1:\(port)\n"))
        #expect(try certificates.curl("https://localhost:\(port)/api/status").contains("\"status\":\"ok\""))
        for (version, protocolName) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
            let shown = try certificates.openssl(
                "s_client", "-connect", "localhost:\(port)", version, "-CAfile", certificates.authority, "-showcerts",
                "-verify_return_error", input: "Q\n")
            #expect(shown.contains(protocolName))
            // The chain as it stands in the file.
            #expect(shown.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        }
        // At the lowest of its security levels openssl itself would speak these.
        for old in ["-tls1", "-tls1_1"] {
            let refused = try Program(
                ["s_client", "-connect", "localhost:\(port)", old, "-cipher", "ALL:@SECLEVEL=0"], in: folders,
                input: "Q\n", executable: "/usr/bin/openssl")
            #expect(try refused.exitCode() != 0)
            #expect(refused.output.text.contains("Cipher is (NONE)"), "\(refused.output.text)")
        }
        try gateway.program.stop()
    }

    @Test func butNeverInPlainText() throws {
        #expect(throws: (any Error).self) { try gateway.client.get("/api/status") }
        // Commands of this machine have a way of their own.
        let status = try Program.run("status", "--json", in: folders)
        #expect(status.output.contains("\"https://127.0.0.1:\(port)\""), "\(status.errors)")
    }

    @Test func alsoForAnswersThatGoOn() throws {
        let made = try Program.run("token", "create", "phone", in: folders)
        let token = made.output.trimmingCharacters(in: .newlines)
        let url = "https://localhost:\(port)/api/v1"
        // A page of half a megabyte, twice on one connection.
        let document = try certificates.curl("\(url)/docs/openapi.json", "\(url)/docs/openapi.json")
        #expect(document.components(separatedBy: "\"openapi\":\"3.1.0\"").count == 3)
        let nodes = try certificates.curl("-H", "Authorization: Bearer \(token)", "\(url)/nodes")
        #expect(nodes.contains("\"success\":true"))
    }
}
