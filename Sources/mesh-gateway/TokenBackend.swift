import Configuration
import ControlAPI
import JSON
import Routes
import Store

/// Where tokens are made and revoked: by the running daemon, or in the database.
enum TokenBackend {
    case daemon(LocalClient)
    case database(TokenRegister, Store)

    /// - Parameter mayCreate: without daemon and database, a new database is made where `serve` will look for it.
    static func find(_ gatewayOptions: GatewayOptions, mayCreate: Bool = false) throws -> TokenBackend {
        switch try Reach.find(gatewayOptions.configuration(), orCreate: mayCreate) {
        case .daemon(let client): return .daemon(client)
        case .file(let path):
            let store = try openStore(path)
            return .database(TokenRegister(store: store), store)
        }
    }

    /// - Parameter expiresAt: host milliseconds; nil never.
    /// - Returns: the answer that holds the token.
    func create(name: String, token: String?, scopes: Scopes, expiresAt: Int64?) throws -> Page {
        switch self {
        case .daemon(let client):
            var members = [("name", JSONText.quoted(name)), ("scopes", JSONText.array(scopes.list))]
            if let token { members.append(("token", JSONText.quoted(token))) }
            if let expiresAt { members.append(("expiresAt", String(expiresAt))) }
            return try Page(client.answer("POST", "/local/tokens", body: JSONText.object(members)))
        case .database(let register, let store):
            defer { store.close() }
            do {
                let made = try register.create(name: name, taken: token, scopes: scopes, expiresAt: expiresAt)
                return try Page(
                    TokenAnswer.made(made, name: name, scopes: scopes, expiresAt: expiresAt, via: "database"))
            } catch let refusal as TokenRegister.Refusal {
                throw failure("\(refusal).", .dataError)
            }
        }
    }

    func allow(_ scopes: Scopes, to name: String) throws -> Page {
        switch self {
        case .daemon(let client):
            let body = JSONText.object([("scopes", JSONText.array(scopes.list))])
            return try Page(client.answer("POST", "/local/tokens/\(PercentEncoding.segment(name))/scopes", body: body))
        case .database(let register, let store):
            defer { store.close() }
            let all: Scopes?
            do { all = try register.allow(scopes, to: name) } catch { throw failure("\(error).", .inputOutput) }
            guard let all else { throw Self.unknown(name) }
            return try Page(TokenAnswer.allowed(name, all, via: "database"))
        }
    }

    private static func unknown(_ name: String) -> any Error {
        failure("there is no token named \"\(name)\"; mesh-gateway token list shows them.", .noInput)
    }

    func revoke(name: String) throws -> Page {
        switch self {
        case .daemon(let client):
            return try Page(client.answer("DELETE", "/local/tokens/\(PercentEncoding.segment(name))"))
        case .database(let register, let store):
            defer { store.close() }
            let made: [String]?
            do { made = try register.revoke(name: name) } catch { throw failure("\(error).", .inputOutput) }
            guard let made else { throw Self.unknown(name) }
            return try Page(TokenAnswer.revoked(name, made: made, via: "database"))
        }
    }
}
