import JSON

/// All that the checks go by. The command gathers it; what could not be seen says why.
public struct Facts: Sendable {
    /// Of the command that examines.
    public var version: String
    /// Host milliseconds since 1970.
    public var now: Int64
    public var host = Host()
    public var user: CommandUser
    public var settings = Settings()
    public var executables = Executables()
    public var daemon: Daemon
    public var share = ShareFacts()
    public var targets = TargetFacts()
    public var pushes = PushFacts()
    public var rules = RuleFacts()
    /// By name.
    public var brokers: [BrokerFacts] = []
    public var ports: [PortFacts]
    public var mesh: Mesh
    public var database: Database
    /// The newest version that there is, as the place said that was named; nil: none was named.
    public var newest: Newest?

    public init(
        version: String, now: Int64, user: CommandUser = CommandUser(), daemon: Daemon = .absent,
        ports: [PortFacts] = [],
        mesh: Mesh = .unknown("nothing is known of the radio"), database: Database = Database(), newest: Newest? = nil
    ) {
        (self.version, self.now, self.user, self.daemon) = (version, now, user, daemon)
        (self.ports, self.mesh, self.database, self.newest) = (ports, mesh, database, newest)
    }

    public enum Newest: Hashable, Sendable {
        case version(String)
        /// Why the place could not be read.
        case unreadable(String)
    }
}

/// The page `diagnosis/1`: what the gateway tells, or its database while it does not run. It is without keys, names and texts, so
/// that it may go into a bug report.
extension Facts {
    private static var told: [Fact<Facts>] {
        [
            Fact(
                "database",
                [
                    Fact("usedBytes", \.database.used), Fact("limitBytes", \.database.limit),
                    Fact("journalMode", \.database.journalMode), Fact(time: "failingSince", \.database.failingSince),
                    Fact("lastError", \.database.lastError), Fact(time: "lastErrorAt", \.database.lastErrorAt),
                    Fact("droppedChanges", \.database.droppedChanges),
                ]),
            Fact("tokens", \.database.tokens), Fact("radios", \.radios), Fact("shares", \.share.standings),
        ]
    }

    private var radios: [RadioFacts] {
        get { if case .known(let radios) = mesh { radios } else { [] } }
        set { mesh = .known(newValue) }
    }

    /// - Returns: false for a page that is none.
    public mutating func read(_ page: JSONValue) -> Bool {
        guard page["radios"]?.array != nil else { return false }
        for fact in Self.told { fact.read(&self, page) }
        return true
    }

    /// The page's members behind its schema.
    public func write(_ json: inout JSONWriter) { for fact in Self.told { fact.write(self, &json) } }
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
        (self.name, self.isRoot, self.groups, self.groupsAfterLogin) = (name, isRoot, groups, groupsAfterLogin)
    }
}

/// What the configuration says, or what is wrong with it.
public struct Settings: Hashable, Sendable {
    public var file: String
    /// One sentence with file and line; nil when it can be used.
    public var mistake: String?
    /// The values of `device`.
    public var devices = ["auto"]
    /// TCP ports of `listen`, without 0.
    public var ports: [UInt16] = [8080]
    /// The file, drop-in or folder of them that the service's user may not read.
    public var closedToService: String?
    /// Nil: the API speaks plain HTTP.
    public var certificate: CertificateFacts?
    /// Of the files of rules, each a sentence with its place.
    public var ruleMistakes: [String] = []
    /// Likewise of targets.
    public var targetMistakes: [String] = []
    /// Of the files of brokers, likewise, or that their library is missing.
    public var brokerMistakes: [String] = []

    public init(file: String = "/etc/mesh-gateway/mesh-gateway.conf", mistake: String? = nil) {
        (self.file, self.mistake) = (file, mistake)
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

    public init(path: String, key: String) { (self.path, self.key) = (path, key) }
}

/// The files that are called mesh-gateway.
public struct Executables: Hashable, Sendable {
    /// Of this command; nil when the kernel does not say.
    public var own: String?
    /// Of $PATH and the usual places of one's own, in the order in which a shell looks; links resolved, each once.
    public var found: [String]

    public init(own: String? = nil, found: [String] = []) { (self.own, self.found) = (own, found) }
}

/// The running daemon.
public enum Daemon: Hashable, Sendable {
    case absent
    /// It runs, but its socket is not for this user; the socket's path.
    case closed(String)
    /// It has the socket, but gives no answer; why.
    case silent(String)
    case running(version: String, process: Int32, uptime: Int64, listeners: [String])

    public var isRunning: Bool { if case .running = self { true } else { false } }
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
    public var isPermitted = true
    /// Another process that has it open.
    public var holder: Host.Process?
    /// Number of the character device, as `major:minor`.
    public var device: String?

    public init(
        path: String, stablePath: String? = nil, kind: Kind = .radio, label: String = "radio", group: UInt32? = nil,
        groupName: String? = nil, holder: Host.Process? = nil, device: String? = nil
    ) {
        (self.path, self.stablePath, self.kind, self.label) = (path, stablePath, kind, label)
        (self.group, self.groupName, self.holder, self.device) = (group, groupName, holder, device)
    }
}

/// What is known of the radios and their mesh.
public enum Mesh: Hashable, Sendable {
    /// Neither a daemon nor the database could be asked; why, as the second half of a sentence.
    case unknown(String)
    case known([RadioFacts])
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
            (self.free, self.size, self.freeFiles, self.files) = (free, size, freeFiles, files)
            (self.isReadOnly, self.device) = (isReadOnly, device)
        }
    }

    public struct Tokens: Described, Hashable, Sendable {
        public var active: Int
        public var expired: Int
        /// Name and time (host milliseconds) of the one that expires next.
        public var nextName: String?
        public var nextExpiry: Int64?

        init() { self.init(active: 0) }
        public init(active: Int, expired: Int = 0, nextName: String? = nil, nextExpiry: Int64? = nil) {
            (self.active, self.expired, self.nextName, self.nextExpiry) = (active, expired, nextName, nextExpiry)
        }

        static var facts: [Fact<Self>] {
            [
                Fact("active", \.active), Fact("expired", \.expired), Fact("nextName", \.nextName),
                Fact(time: "nextExpiry", \.nextExpiry),
            ]
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
        (self.path, self.content, self.integrity, self.disk) = (path, content, integrity, disk)
    }
}
