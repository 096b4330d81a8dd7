import Configuration
import Testing

@Suite struct ACertificateNeedsItsKey {
    @Test(arguments: [("tls-certificate", "tls-key"), ("tls-key", "tls-certificate")])
    func oneAloneIsAMistake(given: String, missing: String) throws {
        let directory = try ConfigurationDirectory("\n\(given) = /etc/tls.pem\n")
        let mistakes = Configuration.read(file: directory.file, environment: [:]).mistakes
        #expect(mistakes.count == 1 && mistakes.first?.line == 2)
        #expect("\(mistakes[0])".contains("\(given) is good for nothing without \(missing)"), "\(mistakes)")
    }

    @Test func theyMayComeFromTwoPlaces() throws {
        let directory = try ConfigurationDirectory("tls-certificate = /etc/cert.pem\n")
        let found = try directory.load(environment: ["MESH_GATEWAY_TLS_KEY": "/etc/key.pem"])
        #expect(found.certificate == "/etc/cert.pem" && found.certificateKey == "/etc/key.pem")
    }

    /// A value that is wrong in itself is not missing besides.
    @Test func oneMistakeIsToldOnce() throws {
        let directory = try ConfigurationDirectory("tls-certificate = /etc/cert.pem\ntls-key = key.pem\n")
        let mistakes = Configuration.read(file: directory.file, environment: [:]).mistakes
        #expect(mistakes.count == 1 && "\(mistakes[0])".contains("tls-key cannot be \"key.pem\""))
    }
}
