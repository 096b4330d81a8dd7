import HTTPServer
import Store
import Synchronization

/// Decides whether a request carries a valid token, and what that may do.
///
/// All active tokens are kept by their hash until the store's tokens change. So a check costs one SHA-256 and no query,
/// also of a token that does not exist, and a revoked token fails on its very next request.
public final class TokenCheck: Sendable {
    private struct Known {
        var id: Int64
        var name: String
        var scopes: Scopes
        /// Host milliseconds; nil never.
        var expiresAt: Int64?
        /// Host milliseconds; nil: not yet.
        var lastUsedAt: Int64?
        /// Host milliseconds of the last use that is on disk.
        var notedAt: Int64?

        /// Nil when it has expired; else what it is, and whether this use is to be written down.
        mutating func use(at now: Int64) -> (Known, Bool)? {
            guard expiresAt ?? .max > now else { return nil }
            lastUsedAt = now
            // A clock that was wrong and is set back must not end the notes.
            let isNews = notedAt.map { abs(now - $0) >= TokenCheck.noteInterval } ?? true
            if isNews { notedAt = now }
            return (self, isNews)
        }
    }

    private struct Cache {
        /// Nil: nothing is known yet.
        var revision: UInt64?
        var tokens: [TokenHash: Known] = [:]
    }

    /// Milliseconds between two notes of a token's use: reading must not cost a write each time.
    private static let noteInterval: Int64 = 3_600_000

    private let store: Store
    private let cache = Mutex(Cache())

    public init(store: Store) { self.store = store }

    /// - Parameters:
    ///   - authorization: The header's value: `Bearer`, one blank and the token, letter case included (Contract 7.4).
    ///     Blanks around it are off already, so that `Bearer ` without a token is none, and no wrong one.
    ///   - now: Host milliseconds.
    public func check(authorization: String?, now: Int64) throws(APIError) -> Caller {
        guard let authorization, authorization.utf8.starts(with: "Bearer ".utf8) else { throw .tokenMissing }
        guard let token = APIToken(String(Substring(authorization.utf8.dropFirst(7)))) else { throw .tokenInvalid }
        let hash = token.hash
        try refresh()
        guard let (found, isNews) = cache.withLock({ $0.tokens[hash]?.use(at: now) ?? nil }) else {
            throw .tokenInvalid
        }
        if isNews { store.enqueue(.grouped, { try $0.touchToken(id: found.id, at: now) }) }
        return Caller(token: found.id, tokenName: found.name, scopes: found.scopes)
    }

    /// The owner of a token that was shown before; nil when it is no longer valid.
    public func caller(id: Int64, now: Int64) throws(APIError) -> Caller? {
        try refresh()
        guard let known = cache.withLock({ $0.tokens.values.first { $0.id == id } }), known.expiresAt ?? .max > now
        else { return nil }
        return Caller(token: id, tokenName: known.name, scopes: known.scopes)
    }

    /// Whether anybody is let in with this header.
    public func isValid(authorization: String?, now: Int64) -> Bool {
        (try? check(authorization: authorization, now: now)) != nil
    }

    /// When each token was used last in the life of this process, in host milliseconds.
    public var lastUses: [Int64: Int64] {
        cache.withLock { cache in
            cache.tokens.values.reduce(into: [:]) { uses, token in uses[token.id] = token.lastUsedAt }
        }
    }

    /// Reads the tokens again when they have changed.
    private func refresh() throws(APIError) {
        // Before the query: a change that comes in between makes the answer outdated, not trusted. A token is made and
        // revoked on disk before anybody is told.
        let revision = store.committedRevision(.tokens)
        if cache.withLock({ $0.revision == revision }) { return }
        let rows: [Token]
        do { rows = try store.readCommitted { try $0.tokens() } } catch { throw .tokenCheckFailed }
        cache.withLock { cache in
            var tokens: [TokenHash: Known] = [:]
            for row in rows where row.revokedAt == nil {
                let hash = TokenHash(bytes: row.hash)
                let known = cache.tokens[hash]
                tokens[hash] = Known(
                    id: row.id, name: row.name, scopes: Scopes(of: row), expiresAt: row.expiresAt,
                    lastUsedAt: known?.lastUsedAt ?? row.lastUsedAt, notedAt: known?.notedAt ?? row.lastUsedAt)
            }
            cache = Cache(revision: revision, tokens: tokens)
        }
    }
}
