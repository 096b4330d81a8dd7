import JSON

// What a target's answer means, in words for people. They repeat nothing of the answer itself, which anybody may have written.

extension SendQueue.Verdict {
    /// - Parameter now: host milliseconds.
    init(_ outcome: HTTPOutcome, of target: Target, at now: Int64) {
        switch outcome {
        case .failed(let failure):
            self = .failed("\(failure)", retryAfter: nil, mayHaveArrived: failure.mayHaveArrived)
        case .answered(let status, let retryAfter, let body):
            let ofKind = target.kind.receiver.meaning(of: HTTPAnswer(status: status, body: body))
            if case .refused(let why) = ofKind {
                self = .refused(why)
                return
            }
            let wish = retryAfter.flatMap { Self.milliseconds($0, at: now) }
            func words(_ meaning: String?) -> String {
                "\(target.address.host) answered \(status)" + (meaning.map { " (\($0))" } ?? "")
            }
            switch ofKind {
            case .partly(let why):
                self = .partly(words(why))
                return
            case .gone(let why):
                self = .gone(words(why))
                return
            case .tooLong(let why):
                self = .tooLong(words(why))
                return
            case .unheard(let why):
                self = .unheard(words(why), retryAfter: wish)
                return
            case .again(let why):
                self = .failed(words(why), retryAfter: wish, mayHaveArrived: false)
                return
            case .otherHost(let why):
                self = .otherHost(words(why))
                return
            case .explained, .refused, nil: break
            }
            let meaning = if case .explained(let why) = ofKind { why } else { target.meaning(of: status) }
            switch status {
            case 200...299: self = .arrived
            case 408, 409, 425, 429, 500...:
                self = .failed(
                    words(meaning), retryAfter: wish, mayHaveArrived: status != 429)
            default: self = .refused(words(meaning))
            }
        }
    }

    /// `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
    static func milliseconds(_ text: String, at now: Int64) -> Int64? {
        let value = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return value.utf8.count <= 9 ? Int64(value).map { $0 * 1000 } : SendQueue.longestWish
        }
        return httpDate(value).map { max(0, $0 - now) }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func httpDate(_ text: String) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, words[5] == "GMT", words[1].utf8.count == 2, words[3].utf8.count == 4,
            let month = months.firstIndex(of: words[2])
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return ISO8601.milliseconds("\(words[3])-\(number)-\(words[1])T\(words[4]).000Z")
    }
}

extension Target {
    /// What a status says of this target; nil if nothing that would help.
    fileprivate func meaning(of status: Int) -> String? {
        switch status {
        case 300..<400 where registration != nil: return "it wants to be asked elsewhere, which is not done"
        case 300..<400:
            // Where it leads is part of the answer.
            return address.scheme == .http
                ? "it wants to be asked elsewhere, which is not done; write https:// in place of http:// in its url"
                : "it wants to be asked at another address, which is not done; write that one as its url"
        case 403: return hasLogin ? "not allowed: its token may not do this" : "not allowed; it may want a token"
        default: return Self.meaning[status]
        }
    }

    /// Something in the request says who we are.
    private var hasLogin: Bool {
        address.login != nil || headers.contains { $0.name.lowercased() == "authorization" }
    }

    private static let meaning: [Int: String] = [
        400: "it does not understand what it is sent", 401: "it wants a token or a password",
        404: "there is nothing at this address", 405: "it takes no such request", 410: "it is gone",
        413: "too long", 424: "one of its services has failed", 429: "too many", 500: "it has failed",
        502: "what is behind it has failed",
        503: "it is busy", 504: "what is behind it is too slow", 507: "nobody has subscribed",
    ]
}

extension HTTPFailure {
    /// Nothing was sent if the connection was never established.
    fileprivate var mayHaveArrived: Bool {
        switch self {
        case .unknownHost, .lookupTooSlow, .refused, .notPublic, .noCurl, .oldCurl, .system: false
        case .curl(let code, _, _): ![5, 7, 35, 51, 58, 59, 60, 66, 77, 97].contains(code)
        case .tooSlow, .ended, .stopped: true
        }
    }
}
