import Configuration
import Gateway
import HTTPServer
import Log
import MQTTBridge
import MeshModel
import Notifications
import Platform
import RadioLink
import Recordings
import Routes
import Rules
import Store
import Synchronization
import Systemd

/// What `serve` runs: the gateway's parts, with REST API and servers.
struct ServingDaemon {
    /// Those of the start.
    let settings: Configuration
    let parts: GatewayParts
    let reload: Reload
    private let rules: RunningRules
    private let targets: RunningTargets
    private let recorders: [FlightRecorder]
    let server: HTTPServer
    let logger: Logger
    /// Nil: there is nothing to share, and nothing that systemd keeps for it.
    let shares: SharedRadios?
    private let certificateWatch: CertificateWatch?
    private let brokers: RunningBrokers
    private let conversations: RunningConversations

    init(
        _ settings: Configuration, from configurationFile: String, _ handed: [HandedSocket],
        _ manager: ServiceManager?, _ upgrade: UpgradeReport
    ) throws {
        let sockets = handed.filter { !$0.isOfShare }
        self.settings = settings
        let threshold = LogThreshold(settings.logLevel)
        logger = Logger(threshold, sink: LogOutput(namesDevices: settings.devices.count > 1).write)
        if let twice = DeviceSetting.portNamedTwice(in: settings.devices) {
            throw failure("\(twice.0) and \(twice.1) are the same port; a port is named once.", .configuration)
        }
        let certificate = try openCertificate(settings)
        let listeners = try listeners(settings, socket: GatewayOptions.socketPath(settings), handed: sockets)
        let recorders = Self.recorders(settings)
        self.recorders = Array(recorders.values)
        let database = try GatewayOptions.databaseForServing(settings)
        parts = try GatewayParts(
            settings,
            store: openStore(
                database, retention: Retention(settings), report: upgrade, awaitsDisk: !isOutsideOfState(database)),
            recorder: { recorders["\($0)"] }, logger: logger)
        let settingsInForce = SettingsInForce(settings, database: parts.store.path)
        let serverReference = ServerReference()
        let networks = AdmittedNetworks(settings)
        let shares =
            settings.shares.isEmpty && sockets.count == handed.count
            ? nil
            : SharedRadios(
                settings, parts.gateway, handed: handed, manager: manager, networks: networks, logger: logger)
        self.shares = shares
        let feed = NotificationFeed(store: parts.store)
        let shown = FeedOfTokens(parts.gateway)
        let push = PushSettings(settings)
        push.report(to: logger)
        let targets = RunningTargets(
            parts.gateway, folder: TargetsFolder(besideFile: configurationFile), logger: logger,
            push: push, seen: { [shown] in try shown.seen($1, by: $0, $2) },
            publicURL: { settingsInForce.value.publicURL.map { "\($0)" } })
        self.targets = targets
        let rules = RunningRules(
            parts.gateway, folder: RulesFolder(besideFile: configurationFile), version: MeshGateway.version,
            logger: logger,
            targets: RuleTargets(
                names: { targets.names }, wake: { targets.wake() },
                devices: { [store = parts.store] in Self.devices(store, targets, shown) },
                unstored: { targets.tell(unstored: $0) }),
            unstored: { feed.tell($0) })
        self.rules = rules
        rules.apply(ActLimits(settings))
        let brokers = RunningBrokers(
            parts.gateway, besideFile: configurationFile,
            publicURL: { settingsInForce.value.publicURL.map { "\($0)" } }, logger: logger)
        self.brokers = brokers
        let conversations = RunningConversations(parts.gateway, brokers, logger: logger)
        self.conversations = conversations
        Self.add(to: parts.gateway.problems, shares, rules, targets, brokers, conversations)
        let api = API(
            servedEndpoints, gateway: parts.gateway, feed: feed, version: MeshGateway.version,
            policy: ClientPolicy(settings),
            settings: { settingsInForce.listed }, localGroup: localGroup,
            listeners: { serverReference.server?.addresses ?? [] },
            connections: { serverReference.server?.connections },
            shares: { shares?.status ?? [] }, rules: FolderDoor(rules), brokers: FolderDoor(brokers),
            targets: FolderDoor(targets), pushes: PushDoor(targets, rules),
            conversations: ConversationDoor(conversations), logger: logger)
        server = try Self.server(settings, listeners, certificate, api, logger)
        serverReference.server = server
        let logger = logger
        certificateWatch = try certificate.map { try watch($0, logger) }
        reload = Reload(
            settings: settingsInForce, threshold: threshold, gateway: parts.gateway, api: api,
            certificate: certificate, certificateWatch: certificateWatch, networks: networks, shares: shares,
            rules: rules, targets: targets, brokers: brokers, logger: logger)
        if let note = noteOnHandedSockets(sockets, settings) { logger.warning("\(note)") }
    }

