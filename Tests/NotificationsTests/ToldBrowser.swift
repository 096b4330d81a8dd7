import Foundation
import JSON
import MeshModel
import Nettle
import Platform
import Store

@testable import Notifications
@testable import ServedProgram

/// A browser: it registers, and opens what it is sent.
struct ToldBrowser {
    private let scalar: [UInt8]
    private let secret: [UInt8]
    private let publicKey: [UInt8]

    init() {
        scalar = P256.makeScalar()!
        publicKey = P256.publicKey(of: scalar)!
        secret = (0..<16).map { _ in UInt8.random(in: 0...255) }
    }

    func address(_ endpoint: String) -> PushAddress {
        .web(endpoint: endpoint, p256dh: Base64.linkEncoded(publicKey), auth: Base64.linkEncoded(secret))
    }

    var keys: BrowserKeys {
        get throws { try BrowserKeys(p256dh: Base64.linkEncoded(publicKey), auth: Base64.linkEncoded(secret)) }
    }

    /// What a record says (RFC 8291, 3); nil if it is none for this browser.
    func open(_ body: [UInt8]) -> JSONValue? {
        guard body.count > 103, body[20] == 65 else { return nil }
        let (salt, sender, sealed) = (Array(body[..<16]), Array(body[21..<86]), Array(body[86...]))
        guard let shared = P256.sharedSecret(of: scalar, and: sender) else { return nil }
        let info = Array("WebPush: info\0".utf8) + publicKey + sender
        let key = hkdfSHA256(shared, salt: secret, info: info, count: 32)
        func derived(_ name: String, _ count: Int) -> [UInt8] {
            hkdfSHA256(key, salt: salt, info: Array("Content-Encoding: \(name)\0".utf8), count: count)
        }
        let (cipher, nonce) = (derived("aes128gcm", 16), derived("nonce", 12))
        // The mode is its own inverse; the tag is that of the text.
        let text = Array(aesGCMEncrypted(Array(sealed.dropLast(16)), key: cipher, nonce: nonce).dropLast(16))
        guard aesGCMEncrypted(text, key: cipher, nonce: nonce) == sealed, text.last == 2 else { return nil }
        return JSONValue(Array(text.dropLast()))
    }
}

extension PushSettings {
    /// A server of a test is where registrations may lead.
    static func allowing(_ server: LoopbackServer) -> PushSettings {
        PushSettings(hosts: PushHosts([("127.0.0.1", server.port)]), contact: "mailto:test@example.org")
    }
}

extension ToldMesh {
    /// A token that may be told; ``Token/id``.
    func token(_ name: String = "phone") throws -> Int64 {
        let known = try store.read { try $0.tokens().first { $0.name == name } }
        if let known { return known.id }
        let hash = SHA256.digest(of: Array(name.utf8))
        return try store.commit {
            try $0.insertToken(name: name, hash: hash, prefix: "mm_v1_", scopes: "read", at: WallClock.milliseconds())
        }
    }

    @discardableResult
    func register(
        _ browser: ToldBrowser, at endpoint: String, token name: String = "phone"
    ) throws -> PushRegistration {
        let (token, address) = (try token(name), browser.address(endpoint))
        let row = try store.commit {
            try $0.register(address, for: token, name: nil, rules: nil, at: WallClock.milliseconds())
        }
        running.registrationsChanged()
        return row!
    }

    var registrations: [PushRegistration] { get throws { try store.read { try $0.registrations() } } }
}
