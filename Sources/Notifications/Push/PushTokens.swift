import JSON
import Nettle
import Platform

/// Says to push services who sends (VAPID, RFC 8292): a signed token for the origin of an endpoint. A signature takes a few
/// milliseconds on a small computer, so a token is used for twelve hours.
final class PushTokens: Sendable {
    private struct Purpose: Hashable {
        let origin: String
        let key: PushKey
        let subject: String?
    }

    private struct Token {
        let text: String
        /// Host milliseconds.
        let at: Int64

        func isGood(at now: Int64) -> Bool { now >= at && now < at + usefulFor }
    }

    private static let usefulFor: Int64 = 12 * 3_600_000
    /// Six hours more than it is used for, and six less than a service takes (RFC 8292, 2): its clock or this computer's
    /// may be wrong by as much.
    private static let validFor: Int64 = 18 * 3_600_000
    /// There are at most 64 registrations.
    private static let most = 64

    private let tokens = Monitor<[Purpose: Token]>([:])

    init() {}

    /// The value of the header Authorization; nil if nothing can be signed.
    ///
    /// - Parameters:
    ///   - subject: `mailto:` or `https:`, where a service's people reach those of this gateway.
    ///   - now: host milliseconds.
    func authorization(for address: WebAddress, key: PushKey, subject: String?, at now: Int64) -> String? {
        let purpose = Purpose(origin: address.origin, key: key, subject: subject)
        return tokens.withLock { tokens in
            if let token = tokens[purpose], token.isGood(at: now) { return token.text }
            guard let text = Self.authorization(purpose, at: now) else { return nil }
            tokens = tokens.filter { $1.isGood(at: now) }
            if tokens.count >= Self.most { tokens = [:] }
            tokens[purpose] = Token(text: text, at: now)
            return text
        }
    }

    private static func authorization(_ purpose: Purpose, at now: Int64) -> String? {
        let token = webToken(
            { $0.member("typ", "JWT") },
            claims: { claims in
                claims.member("aud", purpose.origin)
                claims.member("exp", (now + validFor) / 1000)
                if let subject = purpose.subject { claims.member("sub", subject) }
            }, by: purpose.key.scalar)
        // Without a blank behind the comma: some readers split at the last one.
        return token.map { "vapid t=\($0),k=\(purpose.key.shown)" }
    }
}
