import HTTPServer
import Store
import Synchronization

/// Decides whether a request carries a valid token, and what that may do.
///
/// Tokens that were found valid are kept by their hash until the store's tokens change, so that a check costs one
/// SHA-256 and no query, and a revoked token fails on its very next request.
final class TokenCheck: Sendable {
    private struct Known {
        var id: Int64
        var scopes: Scopes
        /// Host milliseconds; nil never.
        var expiresAt: Int64?
        /// Host milliseconds of the last use that is on disk.
        var lastUsedAt: Int64
    }

    private struct Cache {
        var revision: UInt64 = 0
        var tokens: [TokenHash: Known] = [:]
    }

    /// Tokens kept in memory; more than that are looked up each time.
    private static let capacity = 64
    /// Milliseconds between two notes of a token's use: reading must not cost a write each time.
    private static let noteInterval: Int64 = 3_600_000

    private let store: Store
    private let cache = Mutex(Cache())

    init(store: Store) { self.store = store }

    /// - Parameters:
    ///   - authorization: The header's value: `Bearer`, one blank and the token, letter case included (trap 4).
    ///   - now: Host milliseconds.
    func check(authorization: String?, now: Int64) throws(APIError) -> Caller {
        guard let authorization, authorization.hasPrefix("Bearer ") else { throw .tokenMissing }
        guard let token = APIToken(String(authorization.dropFirst(7))) else { throw .tokenInvalid }
        let hash = token.hash
        // Before the query: a change that comes in between makes the answer outdated, not trusted.
        let revision = store.revision(.tokens)
        let known = cache.withLock { $0.revision == revision ? $0.tokens[hash] : nil }
        let valid = if let known { known } else { try look(up: hash, revision: revision) }
        guard let found = valid, found.expiresAt ?? .max > now else { throw .tokenInvalid }
        if now - found.lastUsedAt >= Self.noteInterval { noteUse(of: found, hash, now) }
        return Caller(token: found.id, scopes: found.scopes)
    }

    private func look(up hash: TokenHash, revision: UInt64) throws(APIError) -> Known? {
        let row: Token?
        do { row = try store.read { try $0.token(hash: hash.bytes) } } catch { throw .tokenCheckFailed }
        guard let row, row.revokedAt == nil, hash.equals(row.hash) else { return nil }
        let known = Known(
            id: row.id, scopes: Scopes(stored: row.scopes), expiresAt: row.expiresAt, lastUsedAt: row.lastUsedAt ?? 0)
        cache.withLock { cache in
            if cache.revision != revision {
                cache = Cache(revision: revision)
            }
            if cache.tokens.count < Self.capacity { cache.tokens[hash] = known }
        }
        return known
    }

    private func noteUse(of token: Known, _ hash: TokenHash, _ now: Int64) {
        cache.withLock { $0.tokens[hash]?.lastUsedAt = now }
        store.enqueue(.grouped, { try $0.touchToken(id: token.id, at: now) })
    }
}
