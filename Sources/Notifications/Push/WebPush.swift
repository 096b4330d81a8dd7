/// A browser, or an app with UnifiedPush: an endpoint and two keys (RFC 8030, 8291, 8292).
///
///     POST <endpoint>         TTL, Urgency, Topic     what the push service goes by
///     Authorization: vapid    who we are, for this origin; kept for some hours (PushTokens.swift)
///     <body>                  one record that only the browser can read (SealedRecord.swift)
struct WebPush: Receiver {
    static let word = "web-push"
    static let allowance = Allowance.ofPhones
    /// The tokens say until when they count.
    static let needsTime = true

    /// Seconds for which a push service keeps what it cannot deliver: nobody is told in the evening what happened in the morning.
    static let timeToLive = 3_600

    let keys: BrowserKeys
    let pushKey: PushKey
    /// `mailto:` or `https:`; nil: nobody is named.
    let contact: String?
    /// Those that were made already.
    let tokens: PushTokens

    /// With another key or another contact it may be taken what was refused.
    static func == (one: WebPush, other: WebPush) -> Bool {
        one.keys == other.keys && one.pushKey == other.pushKey && one.contact == other.contact
    }

    func hash(into hasher: inout Hasher) { hasher.combine(keys) }

    func tell(_ told: Outgoing, by request: inout HTTPRequest, at now: Int64) {
        request.headers += [
            ("TTL", "\(Self.timeToLive)"), ("Urgency", told.isUrgent ? "high" : "normal"),
            ("Topic", PushBody.topic(of: told, secret: keys.secret)), ("Content-Encoding", "aes128gcm"),
            ("Content-Type", "application/octet-stream"),
        ]
        let authorization = tokens.authorization(for: request.address, key: pushKey, subject: contact, at: now)
        if let authorization { request.headers.append(("Authorization", authorization)) }
        request.body = sealed(PushBody.bytes(of: told), for: keys)
    }

    func meaning(of answer: HTTPAnswer) -> AnswerMeaning? {
        switch answer.status {
        case 404, 410: .gone("its push service does not know it any more")
        case 413: .tooLong("it is too long for its push service")
        case 507: .unheard("nobody has subscribed")
        case 400: .explained("its push service does not take what it is sent")
        case 401, 403: .explained("its push service does not accept who sends it")
        default: nil
        }
    }
}
