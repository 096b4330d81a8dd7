import JSON

// What Apple's service answers: 200 and nothing, or a status and {"reason": "…", "timestamp": …} ("Handling notification responses
// from APNs"). Its words are looked up, and none of them is repeated.

/// An answer of Apple's service.
struct AppleAnswer: Hashable, Sendable {
    enum Meaning: Hashable, Sendable {
        case arrived
        /// The device is to be told at Apple's other host.
        case otherHost
        /// The registration is of no use any more.
        case gone(String)
        /// The token that says who sends is too old: with a new one, once more.
        case newToken
        /// It is to be sent shorter.
        case tooLong
        /// Later, as after any failure.
        case again(String)
        /// The settings or this program are wrong: this notification is given up, and somebody has to look after it.
        case mistake(String)
    }

    let status: Int
    /// Letters only; nil if it has none.
    let reason: String?
    /// Since when the device is known to be gone, in milliseconds.
    let timestamp: Int64?

    init(status: Int, reason: String? = nil, timestamp: Int64? = nil) {
        (self.status, self.reason, self.timestamp) = (status, reason, timestamp)
    }

    /// - Parameter body: anybody's bytes.
    init(status: Int, body: [UInt8]) {
        let object = body.count <= 1_000 ? JSONValue(body) : nil
        self.init(
            status: status, reason: object?["reason"]?.string,
            timestamp: object?["timestamp"]?.integer)
    }

    /// - Parameters:
    ///   - registeredAt: when the device's app has registered last, in host milliseconds.
    ///   - otherRefused: Apple's other host has said already that it does not know it.
    ///   - isTokenNew: the token that says who sends was made because of such an answer.
    func meaning(registeredAt: Int64, otherRefused: Bool, isTokenNew: Bool) -> Meaning {
        switch (status, reason ?? "") {
        case (200, _): .arrived
        case (400, "BadDeviceToken"):
            otherRefused ? .gone("neither of Apple's hosts knows its device token (BadDeviceToken)") : .otherHost
        case (410, let reason) where reason == "Unregistered" || reason == "ExpiredToken":
            // The app may have come back since Apple has seen it go.
            if let timestamp, registeredAt > timestamp {
                .again("its app was gone, and has registered again (\(reason))")
            } else {
                .gone("its app is no longer there (\(reason))")
            }
        case (403, "ExpiredProviderToken") where !isTokenNew: .newToken
        case (413, _): .tooLong
        case (429, let reason): .again(Self.wait[reason] ?? Self.tooMany)
        case (500..., let reason): .again(Self.wait[reason] ?? "Apple's service has failed")
        case (_, let reason): .mistake(Self.mistakes[reason] ?? "Apple's service does not take what it is sent")
        }
    }

    private static let tooMany = "too many at once"

    private static let wait = [
        "TooManyRequests": "too many for this device (TooManyRequests)",
        "TooManyProviderTokenUpdates": "the token is renewed too often (TooManyProviderTokenUpdates)",
        "InternalServerError": "Apple's service has failed (InternalServerError)",
        "ServiceUnavailable": "Apple's service is busy (ServiceUnavailable)",
        "Shutdown": "Apple's service restarts (Shutdown)",
    ]

    /// By what is to be looked at.
    private static let mistakes: [String: String] = {
        var words: [String: String] = [:]
        func put(_ reasons: [String], _ text: String) {
            for reason in reasons { words[reason] = "\(text) (\(reason))" }
        }
        put(
            ["BadTopic", "MissingTopic", "TopicDisallowed", "DeviceTokenNotForTopic"],
            "apns-topic is not the bundle id of this app, or not one of this team's")
        put(
            ["InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken"],
            "apns-key, apns-key-id and apns-team do not belong together, or the key was revoked")
        put(["BadEnvironmentKeyInToken"], "the key of apns-key is for Apple's other host only")
        put(["ExpiredProviderToken"], "this computer's clock is wrong, as Apple sees it")
        put(["BadCertificate", "BadCertificateEnvironment", "Forbidden"], "Apple does not let this key send")
        put(
            [
                "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "InvalidPushType", "PayloadEmpty",
                "MissingDeviceToken", "DuplicateHeaders", "IdleTimeout", "BadPath", "MethodNotAllowed",
            ], "this version of mesh-gateway sends something that Apple does not take")
        return words
    }()
}
