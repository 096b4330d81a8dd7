import Foundation
import Testing

@testable import MQTTBridge

/// Over certificates of our own making, for the loopback.
@Suite struct TLSHoldsWithRightCertificatesOnly {
    private func mosquitto(_ certificates: Certificates, wantsClients: Bool = false) throws -> Mosquitto {
        let mosquitto = try Mosquitto { _ in
            certificates.lines + ["require_certificate \(wantsClients)"]
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
        loop.waitForLog("its certificate is from an unknown authority: name the authority's file")
        #expect(loop.user.state.withLock { $0.connections } == 0)
        loop.stop()
    }

    @Test func anExpiredOneDoesNot() throws {
        let certificates = try Certificates(days: -1)
        let mosquitto = try mosquitto(certificates)
        let loop = try RunningLoop(
            .local(mosquitto.port) { ($0.hasTLS, $0.authorities) = (true, "\(certificates.folder)/ca.pem") })
        loop.waitForLog("its certificate has expired")
        loop.stop()
    }

    @Test func anotherHostsDoesNot() throws {
        let certificates = try Certificates()
        try certificates.issue("server", address: "192.0.2.7", days: 30)
        let mosquitto = try mosquitto(certificates)
        let loop = try RunningLoop(
            .local(mosquitto.port) { ($0.hasTLS, $0.authorities) = (true, "\(certificates.folder)/ca.pem") })
        loop.waitForLog("its certificate is for another name than 127.0.0.1")
        #expect(loop.user.state.withLock { $0.connections } == 0)
        loop.stop()
    }

    /// The broker asks for our certificate, and there is none.
    @Test func noCertificateOfOursDoesNot() throws {
        let certificates = try Certificates()
        let mosquitto = try mosquitto(certificates, wantsClients: true)
        let loop = try RunningLoop(
            .local(mosquitto.port) { ($0.hasTLS, $0.authorities) = (true, "\(certificates.folder)/ca.pem") })
        loop.waitForLog("it wants a certificate of ours")
        #expect(loop.user.state.withLock { $0.connections } == 0)
        loop.stop()
    }

    @Test func aPortWithoutTLSDoesNot() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let certificates = try Certificates()
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
