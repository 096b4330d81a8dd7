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
    private let own = PushedBrowser()

    func address(_ endpoint: String) -> PushAddress {
        .web(endpoint: endpoint, p256dh: own.p256dh, auth: own.auth)
    }

    var keys: BrowserKeys { get throws { try BrowserKeys(p256dh: own.p256dh, auth: own.auth) } }

    /// What a record says; nil if it is none for this browser.
    func open(_ body: [UInt8]) -> JSONValue? { own.open(body).flatMap { JSONValue($0) } }
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
