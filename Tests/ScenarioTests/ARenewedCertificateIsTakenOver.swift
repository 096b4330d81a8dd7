import Foundation
import Testing

@testable import ServedProgram

/// However the files are renewed, new connections are shown the new certificate, and old ones live on.
@Suite struct ARenewedCertificateIsTakenOver {
    private let folders: Folders
    private let certificates: Certificates

    init() throws {
        folders = try Folders()
        certificates = try Certificates(in: folders)
    }

    private func serve(_ settings: String? = nil) throws -> ServedGateway {
        let file = try folders.file("tls.conf", settings ?? certificates.settings)
        return try ServedGateway(device: "simulated", in: folders, ["--config", file])
    }

    private func waitFor(_ name: String, _ gateway: ServedGateway) throws {
        let wanted = "was renewed"
        _ = try gateway.eventually("\(name) is shown") {
            try certificates.shownName(gateway.client.port) == name ? true : nil
        }
        #expect(gateway.program.errors.text.contains(wanted))
    }

    @Test func byRenamingWhileAConnectionLivesOn() throws {
        let gateway = try serve()
        let address = "localhost:\(gateway.client.port)"
        let kept = try Program(
            ["s_client", "-quiet", "-verify_quiet", "-CAfile", certificates.authority, "-connect", address],
            in: folders,
            staysOpen: true, executable: "/usr/bin/openssl")
        kept.say("HEAD /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try hears("application/json", kept, gateway)
        try certificates.make(name: "second")
        try waitFor("second", gateway)
        kept.say("HEAD /api/v1/docs HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try hears("text/html", kept, gateway)
    }

    private func hears(_ text: String, _ client: Program, _ gateway: ServedGateway) throws {
        _ = try gateway.eventually(text) { client.output.text.contains(text) ? true : nil }
    }

    /// As certbot does it: the names that are configured stay links to links.
    @Test func byTurningALink() throws {
        let files = FileManager.default
        let live = "\(folders.root)/live"
        for name in ["archive", "live"] {
            try files.createDirectory(atPath: "\(folders.root)/\(name)", withIntermediateDirectories: false)
        }
        func turn(to number: Int, _ name: String) throws {
            try certificates.make(
                name: name, certificate: "\(folders.root)/archive/cert\(number).pem",
                key: "\(folders.root)/archive/key\(number).pem")
            for kind in ["key", "cert"] {
                try files.createSymbolicLink(
                    atPath: "\(live)/\(kind).new", withDestinationPath: "../archive/\(kind)\(number).pem")
                rename("\(live)/\(kind).new", "\(live)/\(kind).pem")
            }
        }
        try turn(to: 1, "first")
        let gateway = try serve("tls-certificate = \(live)/cert.pem\ntls-key = \(live)/key.pem\n")
        #expect(try certificates.shownName(gateway.client.port) == "first")
        try turn(to: 2, "second")
        try waitFor("second", gateway)
    }

    /// The certificate first and the key a moment later; what is in between is told once and serves nobody.
    @Test func byCopyingOneAfterTheOther() throws {
        let gateway = try serve()
        try certificates.make(name: "second", certificate: "\(folders.root)/c2", key: "\(folders.root)/k2")
        try overwrite(certificates.certificate, with: "\(folders.root)/c2")
        let told = "the renewed certificate is not used, the old one stays"
        _ = try gateway.program.errors.line(containing: told)
        // Looked at again, it is no other news.
        gateway.program.signal(SIGHUP)
        _ = try gateway.program.errors.line(containing: "nothing has changed")
        #expect(try certificates.shownName(gateway.client.port) == "first")
        try overwrite(certificates.key, with: "\(folders.root)/k2")
        try waitFor("second", gateway)
        #expect(gateway.program.errors.text.components(separatedBy: told).count == 2)
    }

    /// The folder is not there for a while, as when a disk is mounted anew.
    @Test func afterItsFolderWasAway() throws {
        let folder = "\(folders.root)/tls"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try certificates.make(certificate: "\(folder)/cert", key: "\(folder)/key")
        let gateway = try serve("tls-certificate = \(folder)/cert\ntls-key = \(folder)/key\n")
        rename(folder, folder + ".old")
        _ = try gateway.program.errors.line(containing: "\(folder)/cert is not there")
        #expect(try certificates.shownName(gateway.client.port) == "first")
        try FileManager.default.createDirectory(atPath: folder + ".new", withIntermediateDirectories: false)
        try certificates.make(name: "second", certificate: "\(folder).new/cert", key: "\(folder).new/key")
        rename(folder + ".new", folder)
        try waitFor("second", gateway)
    }

    /// As cp does: the same file, written over.
    private func overwrite(_ path: String, with other: String) throws {
        try String(contentsOfFile: other, encoding: .utf8).write(toFile: path, atomically: false, encoding: .utf8)
    }
}
