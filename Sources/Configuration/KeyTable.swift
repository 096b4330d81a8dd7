import Log
import MeshModel
import Platform

// One row for each key: where its value goes, how it is read and written, and what a change of it takes.

extension Key {
    var row: KeyRow {
        switch self {
        case .device:
            .list(
                \.devices, "auto, simulated, tcp:HOST[:PORT] or a path", DeviceSetting.init, \.description,
                isSame: { $0.isSameRadio(as: $1) }, parts: DeviceSetting.list
            ).needingRestart
        case .database: .optional(\.database, "a path") { $0.isEmpty ? nil : $0 }.needingRestart
        case .listen:
            .list(
                \.listen, ListenAddress.allowed, ListenAddress.init, \.description,
                isSame: { $0.isSameSocket(as: $1) }
            ).needingRestart.narrowing("port 8080 of all addresses")
        case .certificate: .optional(\.certificate, "an absolute path") { $0.hasPrefix("/") ? $0 : nil }.needingRestart
        case .certificateKey:
            .optional(\.certificateKey, "an absolute path") { $0.hasPrefix("/") ? $0 : nil }.needingRestart
        case .basePath: .one(\.basePath, BasePath.allowed, BasePath.init, \.description)
        case .web: .yesOrNo(\.servesWebPage)
        case .publicURL: .optional(\.publicURL, PublicURL.allowed, PublicURL.init, \.description)
        case .logLevel: .one(\.logLevel, Logger.Level.allowed, Logger.Level.init(setting:), \.description)
        case .socket:
            .optional(\.socket, "a path of at most 107 bytes") { (1...107).contains($0.utf8.count) ? $0 : nil }
                .needingRestart
        case .sourceName: .one(\.sourceName, "1 to 64 printable characters", Self.printableName, \.self)
        case .keyChange: .one(\.keyChange, "refuse, hold or send", KeyChangePolicy.init(rawValue:), \.rawValue)
        case .flightRecorder: .yesOrNo(\.recordsFlight).needingRestart
        case .queueMessages: .yesOrNo(\.queuesMessages)
        case .messageLifetime: .one(\.messageLifetime, KeepingTime.allowed, KeepingTime.init, \.description)
        case .requestLimit: .one(\.requestLimit, RequestLimit.allowed, RequestLimit.init, \.description)
        case .messageLimit: .one(\.messageLimit, RequestLimit.allowed, RequestLimit.init, \.description)
        case .allowedOrigins:
            .list(
                \.allowedOrigins, "SCHEME://HOST or SCHEME://HOST:PORT, such as https://mesh.example.org, or *",
                AllowedOrigin.init, \.description
            ).narrowing("pages of localhost")
        case .trustedProxies:
            .list(
                \.trustedProxies, "an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32", IPNetwork.init,
                \.description)
        case .keepTelemetry: .one(\.keepTelemetry, KeepingTime.allowed, KeepingTime.init, \.description)
        case .keepPositions: .one(\.keepPositions, KeepingTime.allowed, KeepingTime.init, \.description)
        case .keepPackets: .one(\.keepPackets, KeepingTime.allowed, KeepingTime.init, \.description)
        case .keepMessages: .one(\.keepMessages, KeepingTime.allowed, KeepingTime.init, \.description)
        case .keepNotifications: .one(\.keepNotifications, KeepingTime.allowed, KeepingTime.init, \.description)
        case .databaseSize: .one(\.databaseSize, DatabaseSize.allowed, DatabaseSize.init, \.description)
        case .rulesChannelUse: .one(\.rulesChannelUse, Percentage.allowed, Percentage.init, \.description)
        case .rulesAirtime: .one(\.rulesAirtime, Percentage.allowed, Percentage.init, \.description)
        case .share:
            .list(
                \.shares, ShareSetting.allowed, ShareSetting.init, \.description, isSame: { $0.isSamePort(as: $1) },
                parts: Environment.commaList
            ).needingRestart
        case .shareNetworks:
            .list(
                \.shareNetworks, "an IP address or a network such as 192.0.2.0/24 or 2001:db8::/32", IPNetwork.init,
                \.description
            ).narrowing("everybody")
        case .pushHosts: .list(\.pushHosts, PushHost.allowed, PushHost.init, \.description)
        case .pushContact: .optional(\.pushContact, PushContact.allowed, PushContact.init, \.description)
        case .appleKey: .optional(\.appleKey, "an absolute path") { $0.hasPrefix("/") ? $0 : nil }
        case .appleKeyID: .optional(\.appleKeyID, AppleNames.allowedIDs, AppleNames.id)
        case .appleTeam: .optional(\.appleTeam, AppleNames.allowedIDs, AppleNames.id)
        case .appleTopic: .optional(\.appleTopic, AppleNames.allowedTopics, AppleNames.topic)
        case .appleTexts: .yesOrNo(\.showsAppleTexts)
        }
    }

