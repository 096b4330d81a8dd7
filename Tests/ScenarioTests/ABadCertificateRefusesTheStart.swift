import Foundation
import Testing

@testable import ServedProgram

/// Plain HTTP is never served in the place of TLS; and what is wrong is one sentence, at a start and in `config check`.
@Suite struct ABadCertificateRefusesTheStart {
    private let folders: Folders
    private let certificates: Certificates

    init() throws {
        folders = try Folders()
        certificates = try Certificates(in: folders)
    }

    /// What is done to a good pair, and what is said of it.
    private struct Case: Sendable {
        let name: String
        /// The setting that is named.
        let key: String
        let parts: [String]
        let spoil: @Sendable (Certificates) throws -> Void

        init(
            _ name: String, _ key: String, _ parts: [String], _ spoil: @escaping @Sendable (Certificates) throws -> Void
        ) {
            (self.name, self.key, self.parts, self.spoil) = (name, key, parts, spoil)
        }
    }

    private static let cases = [
        Case("another's key", "tls-certificate", ["does not belong to the private key", "openssl pkey -pubout -in"]) {
            try $0.make(name: "other", certificate: "\($0.folders.root)/other.pem")
        },
        Case("no certificate", "tls-certificate", ["is not there", "ls -l"]) { unlink($0.certificate) },
        Case("no key", "tls-key", ["is not there"]) { unlink($0.key) },
        Case("nonsense", "tls-certificate", ["holds no certificate in PEM form", "openssl x509 -in"]) {
            try put("nonsense", into: $0.certificate)
        },
        Case("an empty key", "tls-key", ["holds no private key in PEM form", "openssl pkey -in"]) {
            try put("", into: $0.key)
        },
        Case("each in the other's place", "tls-certificate", ["are tls-certificate and tls-key exchanged?"]) {
            rename($0.certificate, $0.certificate + ".x")
            rename($0.key, $0.certificate)
            rename($0.certificate + ".x", $0.key)
        },
        Case("a folder", "tls-key", ["is no PEM file"]) {
            unlink($0.key)
            mkdir($0.key, 0o700)
        },
        Case("a pipe that nobody fills", "tls-key", ["is no PEM file"]) {
            unlink($0.key)
            mkfifo($0.key, 0o600)
        },
        Case("a password", "tls-key", ["is encrypted", "nobody can type its password", "openssl pkey -in"]) {
            try $0.openssl("pkey", "-in", $0.key, "-aes256", "-passout", "pass:secret", "-out", $0.key + ".x")
            rename($0.key + ".x", $0.key)
        },
        Case("half a file", "tls-certificate", ["cannot be used"]) {
            try put(String(contentsOfFile: $0.certificate, encoding: .utf8).prefix(300), into: $0.certificate)
        },
        Case("half a key", "tls-key", ["cannot be used"]) {
            try put(String(contentsOfFile: $0.key, encoding: .utf8).prefix(100), into: $0.key)
        },
    ]

    @Test(arguments: cases.indices) func withOneSentence(_ index: Int) throws {
        let one = Self.cases[index]
        try one.spoil(certificates)
        let file = try folders.file("tls.conf", "listen = 127.0.0.1:0\n" + certificates.settings)
        let line = one.key == "tls-certificate" ? 2 : 3
        let start = try Program.run("serve", "--config", file, "--device", "simulated", in: folders)
        #expect(start.code == 78 && start.output.isEmpty, "\(one.name): \(start.output)")
        let check = try Program.run("config", "check", "--config", file, in: folders)
        #expect(check.code == 78, "\(one.name): \(check.output)")
        for text in [start.errors, check.errors] {
            #expect(text.contains("\(file):\(line): \(one.key): "), "\(one.name): \(text)")
            for part in one.parts { #expect(text.contains(part), "\(one.name): \(text)") }
            #expect(text.split(separator: "\n").count == 1, "\(one.name): \(text)")
        }
    }

    @Test func oneKeyAloneIsAMistake() throws {
        let file = try folders.file("tls.conf", "tls-key = \(certificates.key)\n")
        let check = try Program.run("config", "check", "--config", file, in: folders)
        #expect(check.code == 78)
        #expect(
            check.errors.hasPrefix("\(file):1: tls-key is good for nothing without tls-certificate"), "\(check.errors)")
    }
}

