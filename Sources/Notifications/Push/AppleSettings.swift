import Folders

/// What is needed to tell apps through Apple's service (APNs): the key of whoever has signed the app. It is off without.
public struct AppleSettings: Hashable, Sendable {
    /// The words of a key that can be used, else why it cannot.
    enum KeyState: Hashable, Sendable {
        case ready(AppleKey)
        case unusable(String)
    }

    let key: KeyState
    /// What Apple calls the key: ten letters and digits.
    let keyID: String
    /// Whose it is: ten letters and digits.
    let team: String
    /// The app's name at Apple (bundle id).
    let topic: String
    /// Whether Apple may read the texts of messages.
    let showsTexts: Bool
    /// Tests have hosts of their own.
    var hosts = AppleHosts.apple

    /// - Parameter keyFile: a path. With a bad one these are settings all the same, and nothing is sent.
    public init(keyFile: String, keyID: String, team: String, topic: String, showsTexts: Bool) {
        do throws(BadValue) { key = .ready(try AppleKey(file: keyFile)) } catch { key = .unusable(error.text) }
        (self.keyID, self.team, self.topic, self.showsTexts) = (keyID, team, topic, showsTexts)
    }

    init(key: AppleKey, keyID: String, team: String, topic: String, showsTexts: Bool, hosts: AppleHosts) {
        (self.key, self.keyID, self.team, self.topic) = (.ready(key), keyID, team, topic)
        (self.showsTexts, self.hosts) = (showsTexts, hosts)
    }

    /// Why nothing can be sent, in a sentence; nil if it can.
    public var obstacle: String? { if case .unusable(let why) = key { "apns-key: \(why)" } else { nil } }
}

/// Where Apple's service listens.
struct AppleHosts: Hashable, Sendable {
    /// For apps from the App Store or TestFlight.
    var production: WebAddress
    /// For apps that Xcode has installed.
    var sandbox: WebAddress
    /// A PEM file of authorities in place of the system's.
    var authority: String?
    /// They may be on this machine.
    var isLocal = false

    static let apple = {
        guard let production = try? WebAddress("https://api.push.apple.com/"),
            let sandbox = try? WebAddress("https://api.sandbox.push.apple.com/")
        else { preconditionFailure("both are addresses") }
        return AppleHosts(production: production, sandbox: sandbox)
    }()
}

/// A phone, tablet or watch with an app that has registered.
struct AppleDevice: Hashable, Sendable {
    /// In hexadecimal.
    var token: String
    /// Its app says that it is known to the sandbox.
    var isSandbox: Bool
    /// The host that its app has named does not know it, and the other one was asked.
    var isOtherHost: Bool
    /// When its app has registered last, in host milliseconds.
    var registeredAt: Int64

    /// Where it is told.
    func address(_ hosts: AppleHosts) -> WebAddress {
        (isSandbox != isOtherHost ? hosts.sandbox : hosts.production).with(path: "/3/device/\(token)")
    }
}
