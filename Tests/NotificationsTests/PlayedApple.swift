import Foundation
import JSON
import Nettle
import Testing

@testable import Notifications
@testable import ServedProgram

/// Apple's push service, played by `apple.py`, and settings that lead there.
final class PlayedApple {
    /// A request that it has got.
    struct Received {
        let host: String
        let status: Int
        let headers: [String: String]
        let body: JSONValue

        var token: String { headers[":path"]?.split(separator: "/").last.map(String.init) ?? "" }
    }

    static let topic = "org.example.mesh"
    private static let keyID = "ABCDE12345"
    private static let team = "TEAM123456"

    let settings: AppleSettings
    private let server: Program
    private let folders: Folders

    /// - Parameter answers: by host and device token; what is not there is answered as Apple's documents say.
    init(
        answers: [String: [(status: Int, body: String)]] = [:], topic: String = PlayedApple.topic,
        showsTexts: Bool = false
    ) throws {
        folders = try Folders()
        let certificates = try Certificates(in: folders)
        let scalar = P256.makeScalar()!
        let plan = answers.mapValues { $0.map { [$0.status, $0.body, ["x-of": "apple"]] as [Any] } }
        let told: [String: Any] = [
            "key": Base64.linkEncoded(P256.publicKey(of: scalar)!), "keyID": Self.keyID, "team": Self.team,
            "topic": Self.topic, "answers": plan,
        ]
        let python = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_PYTHON"] ?? "python3"
        server = try Program(
            [
                python, (#filePath as NSString).deletingLastPathComponent + "/apple.py", certificates.certificate,
                certificates.key, String(decoding: try JSONSerialization.data(withJSONObject: told), as: UTF8.self),
            ], in: folders, staysOpen: true, executable: "/usr/bin/env")
        let ports = try #require(JSONValue(Array(try server.output.line(containing: "production").utf8)))
        func address(_ host: String) throws -> WebAddress {
            try WebAddress("https://127.0.0.1:\(try #require(ports[host]?.integer))/")
        }
        let hosts = AppleHosts(
            production: try address("production"), sandbox: try address("sandbox"),
            authority: certificates.authority, isLocal: true)
        settings = AppleSettings(
            key: try AppleKey(pem: try Self.pem(of: scalar)), keyID: Self.keyID, team: Self.team, topic: topic,
            showsTexts: showsTexts, hosts: hosts)
    }

    var received: [Received] {
        server.output.text.split(separator: "\n").dropFirst().compactMap { line in
            guard let request = JSONValue(Array(line.utf8)), let host = request["host"]?.string,
                case .object(let headers)? = request["headers"], let body = request["body"]?.string
            else { return nil }
            return Received(
                host: host, status: Int(request["status"]?.integer ?? 0),
                headers: headers.compactMapValues { $0.string }, body: JSONValue(Array(body.utf8)) ?? .null)
        }
    }

    var complaints: String { server.errors.text }

    /// As Apple writes a key: PKCS #8 in PEM, without the public half.
    static func pem(of scalar: [UInt8]) throws -> String {
        let head: [UInt8] = [
            0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
            0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        return "-----BEGIN PRIVATE KEY-----\n\(Base64.encoded(head + scalar))\n-----END PRIVATE KEY-----\n"
    }
}
