import Configuration
import Gateway
import Glibc
import HTTPServer
import Log
import MQTTBridge
import Notifications
import Routes
import Rules
import Store
import Synchronization

// What SIGHUP does: the configuration is read again, and what can change without dropping a radio or a client does.
//
// 1. Everything is read first, then every mistake is said, then what may change does: targets before the rules that name them.
//    A mistake in mesh-gateway.conf changes none of its keys: half of a file is not what somebody wanted. Each file of rules.d,
//    targets.d and brokers.d counts by itself: one with a mistake leaves its last good version in force (FolderOfFiles.swift).
// 2. The command line stays stronger than the file; so its options are put over it again.
// 3. Nobody is waited for: goodbyes to brokers go on while the main thread is free.
// 4. What needs a restart is named, with what to type, and keeps its value until then. Only a shared port that is to be closed,
//    or to do less, is so at once.

struct Reload {
    let settings: SettingsInForce
    let threshold: LogThreshold
    let gateway: Gateway
    let api: API
    /// Nil without TLS.
    let certificate: CertificateInForce?
    let certificateWatch: CertificateWatch?
    let networks: AdmittedNetworks
    /// Nil: there is nothing to share.
    let shares: SharedRadios?
    let rules: RunningRules
    let targets: RunningTargets
    let brokers: RunningBrokers
    let logger: Logger

    /// Puts the settings in force as they were read again.
    func apply(_ reading: Configuration.Reading) {
        certificateWatch?.look()
        let found = (targets.folder.read(), rules.folder.read(), brokers.folder.read())
        for mistake in reading.mistakes { logger.error("\(mistake)") }
        targets.say(found.0)
        rules.say(found.1)
        brokers.say(found.2)
        let folders = [targets.apply(found.0), rules.apply(found.1), brokers.apply(found.2)]
        guard reading.mistakes.isEmpty else {
            return logger.error("the configuration was read again and has mistakes: none of its settings changes")
        }
        let (old, new) = (settings.value, reading.configuration)
        var changed = Key.allCases.filter { old.values(of: $0) != new.values(of: $0) }
        var next = old
        for key in Key.allCases where key.isReloadable || !changed.contains(key) { next.copy(key, from: new) }
        next.shares = old.shares.compactMap { $0.narrowed(to: new.shares) }
        if next.shares == new.shares { next.copy(.share, from: new) }
        settings.value = next
        gateway.store.retention = Retention(next)
        gateway.apply(next.keyChange)
        rules.apply(ActLimits(next))
        api.apply(ClientPolicy(next))
        networks.apply(next)
        let push = PushSettings(next)
        push.report(to: logger)
        targets.apply(push)
        // Home Assistant has links to the public address.
        if changed.contains(.publicURL) { brokers.factsChanged() }
        shares?.narrow(to: next.shares)
        if changed.contains(.sourceName), !nameFirstSource(next) {
            next.copy(.sourceName, from: old)
            settings.value = next
            changed.removeAll { $0 == .sourceName }
        }

        // What has changed is told while the more talkative of the two levels counts.
        let (before, now) = (old.logLevel, new.logLevel)
        threshold.level = min(before, now)
        for key in changed { tell(key, old, new, inForce: next) }
        if changed.isEmpty {
            let isSame = folders.allSatisfy(\.isEmpty)
            logger.notice(
                "the configuration was read again: "
                    + (isSame ? "nothing has changed" : "its own settings are as they were"))
        }
        threshold.level = now
    }

    private func tell(_ key: Key, _ old: Configuration, _ new: Configuration, inForce: Configuration) {
        let change = "\(old.text(of: key)) -> \(new.text(of: key)), \(new.origin(of: key))"
        if key == .share, inForce.shares != old.shares, inForce.shares != new.shares {
            logger.notice(
                "share: \(old.text(of: key)) -> \(inForce.text(of: key)): what is no longer allowed has ended")
        }
        if key.isReloadable || key == .share && inForce.shares == new.shares {
            logger.notice("\(key.rawValue): \(change)")
        } else {
            logger.warning("\(key.rawValue) cannot change while it runs (\(change)): \(Takeover.restart.command!)")
        }
    }

    /// A name that somebody has written; the built-in one is for a new database alone.
    ///
    /// - Returns: false: it could not be stored, which is logged.
    @discardableResult
    func nameFirstSource(_ settings: Configuration) -> Bool {
        guard settings.origin(of: .sourceName) != .builtIn else { return true }
        do {
            try gateway.nameFirstSource(settings.sourceName)
            return true
        } catch {
            logger.error("the source's name cannot be stored: \(error)")
            return false
        }
    }
}

/// What it takes until a running daemon goes by another value.
enum Takeover: String {
    case reload, restart
    /// It was started with an option or in an environment that are stronger than any file.
    case start

    var command: String? {
        switch self {
        case .reload: "sudo systemctl reload mesh-gateway"
        case .restart: "sudo systemctl restart mesh-gateway"
        case .start: nil
        }
    }
}

/// The settings that the daemon goes by now.
final class SettingsInForce: Sendable {
    private let state: Mutex<Configuration>
    private let database: String

    /// - Parameter database: the path of the database that is open.
    init(_ settings: Configuration, database: String) {
        state = Mutex(settings)
        self.database = database
    }

    var value: Configuration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// As the local socket shows them.
    var listed: [SettingInForce] {
        let settings = value
        return Key.allCases.map { key in
            let values =
                switch key {
                case .database: [database]
                case .socket: [GatewayOptions.socketPath(settings)]
                default: settings.values(of: key)
                }
            let origin = settings.origin(of: key)
            return SettingInForce(key: key.rawValue, values: values, origin: "\(origin)", kind: origin.kind)
        }
    }
}

extension Configuration {
    /// The values of a key for a person to read.
    fileprivate func text(of key: Key) -> String {
        let values = values(of: key)
        return values.isEmpty ? "none" : values.joined(separator: ", ")
    }
}