    private static func printableName(_ name: String) -> String? {
        let isPrintable = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return (1...64).contains(name.count) && isPrintable && name.contains { $0 != " " } ? name : nil
    }
}

/// What the configuration has to know of a key.
struct KeyRow {
    /// Checks what a source gives, and puts it in its place.
    let read: (inout Configuration, GivenSetting) throws(Mistakes) -> Void
    let copy: (inout Configuration, Configuration) -> Void
    /// The values as texts that ``read`` takes.
    let write: (Configuration) -> [String]
    /// How the parts of a list in the environment, cut at commas and blanks, become its values; nil: only one value.
    var parts: ((String) -> [String])?
    var needsRestart = false
    /// Its values say who may do something; without one it is this.
    var narrows: String?

    var mayRepeat: Bool { parts != nil }

    var needingRestart: KeyRow {
        var row = self
        row.needsRestart = true
        return row
    }

    func narrowing(_ unset: String) -> KeyRow {
        var row = self
        row.narrows = unset
        return row
    }
}

extension KeyRow {
    /// - Parameter allowed: the values that are, in words for an error.
    static func one<Value>(
        _ place: WritableKeyPath<Configuration, Value>, _ allowed: String, _ read: @escaping (String) -> Value?,
        _ write: @escaping (Value) -> String
    ) -> KeyRow {
        KeyRow(
            read: { (configuration, setting) throws(Mistakes) in
                configuration[keyPath: place] = try setting.checked(allowed, read)
            },
            copy: { $0[keyPath: place] = $1[keyPath: place] },
            write: { [write($0[keyPath: place])] })
    }

    static func optional(
        _ place: WritableKeyPath<Configuration, String?>, _ allowed: String, _ read: @escaping (String) -> String?
    ) -> KeyRow { .optional(place, allowed, read, \.self) }

    static func optional<Value>(
        _ place: WritableKeyPath<Configuration, Value?>, _ allowed: String, _ read: @escaping (String) -> Value?,
        _ write: @escaping (Value) -> String
    ) -> KeyRow {
        KeyRow(
            read: { (configuration, setting) throws(Mistakes) in
                configuration[keyPath: place] = try setting.checked(allowed, read)
            },
            copy: { $0[keyPath: place] = $1[keyPath: place] },
            write: { $0[keyPath: place].map { [write($0)] } ?? [] })
    }

    static func yesOrNo(_ place: WritableKeyPath<Configuration, Bool>) -> KeyRow {
        .one(place, "yes or no", { ["yes": true, "no": false][$0] }, { $0 ? "yes" : "no" })
    }

    /// - Parameters:
    ///   - isSame: whether two of them say the same, which is a mistake.
    ///   - parts: the values of a list in the environment.
    static func list<Value>(
        _ place: WritableKeyPath<Configuration, [Value]>, _ allowed: String, _ read: @escaping (String) -> Value?,
        _ write: @escaping (Value) -> String, isSame: @escaping (Value, Value) -> Bool = { _, _ in false },
        parts: @escaping (String) -> [String] = Environment.list
    ) -> KeyRow {
        KeyRow(
            read: { (configuration, setting) throws(Mistakes) in
                configuration[keyPath: place] = try setting.checkedList(allowed, isSame: isSame, read)
            },
            copy: { $0[keyPath: place] = $1[keyPath: place] },
            write: { $0[keyPath: place].map(write) },
            parts: parts)
    }
}
