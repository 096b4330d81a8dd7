import JSON
import Nettle
import Store

// What Apple's service is sent ("Sending notification requests to APNs"), by HTTP/2, which is all that it speaks:
//
//     POST /3/device/<device token>    apns-topic: the app; apns-collapse-id: what a later one replaces; authorization: who we are
//     {"aps": {"alert": {"title", "body"}, "sound", "category", "thread-id"}, "notification_id", "session_id", "device_id"}
//
// 1. Apple can read all of it. The texts of messages are left out unless the settings allow them.
// 2. An app that polls as well knows a notification by its notification_id, and shows it once.

extension AppleSettings {
    /// Bytes of the longest body.
    private static let longest = 4_096
    /// Seconds for which Apple keeps what it cannot deliver.
    private static let timeToLive: Int64 = 3_600

    /// nil if there is no key.
    ///
    /// - Parameter now: host milliseconds.
    func request(for told: Outgoing, device: AppleDevice, tokens: AppleTokens, at now: Int64) -> HTTPRequest? {
        guard let authorization = tokens.authorization(for: self, at: now) else { return nil }
        var request = HTTPRequest(address: device.address(hosts))
        (request.authority, request.isLocalAllowed, request.isPublicOnly) = (
            hosts.authority, hosts.isLocal, !hosts.isLocal
        )
        request.isHTTP2 = true
        request.keepsBody = true
        request.headers = [
            ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", "alert"),
            ("apns-priority", told.isUrgent ? "10" : "5"), ("apns-expiration", "\(now / 1000 + Self.timeToLive)"),
            ("apns-collapse-id", Self.name(told.subject)), ("content-type", "application/json"),
        ]
        request.body = body(told)
        return request
    }

    /// Apple takes 64 bytes.
    private static func name(_ subject: String) -> String {
        let isFit = subject.utf8.count <= 64 && subject.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isFit ? subject : Base64.linkEncoded(SHA256.digest(of: Array(subject.utf8)))
    }

    private func body(_ told: Outgoing) -> [UInt8] {
        var told = told
        if !showsTexts || told.isShort { told = told.withoutTexts }
        if JSONText.length(of: told.title) > 400 { told.title = JSONText.cut(told.title, 400) }
        let whole = json(told)
        guard whole.count > Self.longest else { return whole }
        let text = told.body
        told.body = "…"
        // In place of the one letter, which has three bytes.
        told.body = JSONText.cut(text, Self.longest - json(told).count + 3)
        return json(told)
    }

    private func json(_ told: Outgoing) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            json.key("aps")
            json.object { json in
                json.key("alert")
                json.object { json in
                    json.member("title", told.title)
                    if !told.body.isEmpty { json.member("body", told.body) }
                }
                json.member("sound", "default")
                json.member("category", told.type)
                json.member("thread-id", Self.name(told.subject))
            }
            json.member("notification_id", told.id)
            json.member("session_id", told.session ?? "gateway")
            json.member("device_id", told.device ?? "gateway")
        }
        return json.bytes
    }
}

extension Outgoing {
    /// Without what people have written: of what is about a message or a waypoint, and of what sums up others.
    fileprivate var withoutTexts: Outgoing {
        switch type {
        case "summary", FeedRow.countingType:
            var told = self
            told.body = ""
            return told
        case "waypoint":
            // Its name may stand in the title, behind whose it is.
            var told = shortened
            told.title = "A waypoint"
            return told
        default: return messageID != nil || conversation != nil || isShort ? shortened : self
        }
    }
}
