import Foundation

/// A folder with an authority, a broker's certificate for 127.0.0.1, and a client's.
final class Certificates {
    let folder: String

    init(days: Int = 30) throws {
        folder = NSTemporaryDirectory() + "certificates-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=authority", "-days", "30", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem")
        try issue("server", address: "127.0.0.1", days: days)
        try issue("client", address: "127.0.0.1", days: 30)
    }

    func issue(_ name: String, address: String, days: Int) throws {
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).csr")
        try "subjectAltName=IP:\(address)".write(
            toFile: "\(folder)/\(name).ext", atomically: true, encoding: .utf8)
        try openssl(
            "x509", "-req", "-in", "\(folder)/\(name).csr", "-CA", "\(folder)/ca.pem", "-CAkey",
            "\(folder)/ca.key", "-CAcreateserial", "-days", "\(days)", "-extfile", "\(folder)/\(name).ext",
            "-out", "\(folder)/\(name).pem")
    }

    private func openssl(_ arguments: String...) throws { try run("/usr/bin/openssl", arguments) }

    /// Of mosquitto's configuration.
    var lines: [String] {
        ["cafile \(folder)/ca.pem", "certfile \(folder)/server.pem", "keyfile \(folder)/server.key"]
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
