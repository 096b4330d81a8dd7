import Foundation
import Testing

/// Certificates for localhost, made by openssl in the folders of one test.
struct Certificates {
    let folders: Folders
    var certificate: String { "\(folders.root)/cert.pem" }
    var key: String { "\(folders.root)/key.pem" }
    /// Who has signed all of them.
    var authority: String { "\(folders.root)/ca.pem" }

    /// Makes the authority, and a first certificate.
    init(in folders: Folders) throws {
        self.folders = folders
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-subj",
            "/CN=Test authority", "-keyout", "\(folders.root)/ca.key", "-out", authority)
        try make()
    }

    /// Makes a key and a certificate with its chain, and puts them into the places of the others at once.
    ///
    /// - Parameters:
    ///   - name: of the person or box that it is for.
    func make(name: String = "first", certificate: String? = nil, key: String? = nil) throws {
        let new = "\(folders.root)/new"
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
            "\(new).key", "-out", "\(new).csr")
        let extensions = try folders.file("extensions", "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        try openssl(
            "x509", "-req", "-in", "\(new).csr", "-CA", authority, "-CAkey", "\(folders.root)/ca.key",
            "-CAcreateserial",
            "-days", "30", "-extfile", extensions, "-out", "\(new).pem")
        let chain = try ["\(new).pem", authority].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try chain.write(toFile: "\(new).pem", atomically: false, encoding: .utf8)
        rename("\(new).key", key ?? self.key)
        rename("\(new).pem", certificate ?? self.certificate)
    }

    @discardableResult
    func openssl(_ words: String..., input: String = "") throws -> String {
        try run("openssl", words, input: input)
    }

    /// With curl, which trusts the authority alone; what it writes.
    func curl(_ words: String...) throws -> String {
        try run("curl", ["--silent", "--show-error", "--cacert", authority] + words)
    }

    private func run(_ program: String, _ words: [String], input: String = "") throws -> String {
        let program = try Program(words, in: folders, input: input, executable: "/usr/bin/\(program)")
        let code = try program.exitCode()
        try #require(code == 0, "\(words): \(program.errors.text)")
        return program.output.text
    }

    /// Whom the certificate is for that a new connection to this port of localhost is shown.
    func shownName(_ port: UInt16) throws -> String {
        // It ends with its input.
        let shown = try openssl(
            "s_client", "-connect", "localhost:\(port)", "-CAfile", authority, "-verify_return_error", input: "Q\n")
        let subject = shown.split(separator: "\n").first { $0.hasPrefix("subject=") }
        return subject?.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }

    /// Lines of a configuration.
    var settings: String { "tls-certificate = \(certificate)\ntls-key = \(key)\n" }
}
