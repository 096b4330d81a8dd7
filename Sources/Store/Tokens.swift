import MeshModel

extension Writer {
    /// - Parameters:
    ///   - hash: SHA-256 of the token, 32 bytes.
    ///   - prefix: the token's first characters, for people.
    ///   - expiresAt: host milliseconds; nil never.
    ///   - now: host milliseconds.
    /// - Throws: ``StoreError/nameTaken(_:)`` or ``StoreError/tokenKnown`` when an active token is in the way.
    @discardableResult
    public func insertToken(
        name: String, hash: [UInt8], prefix: String, scopes: String, expiresAt: Int64? = nil, at now: Int64
    ) throws -> Int64 {
        precondition(hash.count == 32, "a SHA-256 has 32 bytes")
        let isTaken = try connection.prepare("SELECT count(*) FROM tokens WHERE name = ? AND revoked_at IS NULL")
            .bind(name).first { $0.flag() }
        guard isTaken != true else { throw StoreError.nameTaken(name) }
        let isKnown = try connection.prepare("SELECT count(*) FROM tokens WHERE hash = ? AND revoked_at IS NULL")
            .bind(hash).first { $0.flag() }
        guard isKnown != true else { throw StoreError.tokenKnown }
        markChanged(.tokens)
        try connection.prepare(
            "INSERT INTO tokens (name, hash, prefix, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .bind(name).bind(hash).bind(prefix).bind(scopes).bind(now).bind(expiresAt).run()
        return connection.lastInsertedRow
    }

    /// Changes what a token may do.
    ///
    /// - Parameter change: from its scopes, as they are stored, to the new ones.
    /// - Returns: the new ones; nil when no active token has this name.
    public func changeScopes(ofToken name: String, _ change: (String) -> String) throws -> String? {
        let known = try connection.prepare("SELECT scopes FROM tokens WHERE name = ? AND revoked_at IS NULL")
            .bind(name).first { $0.text() }
        guard let known else { return nil }
        let scopes = change(known)
        markChanged(.tokens)
        try connection.prepare("UPDATE tokens SET scopes = ? WHERE name = ? AND revoked_at IS NULL")
            .bind(scopes).bind(name).run()
        return scopes
    }

    /// - Returns: false when no active token has this name.
    @discardableResult
    public func revokeToken(name: String, at now: Int64) throws -> Bool {
        try connection.prepare("UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL")
            .bind(now).bind(name).run()
        return try noteRevocation()
    }

    /// - Returns: false when it is not an active token's id.
    @discardableResult
    public func revokeToken(id: Int64, at now: Int64) throws -> Bool {
        try connection.prepare("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL")
            .bind(now).bind(id).run()
        return try noteRevocation()
    }

    private func noteRevocation() throws -> Bool {
        guard connection.changes > 0 else { return false }
        markChanged(.tokens)
        try forgetRowsOfRevokedTokens()
        return true
    }

    /// Notes that a token was used. Not a change that ``Topic/tokens`` tells of.
    public func touchToken(id: Int64, at now: Int64) throws {
        try connection.prepare("UPDATE tokens SET last_used_at = ? WHERE id = ?").bind(now).bind(id).run()
    }
}

extension Reader {
    private static let columns =
        "id, name, hash, prefix, scopes, created_at, expires_at, last_used_at, revoked_at FROM tokens"

    /// All of them, the revoked ones included, the oldest first.
    public func tokens() throws -> [Token] {
        try connection.prepare(composed: "SELECT \(Self.columns) ORDER BY id").rows(read)
    }

    private func read(_ row: Statement) -> Token {
        Token(
            id: row.integer(), name: row.text(), hash: row.bytes(), prefix: row.text(), scopes: row.text(),
            createdAt: row.integer(), expiresAt: row.integerOrNil(), lastUsedAt: row.integerOrNil(),
            revokedAt: row.integerOrNil())
    }
}
