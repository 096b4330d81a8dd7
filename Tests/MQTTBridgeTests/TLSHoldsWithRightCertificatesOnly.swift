import Foundation
import Testing

@testable import MQTTBridge

/// Certificates of our own making, for the loopback.
@Suite struct TLSHoldsWithRightCertificatesOnly {
    /// A folder with an authority, a broker's certificate for 127.0.0.1, and a client's.
    private final class Certificates {
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

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func mosquitto(_ certificates: Certificates, wantsClients: Bool = false) throws -> Mosquitto {
        let mosquitto = try Mosquitto { _ in
            [
                "cafile \(certificates.folder)/ca.pem", "certfile \(certificates.folder)/server.pem",
                "keyfile \(certificates.folder)/server.key", "require_certificate \(wantsClients)",
            ]
        }
        try mosquitto.start()
        return mosquitto
    }

    @Test func theRightOneDoes() throws {
        let certificates = try Certificates()
        let mosquitto = try mosquitto(certificates, wantsClients: true)
        let loop = try RunningLoop(
            .local(mosquitto.port) { broker in
                (broker.hasTLS, broker.authorities) = (true, "\(certificates.folder)/ca.pem")
                broker.certificate = "\(certificates.folder)/client.pem"
                broker.key = "\(certificates.folder)/client.key"
            })
        loop.publish([Publication(topic: "sealed", payload: [0x31])])
        loop.user.wait("acknowledged") { $0.settled.contains { $0.topic == "sealed" } }
        loop.stop()
    }

    @Test func anAuthorityThatNobodyKnowsDoesNot() throws {
        let certificates = try Certificates()
        let mosquitto = try mosquitto(certificates)
        // Those of the system.
        let loop = try RunningLoop(.local(mosquitto.port) { $0.hasTLS = true })
        loop.waitForLog("certificate verify failed")
        #expect(loop.user.state.withLock { $0.connections } == 0)
        loop.stop()
    }

    @Test func anExpiredOneDoesNot() throws {
        let certificates = try Certificates(days: -1)
        let mosquitto = try mosquitto(certificates)
        let loop = try RunningLoop(
            .local(mosquitto.port) { ($0.hasTLS, $0.authorities) = (true, "\(certificates.folder)/ca.pem") })
        loop.waitForLog("certificate verify failed")
        loop.stop()
    }

    @Test func anotherHostsDoesNot() throws {
        let certificates = try Certificates()
        try certificates.issue("server", address: "192.0.2.7", days: 30)
        let mosquitto = try mosquitto(certificates)
        let loop = try RunningLoop(
            .local(mosquitto.port) { ($0.hasTLS, $0.authorities) = (true, "\(certificates.folder)/ca.pem") })
        loop.waitForLog("cannot connect to the broker")
        #expect(loop.user.state.withLock { $0.connections } == 0)
        loop.stop()
    }

    /// A file that is missing is said with its kind, and looked for again.
    @Test func aMissingFileDoesNot() throws {
        let loop = try RunningLoop(
            .local(1) { ($0.hasTLS, $0.authorities) = (true, "/nonexistent/ca.pem") })
        loop.waitForLog("cannot connect to the broker")
        loop.stop()
    }
}
