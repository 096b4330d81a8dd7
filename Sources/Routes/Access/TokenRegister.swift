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
        /// A ``StoreError``: a name or a token that is active already, or a failing disk; in the store's words.
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
    public func create(
        name: String, taken: String? = nil, scopes: Scopes = .standard, expiresAt: Int64? = nil
    ) throws(Refusal) -> APIToken {
        let name = name.trimmed
        guard (1...64).contains(name.count), name == name.withoutControlCharacters, !name.contains("\n") else {
            throw .badName
        }
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
                    expiresAt: expiresAt,
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

    /// - Returns: false when no active token has this name.
    public func revoke(name: String) throws -> Bool {
        try store.commit { try $0.revokeToken(name: name, at: WallClock.milliseconds()) }
    }
}