    /// The apps and browsers that rules tell now, by what their tokens are shown.
    private static func devices(_ store: Store, _ targets: RunningTargets, _ shown: FeedOfTokens) -> [RuleDevice] {
        let now = WallClock.milliseconds()
        let registrations = (try? store.readCommitted { try $0.activeRegistrations(at: now) }) ?? []
        return registrations.map { registration in
            RuleDevice(registration) { row, reader in
                let isSeen = (try? shown.seen(row, by: registration.token, reader)) ?? nil != nil
                return isSeen && targets.canTell(registration.address)
            }
        }
    }

    /// In the order in which `status` shows what is wrong.
    private static func add(
        to problems: Problems, _ shares: SharedRadios?, _ rules: RunningRules, _ targets: RunningTargets,
        _ brokers: RunningBrokers, _ conversations: RunningConversations
    ) {
        // Each of them holds the gateway, and the gateway holds these.
        problems.add { [weak shares] _ in shares?.problems ?? [] }
        problems.add { [weak rules] in rules?.problems(showsFiles: $0) ?? [] }
        problems.add { [weak targets, weak rules] in
            targets?.problems(showsFiles: $0, tells: rules?.tells ?? []) ?? []
        }
        problems.add { [weak brokers] in brokers?.problems(showsFiles: $0) ?? [] }
        problems.add { [weak conversations] in conversations?.problems(showsNames: $0) ?? [] }
    }

    /// By the radios' settings.
    private static func recorders(_ settings: Configuration) -> [String: FlightRecorder] {
        guard settings.recordsFlight else { return [:] }
        let folder = Ring.folder(ofSocket: GatewayOptions.socketPath(settings))
        var recorders: [String: FlightRecorder] = [:]
        for device in settings.devices {
            recorders["\(device)"] = FlightRecorder(Ring(folder: folder, device: "\(device)"), group: localGroup)
        }
        return recorders
    }

    var socket: String { GatewayOptions.socketPath(settings) }

    private static func server(
        _ settings: Configuration, _ listeners: [Listener], _ certificate: CertificateInForce?, _ api: API,
        _ logger: Logger
    ) throws -> HTTPServer {
        let socket = GatewayOptions.socketPath(settings)
        GatewayOptions.makeFolders(GatewayOptions.folder(of: socket))
        do {
            return try HTTPServer(
                listeners: listeners, certificate: certificate, rules: api.clientRules,
                handler: { api.respond($0) }, refused: { api.refused($0) }, quiet: { api.documents.release() },
                stalled: { logger.notice("\($0.name) took nothing of its stream and was cut off") },
                unread: { last, count in
                    let what = count == 1 ? "1 answer" : "\(count) answers"
                    logger.notice("cut off \(what) of which nothing was taken; the last was for \(last.name)")
                })
        } catch {
            throw cannotListen(error, local: socket)
        }
    }

    func start() throws {
        parts.startRadios()
        do {
            try server.start()
        } catch {
            throw failure("\(error).", .unavailable)
        }
        for note in server.notes { logger.notice("\(note)") }
        reload.nameFirstSource(settings)
        watchDisk()
        if let note = noteOnLocalGroup(socket) { logger.notice("\(note)") }
        writeToStandardOutput(welcome)
        // Before the links, whose first words they hear.
        targets.reload()
        rules.reload()
        rules.devicesChanged()
        parts.gateway.start(isService: true)
        shares?.open()
        brokers.reload()
    }

