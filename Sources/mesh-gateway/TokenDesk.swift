import Configuration
import RestAPI
import Store

/// Where the token commands have their work done: by the running daemon, or in the database.
enum TokenDesk {
    case daemon(LocalClient)
    case database(TokenRegister, Store)

    struct Entry {
        var name: String
        var prefix: String
        var scopes: [String]
        /// Host milliseconds, as the others.
        var createdAt: Int64
        var expiresAt: Int64?
        var lastUsedAt: Int64?
        var isActive: Bool
    }

    /// - Parameter mayCreate: without daemon and database, a new database is made where `serve` will look for it.
    static func find(_ locations: Locations, mayCreate: Bool = false) throws -> TokenDesk {
        switch try Reach.find(locations.configuration(), orCreate: mayCreate) {
        case .daemon(let client): return .daemon(client)
        case .file(let path):
            let store = try openStore(path)
            return .database(TokenRegister(store: store), store)
        }
    }

    /// - Parameter expiresAt: host milliseconds; nil never.
    /// - Returns: the token.
    func create(name: String, token: String?, scopes: Scopes, expiresAt: Int64?) throws -> String {
        switch self {
        case .daemon(let client):
            var members = [("name", JSONText.quoted(name)), ("scopes", JSONText.array(scopes.list))]
            if let token { members.append(("token", JSONText.quoted(token))) }
            if let expiresAt { members.append(("expiresAt", String(expiresAt))) }
            let answer = try ask(client, "POST", "/local/tokens", body: JSONText.object(members))
            guard let made = answer["token"]?.string else { throw failure("the daemon made no token.", .software) }
            return made
        case .database(let register, let store):
            defer { store.close() }
            do {
                return try register.create(name: name, taken: token, scopes: scopes, expiresAt: expiresAt).text
            } catch {
                throw failure("\(error).", .dataError)
            }
        }
    }

    func list() throws -> [Entry] {
        switch self {
        case .daemon(let client):
            return (try ask(client, "GET", "/local/tokens")["data"]?.array ?? []).map { row in
                Entry(
                    name: row["name"]?.string ?? "", prefix: row["prefix"]?.string ?? "",
                    scopes: row["scopes"]?.array?.compactMap(\.string) ?? [], createdAt: row["createdAt"]?.integer ?? 0,
                    expiresAt: row["expiresAt"]?.integer, lastUsedAt: row["lastUsedAt"]?.integer,
                    isActive: row["revokedAt"] == nil)
            }
        case .database(let register, let store):
            defer { store.close() }
            return try stored { try register.list() }.map { token in
                Entry(
                    name: token.name, prefix: token.prefix, scopes: Scopes(of: token).list, createdAt: token.createdAt,
                    expiresAt: token.expiresAt, lastUsedAt: token.lastUsedAt, isActive: token.revokedAt == nil)
            }
        }
    }

    func revoke(name: String) throws {
        let isRevoked: Bool
        switch self {
        case .daemon(let client):
            let answer = try client.answer("DELETE", "/local/tokens/\(PercentEncoded.segment(name))")
            isRevoked = answer.status != 404
            if isRevoked { _ = try checked(answer) }
        case .database(let register, let store):
            defer { store.close() }
            isRevoked = try stored { try register.revoke(name: name) }
        }
        guard isRevoked else {
            throw failure("there is no token named \"\(name)\"; mesh-gateway token list shows them.", .noInput)
        }
    }

    private func stored<T>(_ work: () throws -> T) throws -> T {
        do { return try work() } catch { throw failure("\(error).", .inputOutput) }
    }

    private func ask(_ client: LocalClient, _ method: String, _ target: String, body: String? = nil) throws -> JSONValue
    {
        try checked(client.answer(method, target, body: body))
    }

    private func checked(_ answer: LocalClient.Answer) throws -> JSONValue {
        let json = JSONValue(answer.body)
        guard (200..<300).contains(answer.status), let json else {
            let reason = json?["message"]?.string ?? json?["error"]?.string ?? "status \(answer.status)"
            throw failure("the daemon refused: \(reason).", answer.status >= 500 ? .software : .dataError)
        }
        return json
    }
}

extension LocalClient {
    /// ``request(_:_:body:)`` with its problems said in a sentence.
    func answer(_ method: String, _ target: String, body: String? = nil) throws -> Answer {
        do throws(Problem) {
            return try request(method, target, body: body)
        } catch {
            switch error {
            case .notRunning: throw failure("the daemon has just stopped.", .unavailable)
            case .noPermission: throw failure("no permission to speak to the daemon at \(path).", .noPermission)
            case .broken(let reason): throw failure("the daemon at \(path) cannot be asked: \(reason).", .unavailable)
            }
        }
    }
}

/// JSON written by hand.
enum JSONText {
    /// - Parameter members: names, and values that are JSON already.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    static func array(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

enum PercentEncoded {
    /// One segment of a path: everything but letters, digits and `-._~` as %XX.
    static func segment(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
