import Log
import MeshModel
import Platform

// File, drop-ins, environment and options to one checked value.
//
//   built-in values  <  mesh-gateway.conf  <  mesh-gateway.conf.d/*.conf in byte order  <  MESH_GATEWAY_...  <  options
//
// The stronger source of a key replaces the weaker one's value whole; so a list in a drop-in is the list.

/// The checked settings of one daemon.
public struct Configuration: Sendable, Equatable {
    /// One radio each, and no two the same.
    public var devices = [DeviceSetting.automatic]
    /// Nil: the first usable one of `Paths.databaseCandidates`.
    public var database: String?
    public var listen = [ListenAddress(host: "", port: ListenAddress.defaultPort)]
    /// The PEM file of the certificate and its chain, with which TCP ports speak TLS; nil, then without `certificateKey`
    /// too: they speak plain HTTP.
    public var certificate: String?
    /// The PEM file of the certificate's private key.
    public var certificateKey: String?
    /// Where the API begins for the network.
    public var basePath = BasePath.root
    /// There is a page for people at the root.
    public var servesWebPage = true
    /// Where people reach the web page; nil: notifications have no link.
    public var publicURL: PublicURL?
    public var logLevel = Logger.Level.info
    /// The path of the local socket; nil: `Paths.socket`.
    public var socket: String?
    /// The name of the first radio's source.
    public var sourceName = "Default"
    /// What becomes of a direct message to a node whose key has changed.
    public var keyChange = KeyChangePolicy.refuse
    /// The last traffic of the radios is kept beside the local socket.
    public var recordsFlight = true
    /// Texts that say nothing about it are also accepted while the radio is away, and wait for it.
    public var queuesMessages = false
    /// After that time a text that still waits is no longer sent.
    public var messageLifetime = KeepingTime(hours: 24)
    /// Requests in 15 minutes of one client from outside.
    public var requestLimit = RequestLimit(count: 1000)
    /// Messages that one client may send in a minute.
    public var messageLimit = RequestLimit(count: 30)
    /// The web sites whose pages may use the API in a browser; those of the gateway's own address always may.
    public var allowedOrigins = [
        AllowedOrigin.site("http://localhost:8080"), AllowedOrigin.site("http://localhost:3001"),
    ]
    /// The proxies that are believed when they name their client.
    public var trustedProxies: [IPNetwork] = []
    /// Telemetry and what else nodes report of themselves.
    public var keepTelemetry = KeepingTime.days(30)
    /// Positions and routes.
    public var keepPositions = KeepingTime.days(90)
    /// The packet log.
    public var keepPackets = KeepingTime.days(7)
    public var keepMessages = KeepingTime.forever
    /// What rules have told, at most 10,000 rows.
    public var keepNotifications = KeepingTime.days(7)
    /// When it would become larger, the oldest is given up, messages last.
    public var databaseSize = DatabaseSize(bytes: 200_000_000)
    /// How much of its channel the radio may find used while rules still send.
    public var rulesChannelUse = Percentage(30)
    /// How much of an hour rules may send; 0: never.
    public var rulesAirtime = Percentage(2)
    /// Where programs find the radio as if it were theirs; empty: nowhere.
    public var shares: [ShareSetting] = []
    /// Who may connect there; empty: everybody.
    public var shareNetworks: [IPNetwork] = []
    /// Where registrations of apps and browsers may lead beside public addresses.
    public var pushHosts: [PushHost] = []
    /// What push services are told about who runs this gateway; nil: ``publicURL``.
    public var pushContact: PushContact?
    /// The file with the key by which Apple knows who sends; nil, then without the next three too: Apple's devices are not told.
    public var appleKey: String?
    /// What Apple calls this key.
    public var appleKeyID: String?
    /// Whose it is.
    public var appleTeam: String?
    /// The app's name at Apple.
    public var appleTopic: String?
    /// Apple may read the texts of messages.
    public var showsAppleTexts = false
    /// Variables that are empty although their value would have narrowed something. Nobody knows what was meant, and no radio is
    /// shared.
    public internal(set) var emptied: [ConfigurationError] = []
    /// Where the values of each key come from.
    private(set) var origins: [Key: [Origin]] = [:]

