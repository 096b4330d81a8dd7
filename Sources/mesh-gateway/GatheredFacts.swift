import Configuration
import ControlAPI
import Diagnostics
import Glibc
import HTTPServer
import JSON
import Notifications
import Platform
import RadioLink
import MQTTBridge
import Routes
import Rules
import Store

/// What the doctor's checks go by, gathered from where they are: the daemon, the database, the ports. None of them can hold
/// up the others for long, and none that is missing ends the run.
struct GatheredFacts {
    let facts: Facts
    /// Who knew of the radio.
    let via: String
    /// The daemon's or the database's facts as they came; nil without either.
    let diagnosis: String?

    init(_ gatewayOptions: GatewayOptions, updates: String?, _ deadline: DoctorCommand.Deadline) {
        let (settings, configuration) = Self.settings(gatewayOptions)
        let client = LocalClient(path: GatewayOptions.daemonSocket(configuration))
        let asked =
            CheckRunner.bounded(nanoseconds: deadline.forGathering) { DaemonAnswer(client, configuration) }
            ?? DaemonAnswer(daemon: .silent("it has the socket \(client.path), but says nothing"))
        var page: String?
        if case .running = asked.daemon {
            page = CheckRunner.bounded(nanoseconds: deadline.forGathering) { Self.diagnosis(client) } ?? nil
        }
        let isFromDaemon = page != nil
        let seen =
            CheckRunner.bounded(nanoseconds: deadline.forGathering) {
                DatabaseAnswer(asked.database ?? GatewayOptions.existingDatabase(configuration), isAsked: !isFromDaemon)
            } ?? DatabaseAnswer()
        page = page ?? seen.diagnosis
        via = isFromDaemon ? "daemon" : page == nil ? "host" : "database"

        let told = page.flatMap { JSONValue(Array($0.utf8), isOurs: true) }.flatMap { Diagnosis($0) }
        var database = seen.database
        if let told { Self.fill(&database, from: told) }
        // The daemon's own limit can be another one than what this command is told.
        if !isFromDaemon { database.limit = configuration.databaseSize.bytes }
        database.integrity = { seen.integrity(within: min(1_000_000_000, deadline.left - 200_000_000)) }
        let ports = CheckRunner.bounded(nanoseconds: deadline.forGathering) { Self.ports() }
        var facts = Facts(
            version: MeshGateway.version, now: WallClock.milliseconds(), user: Self.user(), settings: settings,
            daemon: asked.daemon,
            ports: ports ?? [], database: database)
        if let radios = told?.radios {
            facts.mesh = .known(radios.map(Self.radio))
            // Those that the daemon was started with.
            if isFromDaemon { facts.settings.devices = radios.compactMap(\.device) }
        } else {
            facts.mesh = .unknown(Self.reason(database))
        }
        facts.share = ShareFacts(configuration)
        facts.share.standings = told?.shares?.map { ShareFacts.Standing(place: $0.address, problem: $0.problem) }
        if !facts.share.ports.allSatisfy(\.isLoopback), isFromDaemon {
            let host = facts.host
            facts.share.announcement =
                CheckRunner.bounded(nanoseconds: deadline.forGathering) { ShareFacts.announcement(client, host) } ?? nil
        }
        Self.fillRulesAndBrokers(&facts, gatewayOptions, isFromDaemon ? client : nil, deadline)
        facts.targets.names = settings.targets
        facts.targets.toldInVain = TargetInVain.all(besideFile: gatewayOptions.read().file).map(\.sentence)
        if isFromDaemon, !settings.targets.isEmpty {
            facts.targets.failures =
                CheckRunner.bounded(nanoseconds: deadline.forGathering) { Self.failingTargets(client) } ?? nil
        }
        facts.executables = Self.executables()
        facts.newest = updates.map { Self.newest(in: $0, facts.host) }
        self.facts = facts
        diagnosis = page
    }

