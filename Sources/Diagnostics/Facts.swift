/// All that the checks go by. The command gathers it; what could not be seen says why.
public struct Facts: Sendable {
    /// Of the command that examines.
    public var version: String
    /// Host milliseconds since 1970.
    public var now: Int64
    public var host: Host
    public var user: CommandUser
    public var settings: Settings
    public var executables = Executables()
    public var daemon: Daemon
    public var share = ShareFacts()
    public var targets = TargetFacts()
    public var rules = RuleFacts()
    /// By name.
    public var brokers: [BrokerFacts] = []
    public var ports: [PortFacts]
    public var mesh: Mesh
    public var database: Database
    /// The newest version that there is, as the place said that was named; nil: none was named.
    public var newest: Newest?

    public init(
        version: String, now: Int64, host: Host = Host(), user: CommandUser = CommandUser(),
        settings: Settings = Settings(),
        daemon: Daemon = .absent, ports: [PortFacts] = [], mesh: Mesh = .unknown("nothing is known of the radio"),
        database: Database = Database(), newest: Newest? = nil
    ) {
        self.version = version
        self.now = now
        self.host = host
        self.user = user
        self.settings = settings
        self.daemon = daemon
        self.ports = ports
        self.mesh = mesh
        self.database = database
        self.newest = newest
    }

    public enum Newest: Hashable, Sendable {
        case version(String)
        /// Why the place could not be read.
        case unreadable(String)
    }
}

/// Who types the command.
public struct CommandUser: Hashable, Sendable {
    public var name: String
    public var isRoot: Bool
    /// The groups of this process, by number.
    public var groups: Set<UInt32>
    /// The groups that a new login would have.
    public var groupsAfterLogin: Set<UInt32>

    public init(
        name: String = "root", isRoot: Bool = true, groups: Set<UInt32> = [], groupsAfterLogin: Set<UInt32> = []
    ) {
        self.name = name
        self.isRoot = isRoot
        self.groups = groups
        self.groupsAfterLogin = groupsAfterLogin
    }
}

/// What the configuration says, or what is wrong with it.
public struct Settings: Hashable, Sendable {
    public var file: String
    /// One sentence with file and line; nil when it can be used.
    public var mistake: String?
    /// The values of `device`.
    public var devices: [String]
    /// TCP ports of `listen`, without 0.
    public var ports: [UInt16]
    /// The file, drop-in or folder of them that the service's user may not read.
    public var closedToService: String?
    /// Nil: the API speaks plain HTTP.
    public var certificate: CertificateFacts?
    /// Of the files of rules, each a sentence with its place.
    public var ruleMistakes: [String] = []
    /// Likewise of targets.
    public var targetMistakes: [String] = []
    /// Names of those targets whose files have none.
    public var targets: [String] = []
    /// Of the files of brokers, likewise, or that their library is missing.
    public var brokerMistakes: [String] = []

    public init(
        file: String = "/etc/mesh-gateway/mesh-gateway.conf", mistake: String? = nil, devices: [String] = ["auto"],
        ports: [UInt16] = [8080], closedToService: String? = nil
    ) {
        self.file = file
        self.mistake = mistake
        self.devices = devices
        self.ports = ports
        self.closedToService = closedToService
    }
}

/// The certificate that the configuration names, as its files are now.
public struct CertificateFacts: Hashable, Sendable {
    public var path: String
    public var key: String
    /// A sentence without a full stop; nil when it can be used.
    public var mistake: String?
    /// This user may not read it.
    public var isHidden = false
    /// Host milliseconds since 1970.
    public var validity: ClosedRange<Int64>?
    public var isKeyOpenToAll = false
    /// What keeps the service's user from it, although this user may read it.
    public var closedToService: String?

    public init(path: String, key: String) {
        self.path = path
        self.key = key
    }
}

/// The files that are called mesh-gateway.
public struct Executables: Hashable, Sendable {
    /// Of this command; nil when the kernel does not say.
    public var own: String?
    /// Of $PATH and the usual places of one's own, in the order in which a shell looks; links resolved, each once.
    public var found: [String]

    public init(own: String? = nil, found: [String] = []) {
        self.own = own
        self.found = found
    }
}

/// The running daemon.
public enum Daemon: Hashable, Sendable {
    case absent
    /// It runs, but its socket is not for this user; the socket's path.
    case closed(String)
    /// It has the socket, but gives no answer; why.
    case silent(String)
    case running(version: String, process: Int32, uptime: Int64, listeners: [String])

    var isRunning: Bool { if case .running = self { true } else { false } }
}

/// A serial port of this computer, and what this user may do with it.
public struct PortFacts: Hashable, Sendable {
    public enum Kind: String, Sendable { case radio, bridge, other }

    /// Such as /dev/ttyACM0.
    public var path: String
    /// Below /dev/serial/by-id.
    public var stablePath: String?
    public var kind: Kind
    public var label: String
    /// Number and name of its group.
    public var group: UInt32?
    public var groupName: String?
    /// This user may read and write it.
    public var isPermitted: Bool
    /// Another process that has it open.
    public var holder: Host.Process?
    /// Number of the character device, as `major:minor`.
    public var device: String?

    public init(
        path: String, stablePath: String? = nil, kind: Kind = .radio, label: String = "radio", group: UInt32? = nil,
        groupName: String? = nil, isPermitted: Bool = true, holder: Host.Process? = nil, device: String? = nil
    ) {
        self.path = path
        self.stablePath = stablePath
        self.kind = kind
        self.label = label
        self.group = group
        self.groupName = groupName
        self.isPermitted = isPermitted
        self.holder = holder
        self.device = device
    }
}

