import Gateway
import HTTPServer
import Log
import Platform
import Store

/// What the copies of an ``API`` share. Each request has copies of its own, which retain this one object in place of two
/// dozen. What the parts are, the API says.
final class APIParts: Sendable {
    let router: Router
    let gateway: Gateway
    let feed: NotificationFeed
    let version: String
    let listeners: @Sendable () -> [String]
    let clock: @Sendable () -> Int64
    let connections: @Sendable () -> Int?
    let shares: @Sendable () -> [SharedPortReport]
    let rules: FolderDoor?
    let brokers: FolderDoor?
    let targets: FolderDoor?
    let pushes: PushDoor?
    let conversationDoor: ConversationDoor
    let logger: Logger
    let startedAt = BootTimeClock.milliseconds()
    let writtenBefore = bytesWritten() ?? 0
    let admission: LocalAdmission
    let tokens: TokenCheck
    let cookies = SessionCookies()
    let knownSources = KnownSources()
    let start = UInt64.random(in: 0 ... .max)
    let settings: @Sendable () -> [SettingInForce]
    let policy: PolicyInForce
    let requestLimit: RateLimit
    let messageLimit: RateLimit
    let wrongTokens = WrongTokens()
    let streams = OpenStreams()
    let documents = KeptDocuments()
    let longReads = WorkAside(named: "long-reads")
    let commits = WorkAside(named: "commits", capacity: 256)
    let sharedCommits: SharedCommits
    let radioReadings: RadioReadings

    init(
        router: Router, gateway: Gateway, feed: NotificationFeed, version: String, policy: ClientPolicy,
        settings: @escaping @Sendable () -> [SettingInForce], admission: LocalAdmission,
        clock: @escaping @Sendable () -> Int64, listeners: @escaping @Sendable () -> [String],
        connections: @escaping @Sendable () -> Int?, shares: @escaping @Sendable () -> [SharedPortReport],
        rules: FolderDoor?, brokers: FolderDoor?, targets: FolderDoor?, pushes: PushDoor?,
        conversationDoor: ConversationDoor, logger: Logger
    ) {
        self.router = router
        self.gateway = gateway
        self.feed = feed
        self.version = version
        self.clock = clock
        self.listeners = listeners
        self.connections = connections
        self.shares = shares
        self.rules = rules
        self.brokers = brokers
        self.targets = targets
        self.pushes = pushes
        self.conversationDoor = conversationDoor
        self.logger = logger
        self.admission = admission
        tokens = TokenCheck(store: gateway.store)
        sharedCommits = SharedCommits(store: gateway.store)
        radioReadings = RadioReadings { gateway.settingsVersion(of: $0) }
        self.settings = settings
        self.policy = PolicyInForce(policy)
        requestLimit = RateLimit(.requests, limit: policy.requestLimit)
        messageLimit = RateLimit(.messages, limit: policy.messageLimit)
    }
}