    /// - Parameter client: nil: there is no daemon to ask.
    private static func fillRulesAndBrokers(
        _ facts: inout Facts, _ gatewayOptions: GatewayOptions, _ client: LocalClient?,
        _ deadline: DoctorCommand.Deadline
    ) {
        let file = gatewayOptions.read().file
        facts.rules.names = (RulesFolder(besideFile: file).read().files ?? []).map(\.name)
        facts.brokers = BrokersFolder(besideFile: file).read().files.map { file in
            var facts = BrokerFacts(
                name: file.name, mistake: (file.mistakes + file.mistakesOfFiles).first.map { "\($0)" })
            facts.openSecret = file.broker?.files.first { $0.isOpenSecret }?.path
            return facts
        }
        func list(_ page: String, _ key: String) -> [JSONValue]? {
            guard let client else { return nil }
            return CheckRunner.bounded(nanoseconds: deadline.forGathering) {
                let answer = try? client.request("GET", page)
                return answer?.status == 200 ? JSONValue(answer!.body)?[key]?.array : nil
            } ?? nil
        }
        if !facts.rules.names.isEmpty {
            facts.rules.standings = list("/local/rules", "rules")?.map {
                RuleFacts.Standing(
                    name: $0["name"]?.string ?? "", isEnabled: $0["enabled"]?.bool ?? true,
                    isInForce: $0["inForce"]?.bool ?? false)
            }
        }
        guard !facts.brokers.isEmpty, let known = list("/local/mqtt", "brokers") else { return }
        for place in facts.brokers.indices {
            guard let shown = known.first(where: { $0["name"]?.string == facts.brokers[place].name }) else { continue }
            facts.brokers[place].state = shown["state"]?.string
            facts.brokers[place].reason = shown["reason"]?.string
            facts.brokers[place].isAway = shown["awaySince"]?.string != nil
            facts.brokers[place].maySubscribe = shown["maySubscribe"]?.bool
            facts.brokers[place].devices = Int(shown["devices"]?.integer ?? 0)
        }
    }

    private static func diagnosis(_ client: LocalClient) -> String? {
        guard let answer = try? client.request("GET", "/local/diagnosis"), answer.status == 200 else { return nil }
        return answer.text
    }

    private static func failingTargets(_ client: LocalClient) -> [TargetFacts.Failure]? {
        guard let answer = try? client.request("GET", "/local/targets"), answer.status == 200,
            let targets = JSONValue(answer.body)?["targets"]?.array
        else { return nil }
        return targets.filter { $0["failing"]?.bool == true }.map {
            TargetFacts.Failure(name: $0["name"]?.string ?? "", error: $0["error"]?.string ?? "it does not say why")
        }
    }

    /// The first line of a file; a "v" before it is how tags are called.
    private static func newest(in file: String, _ host: Host) -> Facts.Newest {
        guard let text = host.text(file) else { return .unreadable("\(file): \(systemMessage(errno))") }
        let line = text.split(separator: "\n").first ?? ""
        return .version(String(line.hasPrefix("v") ? line.dropFirst() : line))
    }

    private static func reason(_ database: Database) -> String {
        switch database.content {
        case .missing: "there is neither a daemon nor a database"
        case .hidden: "no daemon can be asked, and the database is not for this user"
        case .refused: "no daemon can be asked, and the database cannot be read"
        case .open: "the database gave no answer in time"
        }
    }

    // MARK: settings and user

    /// Also with a mistake in them: everything else is examined with what is built in.
    private static func settings(_ gatewayOptions: GatewayOptions) -> (Settings, Configuration) {
        let named = gatewayOptions.config ?? GatewayOptions.environment["MESH_GATEWAY_CONFIG"]
        var settings = Settings(file: named ?? Configuration.defaultFile)
        var configuration = Configuration()
        let reading = gatewayOptions.read()
        if let mistake = reading.mistakes.first {
            settings.mistake = "\(mistake)"
            settings.file = mistake.file ?? settings.file
            configuration.database = gatewayOptions.database
            configuration.socket = gatewayOptions.socket
        } else {
            configuration = reading.configuration
        }
        if ServiceUser.found != nil, reading.file == Configuration.defaultFile {
            settings.closedToService = ServiceUser.closed(among: [reading.file] + reading.dropIns).first
        }
        settings.devices = configuration.devices.map { "\($0)" }
        settings.ports = configuration.listen.compactMap(\.port)
        settings.certificate = certificate(configuration)
        let rules = RulesFolder(besideFile: reading.file).read()
        settings.ruleMistakes = (rules.mistakes + (rules.files ?? []).flatMap(\.mistakes)).map { "\($0)" }
        let targets = TargetsFolder(besideFile: reading.file).read()
        settings.targetMistakes = (targets.mistakes + (targets.files ?? []).flatMap(\.mistakes)).map { "\($0)" }
        settings.targets = (targets.files ?? []).filter { $0.target != nil }.map(\.name)
        let brokers = BrokersFolder(besideFile: reading.file).read()
        settings.brokerMistakes = (brokers.mistakes + brokers.files.flatMap { $0.mistakes + $0.mistakesOfFiles }).map {
            "\($0)"
        }
        if settings.brokerMistakes.isEmpty, brokers.files.contains(where: { $0.broker != nil }) {
            settings.brokerMistakes = RunningBrokers.missingLibrary.map { ["\($0)"] } ?? []
        }
        return (settings, configuration)
    }

