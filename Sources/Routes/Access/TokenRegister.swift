import MeshModel
import Platform
import Store

/// Makes tokens, gives them scopes and revokes them: for the local routes of a running daemon, and for the command line without one.
public struct TokenRegister: Sendable {
    private let store: Store

    public init(store: Store) { self.store = store }

    /// Why a token was not made. The description is a sentence for people.
    public enum Refusal: Error, CustomStringConvertible {
        case badName
        case badToken
        /// A ``StoreError``: a name or a token that is active already, a maker that may make none, or a failing disk; in the
        /// store's words.
        case store(any Error)

        public var description: String {
            switch self {
            case .badName: "a token needs a name of 1 to 64 printable characters"
            case .badToken: "a token is \"mm_v1_\" and 32 lower-case hexadecimal digits"
            case .store(let error): "\(error)"
            }
        }
    }

    /// Stores the hash of a token; the token is valid when this returns, and shown nowhere else.
    ///
    /// - Parameter taken: a token that clients hold already; nil makes a new one from the system's random source.
    /// - Parameter expiresAt: host milliseconds; nil never.
    /// - Parameter maker: ``Token/id`` of the token that makes it; nil: a command does.
    public func create(
        name: String, taken: String? = nil, scopes: Scopes = .standard, expiresAt: Int64? = nil,
        madeBy maker: Int64? = nil
    ) throws(Refusal) -> APIToken {
        let name = name.trimmed
        guard (1...64).contains(name.count), name == name.withoutControlCharacters,
            !name.contains(where: { $0 == "\n" || $0 == "\t" })
        else { throw .badName }
        let token: APIToken
        if let taken {
            guard let read = APIToken(taken) else { throw .badToken }
            token = read
        } else {
            token = .random()
        }
        do {
            _ = try store.commit { writer in
                try writer.insertToken(
                    name: name, hash: token.hash.bytes, prefix: token.prefix, scopes: scopes.stored,
                    expiresAt: expiresAt, madeBy: maker,
                    at: WallClock.milliseconds())
            }
        } catch {
            throw .store(error)
        }
        return token
    }

    /// Gives a token scopes besides those that it has. They count from its next request, and on its live streams.
    ///
    /// - Returns: all that it may do now; nil when no active token has this name.
    public func allow(_ scopes: Scopes, to name: String) throws -> Scopes? {
        let stored = try store.commit { writer in
            try writer.changeScopes(ofToken: name) { before in
                // Words of a newer version mean nothing here, and are not lost.
                let unknown = before.split(separator: ",").filter { Scopes(stored: String($0)) == Scopes.none }
                return ([Scopes(stored: before).union(scopes).stored] + unknown.map(String.init)).joined(separator: ",")
            }
        }
        return stored.map { Scopes(stored: $0) }
    }

    /// - Returns: the names of the active tokens that it has made, which it does not take with it; nil when no active token
    ///   has this name.
    public func revoke(name: String) throws -> [String]? {
        try store.commit { writer in
            let now = WallClock.milliseconds()
            let made = try writer.tokens(madeByToken: name, at: now)
            return try writer.revokeToken(name: name, at: now) ? made : nil
        }
    }
}

extension API {
    /// A token of ``Scopes/firstToken`` that another one makes. The log has both names, and so says what a stolen
    /// token has made.
    public func newToken(named name: String, by maker: Caller) throws(TokenRegister.Refusal) -> APIToken {
        let token = try TokenRegister(store: store).create(name: name, scopes: .firstToken, madeBy: maker.token)
        logger.notice("the token \"\(maker.tokenName)\" has made the token \"\(name)\"")
        return token
    }
}