    /// Says when nothing can be stored any more, and when it can be again, and that something was lost.
    private func watchDisk() {
        let said = Mutex((isFailing: false, hasDropped: false))
        // The store holds it.
        let tell = { @Sendable [weak store = parts.store, logger] in
            guard let health = store?.health else { return }
            let fault = health.fault
            let before = said.withLock { said in
                defer { said = (fault != nil, health.droppedChanges > 0) }
                return said
            }
            if let fault {
                if !before.isFailing { logger.error("\(fault.name): \(fault.advice)", fields: ["problem": fault.name]) }
            } else if before.isFailing {
                let name = Problem.Kind.diskFailing.rawValue
                logger.notice("\(name): that is over", fields: ["problem": name])
            }
            guard health.droppedChanges > 0, !before.hasDropped else { return }
            let name = Problem.Kind.changesDropped.rawValue
            logger.warning(
                "\(name): something that was heard got lost, because the disk was too slow", fields: ["problem": name])
        }
        tell()
        parts.store.observeHealth { [problems = parts.gateway.problems, targets] in
            tell()
            problems.changed()
            targets.wake()
            Signals.wakeMainThread()
        }
    }

    /// Opens shared ports that could not be opened before, when it is time for another attempt.
    func openShares() { shares?.openIfDue() }

    /// In order: no more requests, good-bye to the radios' clients, and to the radios, everything on disk.
    func stop() {
        logger.notice("stopping")
        shares?.stop()
        parts.gateway.endQuestions()
        server.stop()
        certificateWatch?.stop()
        rules.stop()
        targets.stop()
        conversations.stop()
        brokers.stop()
        parts.stop()
        for recorder in recorders { recorder.stop() }
    }

    private var welcome: String {
        let urls = servedURLs(server.addresses, base: settings.basePath.path)
        let hasToken = (try? parts.store.read { try $0.tokens().contains { $0.revokedAt == nil } }) ?? false
        let counts = try? parts.store.read { try $0.counts(in: nil) }
        var lines = ["mesh-gateway \(MeshGateway.version)"]
        for device in settings.devices { lines.append("  radio     \(found(device))") }
        lines.append(
            "  database  \(parts.store.path)" + (counts.map { " (\($0.nodes) nodes, \($0.messages) messages)" } ?? ""))
        for url in urls { lines.append("  serving   \(url)") }
        lines.append("  try       \(commandToTry(urls, base: settings.basePath.path))")
        if !hasToken { lines.append("  no token yet; clients need one: \(Self.program) token create NAME") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// This program as it was typed: it need not be on the PATH.
    private static var program: String {
        CommandLine.arguments.first.map { $0.contains("/") ? $0 : "mesh-gateway" } ?? "mesh-gateway"
    }

    /// What there is to open, before anything is opened.
    private func found(_ device: DeviceSetting) -> String {
        switch device {
        case .path(let path): return path
        case .tcp(let host, let port): return "\(host), port \(port)"
        case .simulated(let simulation):
            let state = simulation.isFresh ? "simulated, as from the shop" : "simulated"
            return "\(state), with \(simulation.nodes) nodes behind it"
        case .automatic:
            let named = settings.devices.compactMap(\.port)
            let radios = PortScan.ports().filter { $0.kind == .radio && !named.contains($0.path) }
            return radios.isEmpty
                ? "none found yet; it is used as soon as it is plugged in (mesh-gateway ports shows what is there)"
                : radios.map { "\($0.path) (\($0.label))" }.joined(separator: ", ")
        }
    }
}

/// Where the API finds the server, which is made after it and needs it.
private final class ServerReference: Sendable {
    private struct State { weak var server: HTTPServer? }

    private let state = Mutex(State())
    var server: HTTPServer? {
        get { state.withLock { $0.server } }
        set { state.withLock { $0.server = newValue } }
    }
}

extension DeviceSetting {
    /// The port that a path names, when it is there (`realpath`).
    fileprivate var port: String? {
        if case .path(let path) = self { realPath(path) } else { nil }
    }

    /// Two paths that lead to one port.
    static func portNamedTwice(in settings: [DeviceSetting]) -> (DeviceSetting, DeviceSetting)? {
        var known: [(port: String, setting: DeviceSetting)] = []
        for setting in settings {
            guard let port = setting.port else { continue }
            if let first = known.first(where: { $0.port == port }) { return (first.setting, setting) }
            known.append((port, setting))
        }
        return nil
    }
}

extension Peer {
    /// For the log.
    fileprivate var name: String {
        switch self {
        case .tcp(let address): address
        case .unix: "a client on a Unix socket"
        case .local(_, _, let process): "process \(process)"
        }
    }
}
