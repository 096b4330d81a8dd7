import JSON
import MeshModel
import Nettle
import Store

// The request for each kind of target (deploy/TARGETS.md, "What is sent").

extension Target {
    /// - Parameter now: when this attempt is made, in host milliseconds.
    func request(for told: Outgoing, at now: Int64) -> HTTPRequest {
        var request = base
        switch kind {
        case .webhook(let secret):
            let body = Self.webhook(told)
            let time = now / 1000
            request.headers += [
                ("Content-Type", "application/json"), ("webhook-id", told.id), ("webhook-timestamp", "\(time)"),
                ("webhook-signature", webhookSignature(of: body, id: told.id, at: time, secret: secret)),
            ]
            request.body = body
        case .ntfy(let token):
            request.headers.append(("Content-Type", "application/json"))
            if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
            request.address = address.with(path: "/")
            request.body = Self.ntfy(told, topic: String(address.path.split(separator: "/").first ?? ""))
        case .apprise(let urls, let tag):
            request.headers += [("Content-Type", "application/json"), ("Accept", "application/json")]
            request.body = Self.apprise(told, urls, tag)
        case .alive: break
        }
        return request
    }

    /// The common part of all requests; alone it says that the gateway is alive.
    var base: HTTPRequest {
        var request = HTTPRequest(address: address)
        request.headers = headers.map { ($0.name, $0.value) }
        (request.authority, request.proxy, request.isLocalAllowed) = (authority, proxy, isLocalAllowed)
        return request
    }

    // MARK: bodies

    private static func webhook(_ told: Outgoing) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.member(
                "type",
                told.type == "test" || told.type == "summary" ? "notification.\(told.type)" : "notification.told")
            json.member("timestamp", ISO8601.text(told.at))
            json.key("data")
            json.object { json in
                json.key("notification")
                json.object { json in
                    json.member("id", told.id)
                    json.member("type", told.type)
                    json.member("title", told.title)
                    json.member("body", told.body)
                    json.member("priority", told.priorityName)
                    json.member("createdAt", ISO8601.text(told.at))
                }
                json.member("rule", told.rule)
                json.member("episode", told.episode)
                json.member("state", told.state?.name)
                json.member("nodeId", told.node?.id)
                json.member("messageId", told.messageID)
                json.member("link", told.link)
                guard !told.counts.isEmpty else { return }
                json.key("counts")
                json.array { json in
                    for count in told.counts {
                        json.object { json in
                            json.member("rule", count.rule.isEmpty ? nil : count.rule)
                            json.member("count", count.count)
                        }
                    }
                }
            }
        }
        return json.bytes
    }

    /// Sent to the server's root as JSON, in which a title may be any text. The message stays below 4096 bytes: more would be a
    /// file.
    private static func ntfy(_ told: Outgoing, topic: String) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.member("topic", topic)
            // What the title says alone is not said twice.
            if !told.body.isEmpty { json.member("title", told.title) }
            json.member("message", cut(told.body.isEmpty ? told.title : told.body, 3_800))
            json.member("priority", told.priority == .high ? 4 : told.priority == .low ? 2 : 3)
            json.key("tags")
            json.array { json in for tag in told.tags { json.value(tag) } }
            if let link = told.link { json.member("click", link) }
            // From ntfy 2.16 on, later states of an episode and duplicates replace what is shown.
            json.member("sequence_id", told.episode ?? told.id)
        }
        return json.bytes
    }

    private static func apprise(_ told: Outgoing, _ urls: [String], _ tag: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            if !told.body.isEmpty { json.member("title", told.title) }
            let body = told.body.isEmpty ? told.title : told.body
            json.member("body", told.link.map { "\(body)\n\($0)" } ?? body)
            json.member("type", told.appriseType)
            json.member("format", "text")
            if !urls.isEmpty {
                json.key("urls")
                json.array { json in for url in urls { json.value(url) } }
            }
            if let tag { json.member("tag", tag) }
        }
        return json.bytes
    }

    private static func cut(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var (kept, count) = ("", 0)
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Outgoing {
    var priorityName: String {
        switch priority {
        case .low: "low"
        case .high: "high"
        case nil: "default"
        }
    }

    /// A state that has begun is to be looked at, whatever its priority.
    var appriseType: String {
        switch state {
        case .ends: "success"
        case .begins, .lasts: "warning"
        case nil: priority == .high ? "warning" : "info"
        }
    }

    /// ntfy shows some of these words as pictures, the others as they are.
    var tags: [String] {
        let picture: String? =
            switch type {
            case "battery": "battery"
            case "direct-message", "message", "mention": "envelope"
            case "radio-lost", "storage-failing", "problem": "warning"
            case "key-changed": "key"
            default: nil
            }
        return [state == .ends ? "white_check_mark" : picture].compactMap { $0 } + [rule].compactMap { $0 }
    }
}

/// Standard Webhooks 1.0.0: signs `id.timestamp.body` with the key that follows `whsec_` in base64.
///
/// - Parameter time: seconds since 1970, of this attempt.
func webhookSignature(of body: [UInt8], id: String, at time: Int64, secret: [UInt8]) -> String {
    "v1," + Base64.encoded(hmacSHA256(Array("\(id).\(time).".utf8) + body, key: secret))
}