    private static func certificate(_ configuration: Configuration) -> CertificateFacts? {
        guard let files = CertificateFiles(configuration) else { return nil }
        var facts = CertificateFacts(path: files.certificate, key: files.key)
        facts.isKeyOpenToAll = files.isKeyOpenToAll
        do {
            let validity = try ServerCertificate(files).validity
            facts.validity = validity.lowerBound * 1000...validity.upperBound * 1000
            if let user = ServiceUser.found, geteuid() != user.id {
                facts.closedToService =
                    [files.certificate, files.key]
                    .compactMap { ConfigWarning.closed(onTheWayTo: $0)?.path }.first
            }
        } catch  where error.isForbidden {
            facts.isHidden = true
        } catch {
            facts.mistake = "\(error)"
        }
        return facts
    }

    private static func user() -> User {
        var user = User(name: ownUserName(), isRoot: geteuid() == 0)
        user.groups = ownGroups()
        if let account = UserAccount(id: geteuid()) { user.groupsAfterLogin = account.groups() }
        return user
    }

    /// As a shell would find them, and where people put their own.
    private static func executables() -> Executables {
        let home = GatewayOptions.environment["HOME"].map { ["\($0)/bin", "\($0)/.local/bin"] } ?? []
        let folders = (GatewayOptions.environment["PATH"] ?? "").split(separator: ":").map(String.init) + home
        var found: [String] = []
        for folder in folders + ["/usr/local/bin", "/usr/bin"] where folder.hasPrefix("/") {
            guard let path = realPath("\(folder)/mesh-gateway"), access(path, X_OK) == 0 else { continue }
            if !found.contains(path) { found.append(path) }
        }
        return Executables(own: Host().executable(of: getpid()), found: found)
    }

    // MARK: ports

    private static func ports() -> [PortFacts] {
        PortScan.ports().map { found in
            var port = PortFacts(path: found.path, stablePath: found.stablePath, label: found.label)
            port.kind = found.kind == .radio ? .radio : found.kind == .bridge ? .bridge : .other
            var status = stat()
            if stat(found.path, &status) == 0 {
                port.group = status.st_gid
                port.groupName = groupName(status.st_gid)
                port.device = "\(major(status.st_rdev)):\(minor(status.st_rdev))"
            }
            port.isPermitted = access(found.path, R_OK | W_OK) == 0
            port.holder = PortHolder.holder(of: found.path).map { Host.Process(id: $0.process, name: $0.name) }
            return port
        }
    }

    // MARK: what a page tells

    private static func fill(_ database: inout Database, from told: Diagnosis) {
        database.used = told.database.usedBytes
        database.limit = told.database.limitBytes
        database.journalMode = told.database.journalMode
        database.failingSince = told.database.failingSince
        database.lastError = told.database.lastError
        database.lastErrorAt = told.database.lastErrorAt
        database.droppedChanges = told.database.droppedChanges
        database.tokens = Database.Tokens(
            active: told.tokens.active, expired: told.tokens.expired, nextName: told.tokens.nextName,
            nextExpiry: told.tokens.nextExpiry)
    }

    private static func radio(_ told: Diagnosis.Radio) -> RadioFacts {
        var radio = RadioFacts(device: told.device ?? "?")
        radio.nodeID = told.nodeID
        radio.link = told.state
        radio.since = told.since
        radio.problems = told.problems.map { RadioFacts.Problem(name: $0.name, advice: $0.advice) }
        radio.traffic = told.traffic.map {
            RadioFacts.Traffic(bytes: $0.bytes, text: $0.textBytes, garbage: $0.garbageBytes)
        }
        radio.firmware = told.firmware
        radio.region = told.region
        radio.regionName = told.regionName
        radio.isTransmitterOff = told.isTransmitterOff
        radio.lastPacket = told.lastPacket
        radio.clockAhead = told.clockAhead
        radio.isClockUnset = told.isClockUnset ?? false
        radio.channelUtilization = told.channelUtilization
        radio.airUtilization = told.airUtilization
        radio.utilizationAt = told.utilizationAt
        radio.isStoreForwardServer = told.isStoreForwardServer
        func nodes(_ nodes: Diagnosis.Nodes) -> RadioFacts.Nodes { RadioFacts.Nodes(nodes.ids, count: nodes.count) }
        radio.weakKeys = nodes(told.weakKeys)
        radio.isOwnKeyWeak = told.isOwnKeyWeak
        radio.sharedKeys = nodes(told.sharedKeys)
        radio.isOwnKeyShared = told.isOwnKeyShared
        radio.doubtedKeys = nodes(told.doubtedKeys)
        radio.missingFavorites = nodes(told.missingFavorites)
        radio.renumberedNodes = nodes(told.renumberedNodes)
        radio.quietNodes = nodes(told.quietNodes)
        radio.heardNodes = told.heardNodes
        radio.outbox = told.outbox.count
        radio.held = told.outbox.held
        radio.oldestInOutbox = told.outbox.oldest
        return radio
    }
}

