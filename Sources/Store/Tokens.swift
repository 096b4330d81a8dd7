import MeshModel

extension Schema {
    /// Which token has made another one; NULL: a command has.
    static let tokenMakers = "ALTER TABLE tokens ADD COLUMN made_by INTEGER;"
}

extension Writer {
    /// Active tokens that one may have made. A thief of a token leaves no more behind.
    private static let mostOfOneMaker = 9
    /// Active tokens at which none makes another one. Commands go on.
    private static let mostTokens = 200

    /// - Parameters:
    ///   - hash: SHA-256 of the token, 32 bytes.
    ///   - prefix: the token's first characters, for people.
    ///   - expiresAt: host milliseconds; nil never.
    ///   - maker: ``Token/id`` of the token that makes it; nil: a command does.
    ///   - now: host milliseconds.
    /// - Throws: ``StoreError/nameTaken(_:)`` or ``StoreError/tokenKnown`` when an active token is in the way;
    ///   ``StoreError/makerRevoked``, ``StoreError/tooManyOfMaker(_:)`` or ``StoreError/tooManyTokens(_:)`` when the maker may
    ///   make none.
    @discardableResult
    public func insertToken(
        name: String, hash: [UInt8], prefix: String, scopes: String, expiresAt: Int64? = nil,
        madeBy maker: Int64? = nil, at now: Int64
    ) throws -> Int64 {
        precondition(hash.count == 32, "a SHA-256 has 32 bytes")
        if let maker { try check(maker: maker, at: now) }
        let isTaken = try connection.prepare("SELECT count(*) FROM tokens WHERE name = ? AND revoked_at IS NULL")
            .bind(name).first { $0.flag() }
        guard isTaken != true else { throw StoreError.nameTaken(name) }
        let isKnown = try connection.prepare("SELECT count(*) FROM tokens WHERE hash = ? AND revoked_at IS NULL")
            .bind(hash).first { $0.flag() }
        guard isKnown != true else { throw StoreError.tokenKnown }
        markChanged(.tokens)
        try connection.prepare(
            """
            INSERT INTO tokens (name, hash, prefix, scopes, created_at, expires_at, made_by) VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(name).bind(hash).bind(prefix).bind(scopes).bind(now).bind(expiresAt).bind(maker).run()
        return connection.lastInsertedRow
    }

    /// In the transaction that inserts: a maker that was revoked a moment ago makes nothing.
    private func check(maker: Int64, at now: Int64) throws {
        let counts = try connection.prepare(
            """
            SELECT count(*), count(*) FILTER (WHERE made_by = ?1), count(*) FILTER (WHERE id = ?1) FROM tokens
            WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
            """
        )
        .bind(maker).bind(now).first { (all: $0.integer(), ofMaker: $0.integer(), isActive: $0.flag()) }
        guard let counts, counts.isActive else { throw StoreError.makerRevoked }
        guard counts.ofMaker < Self.mostOfOneMaker else { throw StoreError.tooManyOfMaker(Self.mostOfOneMaker) }
        guard counts.all < Self.mostTokens else { throw StoreError.tooManyTokens(Self.mostTokens) }
    }

    /// The names of the active tokens that the active one of this name has made, the oldest first.
    public func tokens(madeByToken name: String, at now: Int64) throws -> [String] {
        try connection.prepare(
            """
            SELECT name FROM tokens
            WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
                AND made_by = (SELECT id FROM tokens WHERE name = ?1 AND revoked_at IS NULL)
            ORDER BY id
            """
        )
        .bind(name).bind(now).rows { $0.text() }
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
        "id, name, hash, prefix, scopes, created_at, expires_at, last_used_at, revoked_at, made_by FROM tokens"

    /// All of them, the revoked ones included, the oldest first.
    public func tokens() throws -> [Token] {
        try connection.prepare(composed: "SELECT \(Self.columns) ORDER BY id").rows(read)
    }

    /// The token with this number, also a revoked one; nil if there is none.
    public func token(_ id: Int64) throws -> Token? {
        try connection.prepare(composed: "SELECT \(Self.columns) WHERE id = ?").bind(id).first(read)
    }

    private func read(_ row: Statement) -> Token {
        Token(
            id: row.integer(), name: row.text(), hash: row.bytes(), prefix: row.text(), scopes: row.text(),
            createdAt: row.integer(), expiresAt: row.integerOrNil(), lastUsedAt: row.integerOrNil(),
            revokedAt: row.integerOrNil(), madeBy: row.integerOrNil())
    }
}