    public static let defaultFile = "/etc/mesh-gateway/mesh-gateway.conf"

    /// What the command line gave, unchecked; nil or empty where it was silent.
    public struct Options: Sendable {
        public var devices: [String] = []
        public var database: String?
        public var listen: [String] = []
        public var logLevel: String?
        public var socket: String?
        public var sourceName: String?
        public var shares: [String] = []

        public init() {}
    }

    /// The built-in values.
    public init() {}

    /// Puts all sources together and checks every value, also those that a stronger source replaces.
    ///
    /// - Parameter file: the file that the command line names. Without it MESH_GATEWAY_CONFIG, without that
    ///   `defaultFile`, which alone may be missing. Drop-ins lie beside the file in a directory of its name and ".d".
    public static func load(
        file: String? = nil, environment: [String: String], options: Options = Options()
    ) throws(ConfigurationError) -> Configuration {
        let reading = read(file: file, environment: environment, options: options)
        if let mistake = reading.mistakes.first { throw mistake }
        return reading.configuration
    }

    /// Where a value comes from; of a list, its first one.
    public func origin(of key: Key) -> Origin { origins(of: key).first ?? .builtIn }

    /// Where the values of a list come from, in their order; empty: they are built in.
    public func origins(of key: Key) -> [Origin] { origins[key] ?? [] }

    /// Takes over what `other` has of a key.
    public mutating func copy(_ key: Key, from other: Configuration) {
        key.row.copy(&self, other)
        origins[key] = other.origins[key]
    }

    /// The values of a key as texts that a file takes, several of a list. Empty for a path that is not set, which then
    /// depends on who asks (``Paths``), and for an empty list.
    public func values(of key: Key) -> [String] { key.row.write(self) }

    mutating func apply(_ setting: GivenSetting) throws(Mistakes) {
        try setting.key.row.read(&self, setting)
        origins[setting.key] = setting.origins
    }
}

/// One key with the text that a source gives it; several texts only for keys that may repeat.
struct GivenSetting {
    let key: Key
    private var given: [(text: String, origin: Origin)]

    /// Of each text.
    var origins: [Origin] { given.map(\.origin) }

    init(key: Key, values: [String], origin: Origin) {
        self.key = key
        given = values.map { ($0, origin) }
        // A list of commas alone is no list.
        if given.isEmpty { given = [("", origin)] }
    }

    mutating func add(_ text: String, from origin: Origin) { given.append((text, origin)) }

    /// The last value as `check` reads it.
    func checked<Value>(_ allowed: String, _ check: (String) -> Value?) throws(Mistakes) -> Value {
        try checkedList(allowed, check)[given.count - 1]
    }

    /// All values as `check` reads each.
    ///
    /// - Parameter isSame: whether two of them say the same, which is a mistake.
    func checkedList<Value>(
        _ allowed: String, isSame: (Value, Value) -> Bool = { _, _ in false }, _ check: (String) -> Value?
    ) throws(Mistakes) -> [Value] {
        var list: [(value: Value, origin: Origin)] = []
        var mistakes: [ConfigurationError] = []
        for (text, origin) in given {
            guard let value = check(text) else {
                mistakes.append(.badValue(key: key, value: text, allowed: allowed, origin: origin))
                continue
            }
            if let first = list.first(where: { isSame($0.value, value) }) {
                mistakes.append(.twice(key: key, value: text, first: first.origin, origin: origin))
                continue
            }
            list.append((value, origin))
        }
        guard mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        return list.map(\.value)
    }
}

/// What is wrong with a setting.
struct Mistakes: Error { let all: [ConfigurationError] }

extension Configuration.Options {
    var settings: [GivenSetting] {
        let given: [(Key, [String])] = [
            (.device, devices), (.database, database.map { [$0] } ?? []), (.listen, listen),
            (.logLevel, logLevel.map { [$0] } ?? []), (.socket, socket.map { [$0] } ?? []),
            (.sourceName, sourceName.map { [$0] } ?? []), (.share, shares),
        ]
        return given.compactMap { key, values in
            values.isEmpty ? nil : GivenSetting(key: key, values: values, origin: .option("--\(key.rawValue)"))
        }
    }
}