/// What the daemon says when it is asked who it is: nothing of that needs the disk.
private struct DaemonAnswer: Sendable {
    var daemon = Daemon.absent
    /// The path of its database.
    var database: String?

    init(daemon: Daemon) { self.daemon = daemon }

    init(_ client: LocalClient, _ configuration: Configuration) {
        do throws(LocalClient.Problem) {
            let answer = try client.request("GET", "/local/database")
            if answer.status == 403 { throw .noPermission }
            let data = JSONValue(answer.body)?["data"]
            // A daemon with another database than the one that is named is not the one that is meant.
            if let named = configuration.database, data?["path"]?.string != realPath(named) { return }
            database = data?["path"]?.string
            let process = JSONValue(try client.request("GET", "/local/daemon").body)
            daemon = .running(
                version: data?["version"]?.string ?? "?", process: Int32(process?["pid"]?.integer ?? 0),
                uptime: process?["uptime"]?.integer ?? 0,
                listeners: (process?["listeners"]?.array ?? []).compactMap(\.string))
        } catch {
            switch error {
            case .notRunning: break
            case .noPermission: daemon = .closed(client.path)
            case .broken(let reason): daemon = .silent(reason)
            }
        }
    }
}

/// The database as this user finds it.
private struct DatabaseAnswer: Sendable {
    var database = Database()
    private var store: ReadOnlyStore?
    var diagnosis: String?

    /// It gave no answer.
    init() { database.content = .refused("the disk of the database does not answer") }

    /// - Parameter isAsked: for the facts that the daemon has not told.
    init(_ path: String?, isAsked: Bool) {
        let place = path ?? Paths.databaseCandidates(GatewayOptions.environment).last ?? "/var/lib"
        database.path = path
        database.disk = { diskSpace(at: place) }
        guard let path else { return }
        do throws(StoreError) {
            let store = try Store.openReadOnly(path: path)
            database.content = .open
            self.store = store
            if isAsked { diagnosis = try? ControlAPI.page("/local/diagnosis", from: store).answer.text }
        } catch {
            switch error {
            case .missing: database.content = .missing
            case .permissionDenied: database.content = .hidden
            default: database.content = .refused("\(error)")
            }
        }
    }

    func integrity(within nanoseconds: UInt64) -> Database.Integrity {
        guard let store else { return .unknown("it is not open") }
        do {
            let report = try store.integrity(within: nanoseconds)
            return report.damages.isEmpty
                ? .checked(tables: report.checkedTables, of: report.tables) : .damaged(report.damages)
        } catch {
            return .unknown("\(error)")
        }
    }
}

/// statvfs(3) and stat(2); of the nearest folder while there is no file yet.
private func diskSpace(at path: String) -> Database.Disk? {
    var system = statvfs()
    var status = stat()
    var place = path
    while access(place, F_OK) != 0, place.count > 1 { place = GatewayOptions.folder(of: place) }
    guard statvfs(place, &system) == 0, stat(place, &status) == 0 else { return nil }
    let block = UInt64(system.f_frsize)
    return Database.Disk(
        free: UInt64(system.f_bavail) * block, size: UInt64(system.f_blocks) * block,
        freeFiles: UInt64(system.f_favail), files: UInt64(system.f_files),
        isReadOnly: system.f_flag & UInt(ST_RDONLY) != 0,
        device: "\(major(status.st_dev)):\(minor(status.st_dev))")
}

/// major(3) and minor(3), which are macros.
private func major(_ device: dev_t) -> UInt64 { UInt64(device) >> 8 & 0xFFF | UInt64(device) >> 32 & ~0xFFF }
private func minor(_ device: dev_t) -> UInt64 { UInt64(device) & 0xFF | UInt64(device) >> 12 & ~0xFF }
