import Glibc
import HTTPServer
import MeshModel
import Store

// What the command line asks a running daemon over its local socket. These paths do not exist on the network.

extension RestAPI {
    func local(
        _ route: Route.Local, _ request: Request, method: String, body: JSONValue?
    ) throws(APIError) -> Response {
        switch route {
        case .tokens where method == "POST": try createToken(body)
        case .tokens: try listTokens(request)
        case .token(let name): try revokeToken(name)
        case .status: try localStatus()
        case .database: database(request)
        case .unknown: throw .notFound("Cannot \(request.method) \(request.path)")
        }
    }

    // MARK: tokens

    /// `POST /local/tokens {name, token?}`: makes a token, or takes over one that clients hold already. It is valid when
    /// the answer goes out, and shown in no other answer.
    private func createToken(_ body: JSONValue?) throws(APIError) -> Response {
        let name = (body?["name"]?.string ?? "").trimmed
        guard (1...64).contains(name.count), name == name.withoutControlCharacters, !name.contains("\n") else {
            throw .badRequest("A token needs a name of 1 to 64 printable characters")
        }
        let token: APIToken
        switch body?["token"] {
        case nil: token = .random()
        case .string(let text):
            guard let taken = APIToken(text) else {
                throw .badRequest("A token is \"mm_v1_\" and 32 lower-case hexadecimal digits")
            }
            token = taken
        default: throw .badRequest("\"token\" must be text")
        }
        try insert(token, name: name)
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("name", name)
            json.member("prefix", token.prefix)
            json.member("token", token.text)
        }
        return .json(.bytes(json.bytes), status: 201)
    }

    private func insert(_ token: APIToken, name: String) throws(APIError) {
        let existing: [Token]
        do { existing = try store.read { try $0.tokens() } } catch { throw .failed("The tokens could not be read") }
        if existing.contains(where: { $0.name == name && $0.revokedAt == nil }) {
            throw .conflict("There is a token named \"\(name)\" already; revoke it first or choose another name")
        }
        if existing.contains(where: { token.hash.equals($0.hash) && $0.revokedAt == nil }) {
            throw .conflict("This token is known already")
        }
        do {
            _ = try store.commit { writer in
                try writer.insertToken(
                    name: name, hash: token.hash.bytes, prefix: token.prefix, scopes: "", expiresAt: nil,
                    at: Clock.wall())
            }
        } catch {
            throw .failed("The token could not be stored")
        }
    }

    /// `GET /local/tokens`: everything about them but the tokens themselves.
    private func listTokens(_ request: Request) throws(APIError) -> Response {
        let tokens = try read("tokens") { try $0.tokens() }
        return .list(tokens, to: request) { json, token in
            json.object { json in
                json.member("name", token.name)
                json.member("prefix", token.prefix)
                json.member("createdAt", token.createdAt)
                json.member("lastUsedAt", token.lastUsedAt)
                json.member("expiresAt", token.expiresAt)
                json.member("revokedAt", token.revokedAt)
            }
        }
    }

    /// `DELETE /local/tokens/{name}`: the token's next request fails.
    private func revokeToken(_ name: String) throws(APIError) -> Response {
        let isRevoked: Bool
        do {
            isRevoked = try store.commit { try $0.revokeToken(name: name, at: Clock.wall()) }
        } catch {
            throw .failed("The token could not be revoked")
        }
        guard isRevoked else { throw .notFound("There is no token named \"\(name)\"") }
        var json = JSONWriter()
        json.object { $0.member("success", true) }
        return .json(.bytes(json.bytes))
    }

    // MARK: status

    /// `GET /local/database`: which file the daemon uses.
    private func database(_ request: Request) -> Response {
        .item(to: request) { json in json.object { $0.member("path", store.path) } }
    }

    /// `GET /local/status`: what `mesh-gateway status` shows.
    private func localStatus() throws(APIError) -> Response {
        let sources = try read("status") { reader in
            try reader.enabledSources().map { found in
                (found, try ownNode(of: found, reader), try reader.counts(in: found.id))
            }
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("version", version)
                json.member("pid", getpid())
                json.member("uptime", (Clock.monotonic() - startedAt) / 1000)
                json.key("listeners")
                json.array { json in for address in listeners() { json.value(address) } }
                json.key("database")
                json.object { json in self.database(&json) }
                json.key("sources")
                json.array { json in
                    for (found, node, counts) in sources {
                        json.object { json in
                            self.source(found, node, &json)
                            json.member("nodes", counts.nodes)
                            json.member("messages", counts.messages)
                            json.member("channels", counts.channels)
                        }
                    }
                }
            }
        }
        return .json(.bytes(json.bytes))
    }

    private func source(_ found: (id: SourceID, source: Source), _ node: Node?, _ json: inout JSONWriter) {
        let radio = gateway.radio(of: found.id)
        json.member("id", found.source.uuid)
        json.member("name", found.source.name)
        json.member("connected", radio.isConnected)
        json.member("nodeResponsive", radio.isResponsive)
        json.link(radio)
        json.member("nodeId", node?.number.id)
        json.member("longName", node?.shownLongName)
        json.member("shortName", node?.shownShortName)
        json.member("firmwareVersion", radio.firmwareVersion ?? found.source.firmwareVersion)
        let lora = radio.lora ?? found.source.lora
        json.member("region", lora?.region)
        json.member("modemPreset", lora?.defaultChannelName)
        json.member("txDisabled", radio.txDisabled)
        json.member("queued", radio.queued)
    }

    private func database(_ json: inout JSONWriter) {
        let health = store.health
        json.member("path", store.path)
        json.member("bytes", Self.fileSize(store.path) + Self.fileSize(store.path + "-wal"))
        json.member("lastError", health.lastError)
        json.member("dropped", health.droppedChanges)
        json.member("waiting", health.queueLength)
    }

    /// `stat(2)`; 0 for a file that does not exist.
    private static func fileSize(_ path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : 0
    }
}
