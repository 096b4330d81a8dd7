import Glibc
import HTTPServer
import JSON
import MeshModel
import Platform
import Routes
import Store

// What the command line asks a running daemon over its local socket. These paths do not exist on the network.

extension ControlAPI {
    static let localEndpoints: [Endpoint] = [
        .local(.post, "/local/tokens", ControlAPI.createToken),
        .local(.delete, "/local/tokens/{name}", ControlAPI.revokeToken),
        .local(.post, "/local/tokens/{name}/scopes", ControlAPI.allowToken),
        .local(.get, "/local/database", ControlAPI.localDatabase),
        .local(.get, "/local/daemon", ControlAPI.localDaemon),
        .local(.get, "/local/configuration", ControlAPI.localConfiguration),
    ]

    // MARK: tokens

    /// `POST /local/tokens {name, token?, scopes?, expiresAt?}`: makes a token, or takes over one that clients hold
    /// already. It is valid when the answer goes out, and shown in no other answer. `expiresAt` is in milliseconds.
    private func createToken(_ call: Call) throws(APIError) -> Response {
        let body = call.body
        let taken: String?
        switch body?["token"] {
        case nil: taken = nil
        case .string(let text): taken = text
        default: throw .badRequest("\"token\" must be text")
        }
        let name = (body?["name"]?.string ?? "").trimmed
        let scopes = try scopes(body?["scopes"])
        let expiresAt = try expiry(body?["expiresAt"])
        let token: APIToken
        do {
            token = try TokenRegister(store: store).create(
                name: name, taken: taken, scopes: scopes, expiresAt: expiresAt)
        } catch {
            throw APIError(error)
        }
        let made = TokenAnswer.made(token, name: name, scopes: scopes, expiresAt: expiresAt, via: call.request.via)
        return .json(.bytes(made), status: 201)
    }

    private func scopes(_ value: JSONValue?) throws(APIError) -> Scopes {
        guard let value else { return .standard }
        var words: [String] = []
        for item in value.array ?? [.null] {
            guard let word = item.string else { throw .badRequest("\"scopes\" must be a list of texts") }
            words.append(word)
        }
        do throws(Scopes.Unknown) {
            return try Scopes(parsing: words)
        } catch {
            throw .badRequest("There is no scope \"\(error.scope)\"")
        }
    }

    /// Host milliseconds.
    private func expiry(_ value: JSONValue?) throws(APIError) -> Int64? {
        guard let value else { return nil }
        guard let time = value.integer, time > WallClock.milliseconds() else {
            throw .badRequest("\"expiresAt\" must be a time to come in milliseconds since 1970")
        }
        return time
    }

    /// `POST /local/tokens/{name}/scopes {scopes}`: what the token may do besides what it may already, from its next request
    /// on. Over the local socket only: no token gives another one more than it was made with.
    private func allowToken(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard let asked = call.body?["scopes"], asked.array?.isEmpty == false else {
            throw .badRequest("\"scopes\" must be a list of texts")
        }
        let more = try scopes(asked)
        let all: Scopes?
        do {
            all = try TokenRegister(store: store).allow(more, to: name)
        } catch {
            throw .failed("The token could not be changed")
        }
        guard let all else {
            throw .notFound("There is no token named \"\(name)\"; mesh-gateway token list shows them")
        }
        return .json(.bytes(TokenAnswer.allowed(name, all, via: call.request.via)))
    }

    /// `DELETE /local/tokens/{name}`: the token's next request fails.
    private func revokeToken(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        let made: [String]?
        do {
            made = try TokenRegister(store: store).revoke(name: name)
            // Its registrations have gone with it.
            pushes?.changed()
        } catch {
            throw .failed("The token could not be revoked")
        }
        guard let made else {
            throw .notFound("There is no token named \"\(name)\"; mesh-gateway token list shows them")
        }
        return .json(.bytes(TokenAnswer.revoked(name, made: made, via: call.request.via)))
    }

    // MARK: the daemon

    /// `GET /local/database`: which file the daemon uses, and which version it is. The command may be about to read the
    /// file: what was heard so far is committed before.
    private func localDatabase(_ call: Call) throws(APIError) -> Response {
        _ = store.revision(.messages)
        return .item(to: call.request) { json in
            json.object { json in
                json.member("path", store.path)
                json.member("version", version)
            }
        }
    }

    /// `GET /local/daemon`: which process this is. It looks at nothing that could hang. Uptime in seconds.
    private func localDaemon(_ call: Call) throws(APIError) -> Response {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "daemon/1")
            json.member("via", call.request.via)
            json.member("version", version)
            json.member("pid", getpid())
            json.member("uptime", (BootTimeClock.milliseconds() - startedAt) / 1000)
            json.key("listeners")
            json.array { json in for address in listeners() { json.value(address) } }
        }
        return .json(.bytes(json.bytes))
    }

    /// `GET /local/configuration`: the settings that the daemon goes by.
    private func localConfiguration(_ call: Call) throws(APIError) -> Response {
        let bytes = LocalPage.bytes("configuration/1", via: call.request.via) { json in
            json.key("settings")
            json.array { json in
                for setting in settings() {
                    json.object { json in
                        json.member("key", setting.key)
                        json.key("values")
                        json.array { json in for value in setting.values { json.value(value) } }
                        json.member("from", setting.origin)
                        json.member("kind", setting.kind)
                    }
                }
            }
        }
        return .json(.bytes(bytes))
    }
}

extension APIError {
    fileprivate init(_ refusal: TokenRegister.Refusal) {
        switch refusal {
        case .badName, .badToken: self = .badRequest("\(refusal)")
        case .store(StoreError.nameTaken), .store(StoreError.tokenKnown): self = .conflict("\(refusal)")
        case .store: self = .failed("the token could not be stored: \(refusal)")
        }
    }
}
