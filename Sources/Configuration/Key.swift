/// The settings by the name that they have in a file; an option is "--" and the name.
public enum Key: String, Sendable, CaseIterable {
    case device
    case database
    case listen
    case certificate = "tls-certificate"
    case certificateKey = "tls-key"
    case basePath = "base-path"
    case web
    case publicURL = "public-url"
    case logLevel = "log-level"
    case socket
    case sourceName = "name"
    case keyChange = "key-change"
    case flightRecorder = "flight-recorder"
    case queueMessages = "queue-messages"
    case messageLifetime = "message-lifetime"
    case requestLimit = "rate-limit-requests"
    case messageLimit = "rate-limit-messages"
    case allowedOrigins = "allowed-origins"
    case trustedProxies = "trusted-proxies"
    case keepTelemetry = "keep-telemetry"
    case keepPositions = "keep-positions"
    case keepPackets = "keep-packets"
    case keepMessages = "keep-messages"
    case keepNotifications = "keep-notifications"
    case databaseSize = "database-size"
    case rulesChannelUse = "rules-channel-use"
    case rulesAirtime = "rules-airtime"
    case share
    case shareNetworks = "share-networks"
    case pushHosts = "push-hosts"
    case pushContact = "push-contact"
    case appleKey = "apns-key"
    case appleKeyID = "apns-key-id"
    case appleTeam = "apns-team"
    case appleTopic = "apns-topic"
    case appleTexts = "apns-text"

    /// Whether it may be given more than once; in the environment then with commas.
    public var mayRepeat: Bool { row.mayRepeat }

    /// Whether a running daemon takes another value without leaving its radios, its clients or its database.
    public var isReloadable: Bool { !row.needsRestart }

    /// The variable in which MeshMonitor has the same setting, so that its container's settings work on. Ours is stronger.
    ///
    /// Its TRUST_PROXY is none of them: "true" and a number of hops believe every client.
    ///
    /// Not part of the row: every command asks it of every key, and making a row takes 30,000 instructions.
    public var meshMonitorVariable: String? {
        switch self {
        case .basePath: "BASE_URL"
        case .requestLimit: "RATE_LIMIT_API"
        case .messageLimit: "RATE_LIMIT_MESSAGES"
        case .allowedOrigins: "ALLOWED_ORIGINS"
        default: nil
        }
    }

    /// MESH_GATEWAY_LOG_LEVEL for log-level.
    public var environmentVariable: String {
        Environment.prefix + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

/// Where a value comes from.
public enum Origin: Sendable, Equatable, CustomStringConvertible {
    case builtIn
    case file(path: String, line: Int)
    case environment(String)
    case option(String)

    /// In one word, for programs.
    public var kind: String {
        switch self {
        case .builtIn: "built-in"
        case .file: "file"
        case .environment: "environment"
        case .option: "option"
        }
    }

    public var description: String {
        switch self {
        case .builtIn: "built in"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): "environment variable \(name)"
        case .option(let name): "option \(name)"
        }
    }
}
