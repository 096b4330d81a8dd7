import JSON
import Platform
import Routes
import Store

// `mesh-gateway token`: who may use the API. No page shows a token but the one that answers its making.

extension ControlAPI {
    static let tokenPages: [LocalPage] = [
        LocalPage("/local/tokens", "tokens/1") { question, json in
            let lastUses = question.api?.tokens.lastUses ?? [:]
            let now = WallClock.milliseconds()
            let tokens = try question.reader.tokens()
            let names = Dictionary(uniqueKeysWithValues: tokens.map { ($0.id, $0.name) })
            json.key("tokens")
            json.array { json in
                for token in tokens {
                    json.token(
                        token, madeBy: token.madeBy.flatMap { names[$0] },
                        lastUsedAt: lastUses[token.id] ?? token.lastUsedAt, at: now)
                }
            }
        }
    ]
}

extension Token {
    /// `active`, `expired` or `revoked`.
    func state(at now: Int64) -> String {
        if revokedAt != nil { return "revoked" }
        return expiresAt ?? .max <= now ? "expired" : "active"
    }
}

extension JSONWriter {
    fileprivate mutating func token(_ token: Token, madeBy maker: String?, lastUsedAt: Int64?, at now: Int64) {
        object { json in
            json.member("name", token.name)
            json.member("prefix", token.prefix)
            json.scopes(Scopes(of: token))
            json.member("state", token.state(at: now))
            json.time("createdAt", milliseconds: token.createdAt)
            json.time("lastUsedAt", milliseconds: lastUsedAt)
            json.time("expiresAt", milliseconds: token.expiresAt)
            json.time("revokedAt", milliseconds: token.revokedAt)
            json.member("madeBy", maker)
        }
    }

    fileprivate mutating func scopes(_ scopes: Scopes) {
        key("scopes")
        array { json in for scope in scopes.list { json.value(scope) } }
    }
}

/// What is answered to a change of the tokens, by the daemon and by the command that makes it in the database.
public enum TokenAnswer {
    /// The one answer that shows the token.
    ///
    /// - Parameters:
    ///   - expiresAt: host milliseconds; nil never.
    ///   - via: `daemon` or `database`.
    public static func made(
        _ token: APIToken, name: String, scopes: Scopes, expiresAt: Int64?, via: String
    ) -> [UInt8] {
        LocalPage.bytes("token/1", via: via) { json in
            json.member("name", name)
            json.member("prefix", token.prefix)
            json.scopes(scopes)
            json.time("expiresAt", milliseconds: expiresAt)
            json.member("token", token.text)
        }
    }

    public static func allowed(_ name: String, _ scopes: Scopes, via: String) -> [UInt8] {
        LocalPage.bytes("token-allowed/1", via: via) { json in
            json.member("name", name)
            json.scopes(scopes)
        }
    }

    /// - Parameter made: the names of the active tokens that it has made.
    public static func revoked(_ name: String, made: [String], via: String) -> [UInt8] {
        LocalPage.bytes("token-revoked/1", via: via) { json in
            json.member("name", name)
            json.key("made")
            json.array { json in for name in made { json.value(name) } }
        }
    }
}