/// What is known of the radios and their mesh.
public enum Mesh: Hashable, Sendable {
    /// Neither a daemon nor the database could be asked; why, as the second half of a sentence.
    case unknown(String)
    case known([RadioFacts])
}

/// A radio, as the daemon has it or as the database remembers it. Times in host milliseconds.
public struct RadioFacts: Hashable, Sendable {
    public struct Problem: Hashable, Sendable {
        public var name: String
        public var advice: String

        public init(name: String, advice: String) {
            self.name = name
            self.advice = advice
        }
    }

    /// Since the link was made.
    public struct Traffic: Hashable, Sendable {
        public var bytes: UInt64
        public var text: UInt64
        public var garbage: UInt64

        public init(bytes: UInt64, text: UInt64, garbage: UInt64) {
            self.bytes = bytes
            self.text = text
            self.garbage = garbage
        }
    }

    public struct Nodes: Hashable, Sendable {
        /// Some of them, as ids.
        public var ids: [String]
        public var count: Int

        public init(_ ids: [String] = [], count: Int? = nil) {
            self.ids = ids
            self.count = count ?? ids.count
        }

        var text: String { ids.prefix(5).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "") }
    }

    /// The setting of its link.
    public var device: String
    public var nodeID: String?
    /// As LinkState names it; nil without a daemon.
    public var link: String?
    public var since: Int64?
    /// What keeps the link from working, and what is wrong although it works.
    public var problems: [Problem] = []
    public var traffic: Traffic?
    public var firmware: String?
    /// RegionCode; 0 none is set.
    public var region: UInt32?
    public var regionName: String?
    public var isTransmitterOff: Bool?
    /// The newest packet that was heard.
    public var lastPacket: Int64?
    /// Seconds that the radio's clock is ahead of this computer's, by its latest packets.
    public var clockAhead: Int64?
    /// Its latest packets have no time.
    public var isClockUnset = false
    /// Percent, and when.
    public var channelUtilization: Double?
    public var airUtilization: Double?
    public var utilizationAt: Int64?
    public var isStoreForwardServer: Bool?
    public var weakKeys = Nodes()
    public var isOwnKeyWeak = false
    public var sharedKeys = Nodes()
    public var isOwnKeyShared = false
    public var doubtedKeys = Nodes()
    /// Favourites that the radio does not have.
    public var missingFavorites = Nodes()
    /// Old and new number of nodes that seem to have another one: `!0000000a !0000000b`.
    public var renumberedNodes = Nodes()
    /// Nodes that are heard and have sent no telemetry for a week; and how many are heard at all.
    public var quietNodes = Nodes()
    public var heardNodes = 0
    /// Own packets on their way, the oldest of those that wait for nothing but the radio, and how many wait for something.
    public var outbox = 0
    public var oldestInOutbox: Int64?
    public var held = 0

    public init(device: String = "auto") { self.device = device }

    func has(_ problem: String) -> Problem? { problems.first { $0.name == problem } }

    var isLive: Bool { link == "live" }
}

/// The database file, seen from outside and from inside.
public struct Database: Sendable {
    public enum Content: Hashable, Sendable {
        /// Why it could not be opened.
        case refused(String)
        /// Only its owner may look.
        case hidden
        case missing
        case open
    }

    public enum Integrity: Hashable, Sendable {
        case checked(tables: Int, of: Int)
        case damaged([String])
        /// Why it could not be looked at.
        case unknown(String)
    }

    /// Of the file system that it is on.
    public struct Disk: Hashable, Sendable {
        public var free: UInt64
        public var size: UInt64
        public var freeFiles: UInt64
        public var files: UInt64
        public var isReadOnly: Bool
        /// `major:minor` of the block device.
        public var device: String?

        public init(
            free: UInt64, size: UInt64, freeFiles: UInt64 = 1_000_000, files: UInt64 = 2_000_000,
            isReadOnly: Bool = false, device: String? = nil
        ) {
            self.free = free
            self.size = size
            self.freeFiles = freeFiles
            self.files = files
            self.isReadOnly = isReadOnly
            self.device = device
        }
    }

    public struct Tokens: Hashable, Sendable {
        public var active: Int
        public var expired: Int
        /// Name and time (host milliseconds) of the one that expires next.
        public var nextName: String?
        public var nextExpiry: Int64?

        public init(active: Int, expired: Int = 0, nextName: String? = nil, nextExpiry: Int64? = nil) {
            self.active = active
            self.expired = expired
            self.nextName = nextName
            self.nextExpiry = nextExpiry
        }
    }

    public var path: String?
    public var content: Content
    /// SQLite's quick_check, which may take its time.
    public var integrity: @Sendable () -> Integrity
    public var disk: @Sendable () -> Disk?
    /// Bytes; nil: not known, no limit.
    public var used: Int64?
    public var limit: Int64?
    public var journalMode: String?
    /// Of the daemon's writer, host milliseconds.
    public var failingSince: Int64?
    public var lastError: String?
    public var lastErrorAt: Int64?
    public var droppedChanges: Int64?
    public var tokens: Tokens?

    public init(
        path: String? = nil, content: Content = .missing,
        integrity: @escaping @Sendable () -> Integrity = { .unknown("there is none") },
        disk: @escaping @Sendable () -> Disk? = { nil }
    ) {
        self.path = path
        self.content = content
        self.integrity = integrity
        self.disk = disk
    }
}