private func put(_ text: some StringProtocol, into path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
}

/// A client decides about the time of a certificate, and whoever may read the key is the owner's business.
@Suite struct ADoubtfulCertificateIsServedWithAWarning {
    private let folders: Folders
    private let certificates: Certificates

    init() throws {
        folders = try Folders()
        certificates = try Certificates(in: folders)
    }

    @Test func whenItHasExpired() throws {
        try make(from: "20200101000000Z", to: "20210101000000Z")
        try expect("it has expired on 2021-01-01", curl: "certificate has expired", doctor: "It has expired")
    }

    /// So is every certificate where the clock stands at 1970.
    @Test func whenItDoesNotCountYet() throws {
        try make(from: "20450101000000Z", to: "20460101000000Z")
        try expect(
            "it counts from 2045-01-01 on, and this computer's clock says 20", curl: "not yet valid",
            doctor: "It counts from")
    }

    @Test func whenEverybodyMayReadItsKey() throws {
        chmod(certificates.key, 0o644)
        // The folder of a test is shut for others.
        chmod(folders.root, 0o755)
        let words = "everybody on this computer can read the private key \(certificates.key); sudo chmod o-r"
        try expect(words, curl: nil, doctor: "Everybody on this computer can read its private key")
        chmod(folders.root, 0o700)
        let check = try Program.run("config", "check", "--config", "\(folders.root)/tls.conf", in: folders)
        #expect(!check.output.contains("warning"), "\(check.output)")
    }

    /// - Parameters:
    ///   - words: of log, `config check`, and what systemd is told.
    ///   - curl: why curl refuses; nil: it does not.
    private func expect(_ words: String, curl: String?, doctor: String) throws {
        let file = try folders.file("tls.conf", certificates.settings)
        let systemd = try NotifySocket(in: folders)
        let gateway = try ServedGateway(
            device: "simulated", in: folders, ["--config", file], environment: ["NOTIFY_SOCKET": systemd.path])
        _ = try gateway.program.errors.line(containing: words)
        let url = "https://localhost:\(gateway.client.port)/api/status"
        let asked = try Program(
            ["-sS", "--cacert", certificates.authority, url], in: folders, executable: "/usr/bin/curl")
        #expect(try (asked.exitCode() == 0) == (curl == nil))
        if let curl {
            #expect(asked.errors.text.contains(curl), "\(asked.errors.text)")
            try systemd.waitForStatus(containing: "certificate: \(words)")
        }
        let check = try Program.run("config", "check", "--config", file, in: folders)
        #expect(check.code == 0)
        #expect(check.output.contains("warning: tls-") && check.output.contains(words), "\(check.output)")
        let examined = try Program.run("doctor", "--config", file, in: folders)
        #expect(examined.output.contains(doctor), "\(examined.output)")
    }

    /// Before version 3.4 only openssl's older command `ca` has options for both.
    private func make(from first: String, to last: String) throws {
        let settings = try folders.file(
            "ca.conf",
            """
            [ca]
            default_ca = all
            [all]
            new_certs_dir = \(folders.root)
            database = \(try folders.file("index", ""))
            serial = \(try folders.file("serial", "01\n"))
            default_md = sha256
            policy = any
            x509_extensions = names
            [any]
            commonName = supplied
            [names]
            subjectAltName = DNS:localhost
            """)
        try certificates.openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=another time",
            "-keyout",
            certificates.key, "-out", "\(folders.root)/other.csr")
        try certificates.openssl(
            "ca", "-batch", "-notext", "-config", settings, "-cert", certificates.authority, "-keyfile",
            "\(folders.root)/ca.key", "-startdate", first, "-enddate", last, "-in",
            "\(folders.root)/other.csr", "-out", certificates.certificate)
    }
}
