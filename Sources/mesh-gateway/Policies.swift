import Configuration
import Gateway
import HTTPServer
import Log
import Routes
import Store

// Settings in the words of the rooms that go by them.

extension ClientPolicy {
    init(_ settings: Configuration) {
        self.init()
        requestLimit = settings.requestLimit.count
        messageLimit = settings.messageLimit.count
        // A hundred years are for ever.
        let hours = settings.messageLifetime.hours ?? 876_000
        queueing = Queueing(isOn: settings.queuesMessages, lifetime: Int64(hours) * 3_600_000)
        allowedOrigins = settings.allowedOrigins.map(\.description)
        basePath = settings.basePath.path
        servesWebPage = settings.servesWebPage
        trustedProxies = settings.trustedProxies.map(IPNetwork.init)
    }
}

extension IPNetwork {
    fileprivate init(_ range: AddressRange) {
        self.init(IPAddress(bytes: range.bytes), prefixLength: range.prefixLength)
    }
}

extension Configuration {
    /// Who may connect to shared ports; empty: everybody.
    var admittedNetworks: [IPNetwork] { shareNetworks.map(IPNetwork.init) }
}

extension Retention {
    init(_ settings: Configuration) {
        func milliseconds(_ time: KeepingTime) -> Int64? { time.hours.map { Int64($0) * 3_600_000 } }
        self.init(
            telemetry: milliseconds(settings.keepTelemetry), positions: milliseconds(settings.keepPositions),
            packets: milliseconds(settings.keepPackets), messages: milliseconds(settings.keepMessages),
            feed: milliseconds(settings.keepNotifications), size: settings.databaseSize.bytes)
    }
}

extension Logger.Level {
    init(_ level: LogLevel) {
        switch level {
        case .trace: self = .trace
        case .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

extension KeyChangePolicy {
    init(_ setting: KeyChange) {
        switch setting {
        case .refuse: self = .refuse
        case .hold: self = .hold
        case .send: self = .send
        }
    }
}
