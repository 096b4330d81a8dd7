import Configuration
import ControlAPI
import Diagnostics
import Folders
import Glibc
import HTTPServer
import JSON
import Notifications
import Platform
import RadioLink
import MQTTBridge
import MeshModel
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
        let reading = gatewayOptions.read()
        let (settings, configuration) = Self.settings(gatewayOptions, reading)
        let client = LocalClient(path: GatewayOptions.daemonSocket(configuration))
        let asked =
            CheckRunner.bounded(nanoseconds: deadline.forGathering) { DaemonAnswer(client, configuration) }
            ?? DaemonAnswer(daemon: .silent("it has the socket \(client.path), but says nothing"))
        let daemon = DaemonPages(client: client, deadline: deadline)
        let told = asked.daemon.isRunning ? daemon.page("/local/diagnosis") : nil
        let isFromDaemon = told != nil
        let seen =
            CheckRunner.bounded(nanoseconds: deadline.forGathering) {
                DatabaseAnswer(asked.database ?? GatewayOptions.existingDatabase(configuration), isAsked: !isFromDaemon)
            } ?? DatabaseAnswer()
        let ports = CheckRunner.bounded(nanoseconds: deadline.forGathering) { Self.ports() }
        var facts = Facts(
            version: MeshGateway.version, now: WallClock.milliseconds(), daemon: asked.daemon, ports: ports ?? [],
            mesh: .unknown(Self.reason(seen.database)), database: seen.database)
        (facts.user.name, facts.user.isRoot, facts.user.groups) = (ownUserName(), geteuid() == 0, ownGroups())
        facts.user.groupsAfterLogin = UserAccount(id: geteuid())?.groups() ?? []
        facts.settings = settings
        diagnosis = told.map { String(decoding: $0, as: UTF8.self) } ?? seen.diagnosis
        via = isFromDaemon ? "daemon" : diagnosis == nil ? "host" : "database"
        if let page = diagnosis.flatMap({ JSONValue(Array($0.utf8), isOurs: true) }), facts.read(page), isFromDaemon {
            // Those that the daemon was started with.
            if case .known(let radios) = facts.mesh { facts.settings.devices = radios.compactMap(\.device) }
        }
        // The daemon's own limit can be another one than what this command is told.
        if !isFromDaemon { facts.database.limit = configuration.databaseSize.bytes }
        facts.database.integrity = { seen.integrity(within: min(1_000_000_000, deadline.left - 200_000_000)) }
        facts.share.configure(configuration)
        Self.readFolders(&facts, besideFile: reading.file)
        if isFromDaemon { Self.ask(daemon, &facts) }
        facts.executables = Self.executables()
        facts.newest = updates.map { Self.newest(in: $0, facts.host) }
        self.facts = facts
    }

    /// The files of rules, targets and brokers.
    private static func readFolders(_ facts: inout Facts, besideFile file: String) {
        let rules = RulesFolder(besideFile: file).read()
        facts.rules.names = (rules.files ?? []).map(\.name)
        facts.settings.ruleMistakes = rules.allMistakes.map { "\($0)" }
        let targets = TargetsFolder(besideFile: file).read()
        facts.targets.names = (targets.files ?? []).filter { $0.target != nil }.map(\.name)
        facts.targets.toldInVain = TargetInVain.all(besideFile: file).map(\.sentence)
        facts.settings.targetMistakes = targets.allMistakes.map { "\($0)" }
        let brokers = BrokersFolder(besideFile: file).read()
        let files = brokers.files ?? []
        facts.brokers = files.map { file in
            var facts = BrokerFacts(
                name: file.name, mistake: (file.mistakes + file.mistakesOfFiles).first.map { "\($0)" })
            facts.openSecret = file.broker?.files.first { $0.isOpenSecret }?.path
            return facts
        }
        let mistakes = brokers.mistakes + files.flatMap { $0.mistakes + $0.mistakesOfFiles }
        facts.settings.brokerMistakes = mistakes.map { "\($0)" }
        if mistakes.isEmpty, files.contains(where: { $0.broker != nil }) {
            facts.settings.brokerMistakes = RunningBrokers.missingLibrary.map { ["\($0)"] } ?? []
        }
    }

    /// What the daemon knows of that which is configured.
    private static func ask(_ daemon: DaemonPages, _ facts: inout Facts) {
        if !facts.share.ports.allSatisfy(\.isLoopback) {
            facts.share.compare(announced: daemon.list("sources", of: "/local/status"), facts.host)
        }
        if !facts.rules.names.isEmpty {
            facts.rules.standings = daemon.list("rules", of: "/local/rules")?.map {
                RuleFacts.Standing(
                    name: $0["name"]?.string ?? "", isEnabled: $0["enabled"]?.bool ?? true,
                    isInForce: $0["inForce"]?.bool ?? false, sent: Int($0["acts"]?["sent"]?.integer ?? 0),
                    skipped: Int($0["acts"]?["skipped"]?.integer ?? 0))
            }
        }
        if !facts.targets.names.isEmpty {
            let failing = daemon.list("targets", of: "/local/targets")?.filter { $0["failing"]?.bool == true }
            facts.targets.failures = failing?.map {
                TargetFacts.Failure(name: $0["name"]?.string ?? "", error: $0["error"]?.string ?? "it does not say why")
            }
        }
        facts.pushes.count = daemon.list("registrations", of: "/local/push/registrations")?.count
        if facts.pushes.count ?? 0 > 0 {
            let failing = daemon.list("problems", of: "/local/status")?
                .first { $0["name"]?.string == Problem.Kind.pushFailing.rawValue }
            facts.pushes.failing = failing.map {
                Problem(.pushFailing, $0["advice"]?.string ?? "", command: $0["command"]?.string)
            }
        }
        guard !facts.brokers.isEmpty, let known = daemon.list("brokers", of: "/local/mqtt") else { return }
        for place in facts.brokers.indices {
            guard let shown = known.first(where: { $0["name"]?.string == facts.brokers[place].name }) else { continue }
            facts.brokers[place].state = shown["state"]?.string
            facts.brokers[place].reason = shown["reason"]?.string
            facts.brokers[place].isAway = shown["awaySince"]?.string != nil
            facts.brokers[place].maySubscribe = shown["maySubscribe"]?.bool
            facts.brokers[place].devices = Int(shown["devices"]?.integer ?? 0)
        }
        for shown in daemon.list("conversations", of: "/local/mqtt/conversations") ?? [] {
            guard let place = facts.brokers.firstIndex(where: { $0.name == shown["broker"]?.string }) else { continue }
            let (stop, warnings) = (shown["bridge"]?["reason"]?.string, shown["bridge"]?["warnings"]?.array ?? [])
            // One that is stopped says more than a warning of another one.
            let isNews = stop != nil || facts.brokers[place].bridge?.isStopped != true
            if isNews, let text = stop ?? warnings.first?.string {
                facts.brokers[place].bridge = BrokerFacts.Bridge(
                    name: shown["name"]?.string ?? "", text: text, isStopped: stop != nil)
            }
            let state = shown["connection"]?["state"]?.string.flatMap {
                BrokerConversation.Connection.State(rawValue: $0)
            }
            guard let state, [.refused, .flooded].contains(state) else { continue }
            facts.brokers[place].conversations.append(
                BrokerFacts.Conversation(
                    name: shown["name"]?.string ?? "", state: state, reason: shown["connection"]?["reason"]?.string))
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

    /// Also with a mistake in them: everything else is examined with what is built in.
    private static func settings(_ typed: GatewayOptions, _ read: Configuration.Reading) -> (Settings, Configuration) {
        let mistake = read.mistakes.first
        var settings = Settings(file: mistake?.file ?? read.file, mistake: mistake.map { "\($0)" })
        var configuration = mistake == nil ? read.configuration : Configuration()
        if mistake != nil { (configuration.database, configuration.socket) = (typed.database, typed.socket) }
        if ServiceUser.found != nil, read.file == Configuration.defaultFile {
            settings.closedToService = ServiceUser.closed(among: [read.file] + read.dropIns).first
        }
        settings.devices = configuration.devices.map { "\($0)" }
        settings.ports = configuration.listen.compactMap(\.port)
        settings.certificate = certificate(configuration)
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
                let places = [files.certificate, files.key]
                facts.closedToService = places.compactMap { ConfigWarning.closed(onTheWayTo: $0)?.path }.first
            }
        } catch  where error.isForbidden {
            facts.isHidden = true
        } catch {
            facts.mistake = "\(error)"
        }
        return facts
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
}

/// What the daemon shows of itself.
private struct DaemonPages {
    let client: LocalClient
    let deadline: DoctorCommand.Deadline

    /// Nil: it has not given the page in time.
    func page(_ path: String) -> [UInt8]? {
        CheckRunner.bounded(nanoseconds: deadline.forGathering) {
            let answer = try? client.request("GET", path)
            return answer?.status == 200 ? answer?.body : nil
        } ?? nil
    }

    func list(_ name: String, of path: String) -> [JSONValue]? {
        page(path).flatMap { JSONValue($0, isOurs: true) }?[name]?.array
    }
}

/// What the daemon says when it is asked who it is: nothing of that needs the disk.
private struct DaemonAnswer: Sendable {
    var daemon = Daemon.absent
    /// The path of its database.
    var database: String?

    init(daemon: Daemon) { self.daemon = daemon }

    init(_ client: LocalClient, _ configuration: Configuration) {
        do throws(LocalClient.NoAnswer) {
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
