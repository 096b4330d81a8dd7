import Glibc
import HTTPServer
import MeshModel
import Store

// What the command line asks a running daemon over its local socket. These paths do not exist on the network.

extension RestAPI {
    static let localEndpoints: [Endpoint] = [
        .local(.post, "/local/tokens", RestAPI.createToken), .local(.get, "/local/tokens", RestAPI.listTokens),
        .local(.delete, "/local/tokens/{name}", RestAPI.revokeToken),
        .local(.get, "/local/status", RestAPI.localStatus), .local(.get, "/local/database", RestAPI.localDatabase),
        .local(.get, "/local/daemon", RestAPI.localDaemon),
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
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.member("name", name)
            json.member("prefix", token.prefix)
            json.key("scopes")
            json.array { json in for scope in scopes.list { json.value(scope) } }
            json.member("expiresAt", expiresAt)
            json.member("token", token.text)
        }
        return .json(.bytes(json.bytes), status: 201)
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
        guard let time = value.integer, time > Clock.wall() else {
            throw .badRequest("\"expiresAt\" must be a time to come in milliseconds since 1970")
        }
        return time
    }

    /// `GET /local/tokens`: everything about them but the tokens themselves.
    private func listTokens(_ call: Call) throws(APIError) -> Response {
        let tokens: [Token]
        do { tokens = try TokenRegister(store: store).list() } catch { throw .failed("Failed to retrieve tokens") }
        let lastUses = self.tokens.lastUses
        return .list(tokens, to: call.request) { json, token in
            json.object { json in
                json.member("name", token.name)
                json.member("prefix", token.prefix)
                json.key("scopes")
                json.array { json in for scope in Scopes(of: token).list { json.value(scope) } }
                json.member("createdAt", token.createdAt)
                json.member("lastUsedAt", lastUses[token.id] ?? token.lastUsedAt)
                json.member("expiresAt", token.expiresAt)
                json.member("revokedAt", token.revokedAt)
            }
        }
    }

    /// `DELETE /local/tokens/{name}`: the token's next request fails.
    private func revokeToken(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        let isRevoked: Bool
        do {
            isRevoked = try TokenRegister(store: store).revoke(name: name)
        } catch {
            throw .failed("The token could not be revoked")
        }
        guard isRevoked else { throw .notFound("There is no token named \"\(name)\"") }
        var json = JSONWriter()
        json.object { $0.member("success", true) }
        return .json(.bytes(json.bytes))
    }

    // MARK: status

    /// `GET /local/database`: which file the daemon uses, and which version it is.
    private func localDatabase(_ call: Call) throws(APIError) -> Response {
        .item(to: call.request) { json in
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
            json.member("via", "daemon")
            json.member("version", version)
            json.member("pid", getpid())
            json.member("uptime", (Clock.monotonic() - startedAt) / 1000)
            json.key("listeners")
            json.array { json in for address in listeners() { json.value(address) } }
        }
        return .json(.bytes(json.bytes))
    }

    /// `GET /local/status`: what `mesh-gateway status` shows.
    private func localStatus(_ call: Call) throws(APIError) -> Response {
        let (sources, usage) = try read("status") { reader in
            let sources = try reader.enabledSources().map { found in
                (found, try ownNode(of: found, reader), try reader.counts(in: found.id))
            }
            return (sources, try reader.usage())
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
                json.object { json in self.database(usage, &json) }
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

    private func source(_ found: FoundSource, _ node: Node?, _ json: inout JSONWriter) {
        let radio = gateway.radio(of: found.id)
        json.member("id", found.source.uuid)
        json.member("name", found.source.name)
        json.member("device", radio.device)
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

    /// Bytes, and times in milliseconds; the oldest rows that are kept tell how far back each kind goes.
    private func database(_ usage: Usage, _ json: inout JSONWriter) {
        let health = store.health
        json.member("path", store.path)
        json.member("bytes", health.size)
        json.member("usedBytes", usage.used)
        json.member("limitBytes", store.retention.size)
        json.member("deletedRows", health.prunedRows)
        json.member("oldestPacket", usage.oldestPacket)
        json.member("oldestTelemetry", usage.oldestTelemetry)
        json.member("oldestPosition", usage.oldestPosition)
        json.member("oldestMessage", usage.oldestMessage)
        json.member("failingSince", health.failingSince)
        json.member("lastError", health.lastError)
        json.member("lastErrorAt", health.lastErrorAt)
        json.member("droppedChanges", health.droppedChanges)
        json.member("waitingChanges", health.queueLength)
    }
}

extension APIError {
    fileprivate init(_ refusal: TokenRegister.Refusal) {
        switch refusal {
        case .badName, .badToken: self = .badRequest("\(refusal)")
        case .store(.nameTaken), .store(.tokenKnown): self = .conflict("\(refusal)")
        case .store, .failed: self = .failed("the token could not be stored: \(refusal)")
        }
    }
}
