import JSON
import Platform

/// Says to Apple's service who sends: a token that counts for an hour, and that Apple wants neither older than that nor renewed
/// within twenty minutes.
final class AppleTokens: Sendable {
    private struct Token {
        /// For whom it was made.
        let settings: AppleSettings
        let text: String
        /// Host milliseconds.
        let at: Int64
        /// Made because the one before was refused.
        let isReplacement: Bool
        var isRefused = false

        func isGood(for settings: AppleSettings, at now: Int64) -> Bool {
            !isRefused && self.settings == settings && now >= at && now < at + usefulFor
        }
    }

    private static let usefulFor: Int64 = 50 * 60_000

    private let token = Monitor<Token?>(nil)

    /// The value of the header authorization; nil if nothing can be signed.
    ///
    /// - Parameter now: host milliseconds.
    func authorization(for settings: AppleSettings, at now: Int64) -> String? {
        guard case .ready(let key) = settings.key else { return nil }
        return token.withLock { token in
            if let token, token.isGood(for: settings, at: now) { return token.text }
            let made = webToken(
                { $0.member("kid", settings.keyID) },
                claims: { claims in
                    claims.member("iss", settings.team)
                    claims.member("iat", now / 1000)
                }, by: key.scalar)
            guard let made else { return nil }
            let isReplacement = token.map { $0.isRefused && $0.settings == settings } ?? false
            let fresh = Token(settings: settings, text: "bearer \(made)", at: now, isReplacement: isReplacement)
            token = fresh
            return fresh.text
        }
    }

    /// Apple finds the token too old: the next request has another one.
    ///
    /// - Returns: false if this one was made for that very reason, so that another would be of no use.
    func refuse(for settings: AppleSettings) -> Bool {
        token.withLock { token in
            guard let known = token, known.settings == settings, !known.isReplacement else { return false }
            token?.isRefused = true
            return true
        }
    }
}
