import Configuration
import Folders
import Glibc
import Log
import Notifications

// The key file of Apple's, which the settings name: what is said when it cannot be used, or others can read it.

extension AppleSettings {
    /// nil unless all of its settings are there.
    init?(_ settings: Configuration) {
        guard let file = settings.appleKey, let keyID = settings.appleKeyID, let team = settings.appleTeam,
            let topic = settings.appleTopic
        else { return nil }
        self.init(keyFile: file, keyID: keyID, team: team, topic: topic, showsTexts: settings.showsAppleTexts)
    }

    /// Why the key file is no good; nil if it is, or if this user may not look at it.
    static func mistake(_ settings: Configuration) -> String? {
        guard let file = settings.appleKey else { return nil }
        if access(file, R_OK) != 0, errno == EACCES { return nil }
        do throws(BadValue) {
            _ = try AppleKey(file: file)
            return nil
        } catch { return error.text }
    }
}

extension PushSettings {
    /// Apple's devices are not told for now, for which the service neither stops nor refuses to start.
    func report(to logger: Logger) {
        guard let obstacle = apple?.obstacle else { return }
        logger.error("Apple's devices are not told: \(obstacle)")
    }
}

extension ConfigWarning {
    /// A key that others can read, or the service cannot: as with the secrets of targets.
    static func appleKey(_ settings: Configuration) -> [ConfigWarning] {
        guard let path = settings.appleKey else { return [] }
        let origin = settings.origin(of: .appleKey)
        if let text = SecretFile.warning(path) {
            return [ConfigWarning(name: "open-secret", origin: origin, text: "apns-key: \(text)")]
        }
        guard access(path, F_OK) == 0, ServiceUser.found != nil, !ServiceUser.may(R_OK, path) else { return [] }
        return [ConfigWarning(name: "hidden-file", origin: origin, text: "\(path): \(SecretFile.advice(path))")]
    }
}
