import Configuration
import Notifications
import Routes
import Rules
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
        publicURL = settings.publicURL?.description
        servesWebPage = settings.servesWebPage
        trustedProxies = settings.trustedProxies
    }
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

extension PushSettings {
    init(_ settings: Configuration) {
        // Push services want to reach somebody: a page that only this network can open is no address for them.
        let page = settings.publicURL.map(\.description).flatMap { $0.hasPrefix("https:") ? $0 : nil }
        self.init(
            hosts: PushHosts(settings.pushHosts.map { ($0.host, $0.port) }),
            contact: settings.pushContact?.description ?? page, apple: AppleSettings(settings))
    }
}

extension ActLimits {
    init(_ settings: Configuration) {
        self.init(channelUse: settings.rulesChannelUse.value, airtime: settings.rulesAirtime.value)
    }
}
