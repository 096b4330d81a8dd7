import Folders
import JSON
import MeshModel
import Nettle

/// A webhook that is signed by Standard Webhooks 1.0.0.
struct StandardWebhook: FileReceiver {
    static let word = "webhook"
    static let example = "https://HOST/PATH"
    static let keys = ["secret-file"]
    /// The time is signed, too, and receivers refuse one that is far from theirs.
    static let needsTime = true
    static let secret = Target.Kind.Secret.made(prefix: prefix)

    private static let prefix = "whsec_"

    let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    init(_ file: inout TargetFile.Reading) throws(BadValue) {
        guard let setting = file["secret-file"] else {
            throw BadValue(
                "it has no secret-file, by which receivers know the gateway; sudo mesh-gateway target add makes one")
        }
        secret = file.secret(setting).flatMap { Self.key(in: $0, setting, &file) } ?? []
    }

    private static func key(
        in text: String, _ setting: TargetFile.Setting, _ file: inout TargetFile.Reading
    ) -> [UInt8]? {
        let key = Base64.decodedLeniently(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        if let key, (24...64).contains(key.count) { return key }
        file.refuse("its file holds no secret of webhooks: whsec_ and the base64 of 24 to 64 bytes", setting)
        return nil
    }

    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        let (body, time) = (Self.body(told), now / 1000)
        request.headers += [
            ("Content-Type", "application/json"), ("webhook-id", told.id), ("webhook-timestamp", "\(time)"),
            ("webhook-signature", webhookSignature(of: body, id: told.id, at: time, secret: secret)),
        ]
        request.body = body
    }

    private static func body(_ told: Outgoing) -> [UInt8] {
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
}

extension Outgoing {
    fileprivate var priorityName: String {
        switch priority {
        case .low: "low"
        case .high: "high"
        case nil: "default"
        }
    }
}

extension Target.Kind {
    static func webhook(secret: [UInt8]) -> Self { Self(StandardWebhook(secret: secret)) }
}

/// Standard Webhooks 1.0.0: signs `id.timestamp.body` with the key that follows `whsec_` in base64.
///
/// - Parameter time: seconds since 1970, of this attempt.
func webhookSignature(of body: [UInt8], id: String, at time: Int64, secret: [UInt8]) -> String {
    "v1," + Base64.encoded(hmacSHA256(Array("\(id).\(time).".utf8) + body, key: secret))
}
