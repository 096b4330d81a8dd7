import Folders
import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store

// The brokers of a service, each on its own thread. Without a broker there is no thread, no library, no listener and no row.

public final class RunningBrokers: Sendable {
    /// The folder's contents when it was last read, and what keeps brokers in force from being connected to.
    public struct State: Sendable {
        public var folder = FolderOfFiles<BrokerFile>()
        /// Why the library could not be loaded; nil if it is loaded or not needed.
        public var missing: MissingLibrary?
        /// Why those are not connected to that are in force without a thread, by name.
        public var obstacles: [String: Obstacle] = [:]

        public var files: [BrokerFile] { folder.files }
        public var mistakesOfFolder: [Mistake] { folder.mistakesOfFolder }
    }

    public let folder: BrokersFolder
    private let gateway: Gateway
    private let facts: @Sendable () -> GatewayFacts
    private let logger: Logger
    private let state = Monitor(All())
    private let isTesting = Monitor(false)
    /// One reload after the other.
    private let turn = Monitor(())
    private let absence: Int64
    private let program: BrokerProgram

    private struct All: Sendable {
        var state = State()
        /// Called when brokers have come into force or left it.
        var followers: [@Sendable () -> Void] = []
        var running: [BrokerAtWork] = []
        /// They say goodbye, or are cleared when they come back.
        var leaving: [BrokerAtWork] = []
        var isStopping = false
    }

    /// How long a broker may be away before that is a problem, in milliseconds.
    public static let usualAbsence: Int64 = 600_000

    /// - Parameters:
    ///   - facts: the gateway's own facts; called on the brokers' threads.
    ///   - absence: how long a broker may be away before that is a problem, in milliseconds.
    ///   - program: what serves the connections, each in a process of its own.
    public init(
        _ gateway: Gateway, folder: BrokersFolder, absence: Int64 = usualAbsence, program: BrokerProgram = .own,
        facts: @escaping @Sendable () -> GatewayFacts, logger: Logger
    ) {
        (self.gateway, self.folder, self.facts, self.logger) = (gateway, folder, facts, logger)
        (self.absence, self.program) = (absence, program)
        gateway.problems.follow { [weak self] in self?.factsChanged() }
    }

    /// Why no broker can be connected to; nil if a process of this program could load the library.
    public static var missingLibrary: MissingLibrary? { BrokerConnection.missingLibrary(.own) }

    public var current: State { state.withLock { $0.state } }

    /// How each broker in use is doing, by name.
    public var reports: [BrokerStatus] { state.withLock { $0.running }.map(\.status) }

    /// Reads the folder again and applies what it says.
    @discardableResult
    public func reload() -> FolderChanges {
        let reading = folder.read()
        say(reading)
        return apply(reading)
    }

    /// Logs what is wrong in the folder.
    public func say(_ reading: FolderReading<BrokerFile>) {
        for mistake in current.folder.taking(reading).allMistakes {
            logger.warning(
                "\(Problem.Kind.brokerBroken): \(mistake)", fields: ["problem": Problem.Kind.brokerBroken.rawValue])
        }
    }

    /// Connects to new brokers, clears and leaves those that are gone, reconnects to changed ones and to those that have refused us.
    /// A broker whose file is broken stays as it was. Returns at once, whatever a broker does.
    ///
    /// - Returns: what has changed, which is logged.
    public func apply(_ reading: FolderReading<BrokerFile>) -> FolderChanges {
        let changes = turn.withLock { _ in
            let changes = state.withLock { $0.state.folder.take(reading) }
            bringIntoForce()
            return changes
        }
        if !changes.isEmpty { logger.notice("brokers: \(changes)") }
        // Each may show what is wrong with another.
        gateway.problems.changed()
        for follower in state.withLock({ $0.followers }) { follower() }
        return changes
    }

    /// - Parameter follower: called when the folder was read, on any thread; must return at once.
    func follow(_ follower: @escaping @Sendable () -> Void) { state.withLock { $0.followers.append(follower) } }

    private func bringIntoForce() {
        let all = state.withLock { $0 }
        guard !all.isStopping else { return }
        let wanted = all.state.folder.inForce
        var (kept, leaving): ([BrokerAtWork], [BrokerAtWork]) = ([], all.leaving.filter { !$0.hasEnded })
        // Including what was acknowledged a moment ago.
        lazy var remembered = try? gateway.store.read { try $0.knownBrokers() }
        for one in all.running {
            let next = wanted.first { $0.name == one.broker.name }
            // What has refused us, or has ended, is tried again: the password or the broker may have been mended.
            guard next != one.broker || [.refused, .stopped].contains(one.mailbox.report.state) else {
                kept.append(one)
                continue
            }
            // One that does not count, because there are too many, was not removed.
            let isThere = next == nil && access(one.broker.path, F_OK) == 0
            // A broker without `home-assistant` has our status alone.
            let mayShow = { one.mailbox.report.connections > 0 || remembered?.contains(one.broker.name) ?? true }
            leave(one, isForGood: !isThere && one.broker.isElsewhere(than: next) && mayShow())
            leaving.append(one)
        }
        // So many are waited for; what the others show has to be taken away by hand, which is said.
        for one in leaving.dropLast(BrokerFile.kind.limit) { one.hurry() }
        let (started, obstacles) = startNew(wanted, beside: kept, leaving)
        // By name.
        let running = wanted.compactMap { broker in (kept + started).first { $0.broker == broker } }
        state.withLock { ($0.running, $0.leaving, $0.state.obstacles) = (running, leaving, obstacles) }
    }

    /// Starts those that are not there yet, each behind the ones that it takes the place of.
    private func startNew(
        _ wanted: [Broker], beside kept: [BrokerAtWork], _ leaving: [BrokerAtWork]
    ) -> (started: [BrokerAtWork], obstacles: [String: Obstacle]) {
        let library = LibraryCheck(program) { [weak self, logger] missing in
            logger.error("\(missing)")
            self?.state.withLock { $0.state.missing = missing }
            self?.gateway.problems.changed()
        }
        var (started, obstacles): ([BrokerAtWork], [String: Obstacle]) = ([], [:])
        state.withLock { $0.state.missing = nil }
        for broker in wanted where !kept.contains(where: { $0.broker == broker }) {
            let rivals = leaving.filter { $0.broker.isSame(as: broker) || $0.broker.name == broker.name }
            do throws(Obstacle) {
                started.append(try start(broker, after: rivals, library))
            } catch {
                obstacles[broker.name] = error
                logger.error("the broker \(broker.name) is not connected to: \(error.text)")
            }
        }
        return (started, obstacles)
    }

    private func start(
        _ broker: Broker, after rivals: [BrokerAtWork], _ library: LibraryCheck
    ) throws(Obstacle) -> BrokerAtWork {
        guard let mailbox = BrokerMailbox(changed: { [weak self] in self?.gateway.problems.changed() }) else {
            throw .lacking("the system has no descriptor for it")
        }
        let around = BrokerAtWork.Surroundings(
            gateway: gateway, facts: facts, program: program, absence: absence,
            logger: logger)
        let started = BrokerAtWork(broker, mailbox, around)
        guard started.start(after: rivals, missing: { library.missing }) else {
            throw .lacking("the system has no thread for it")
        }
        return started
    }

    private func leave(_ one: BrokerAtWork, isForGood: Bool) {
        let isLive = one.mailbox.report.state == .live
        one.leave(isForGood: isForGood)
        guard isForGood else { return }
        // Much is taken away slowly, so that its readers can follow.
        let time = isLive ? "now" : "when that broker is there again"
        logger.notice("what was shown at \(one.broker.address) is taken away \(time)")
    }

    /// Says goodbye to all brokers, which takes some seconds at most.
    public func stop() {
        let all = turn.withLock { _ in
            state.withLock { all in
                defer { (all.running, all.leaving, all.isStopping) = ([], [], true) }
                return all.running + all.leaving
            }
        }
        for one in all { one.hurry() }
        for one in all { one.join() }
    }

    /// Publishes everything at a broker again, including what a person has deleted there.
    ///
    /// - Returns: false if no broker of this name is in use.
    public func refresh(_ name: String) -> Bool {
        guard let one = state.withLock({ $0.running.first { $0.broker.name == name } }) else { return false }
        one.note { $0.isRefreshWanted = true }
        return true
    }

    /// Has the brokers' threads read the gateway's facts again, because a problem began or ended.
    public func factsChanged() {
        for one in state.withLock({ $0.running }) { one.note { $0.areFactsNew = true } }
    }

    /// Opens a second connection to a broker beside the one in use. Blocks for up to ``BrokerTrial/longest`` seconds.
    ///
    /// - Parameter version: of this program.
    /// - Returns: nil if another test is under way, or there is no such broker.
    public func test(_ name: String, version: String) -> TrialReport? {
        guard let broker = current.folder.inForce(name),
            isTesting.withLock({ isTesting in
                defer { isTesting = true }
                return !isTesting
            })
        else { return nil }
        defer { isTesting.withLock { $0 = false } }
        var report = TrialReport()
        do {
            let names = TopicNames(gateway: try gateway.nameAtBrokers(), prefix: broker.prefix)
            report = BrokerTrial.run(broker, names, by: program)
            var mesh = ShownMesh(broker.homeAssistant, broker.speech)
            let (now, gateway) = (WallClock.milliseconds(), gateway)
            let devices = try gateway.store.readCommitted { reader in
                let counts = try GatewayCounts(reader, at: now)
                return try mesh.load(reader, at: now).changed + [.gateway(facts(), counts, broker.speech, at: now)]
            }
            if broker.homeAssistant != nil { report.add(devices, names, version: version) }
        } catch {
            report.reason = "\(error)"
        }
        return report
    }
}

/// A broker in use, and how it is doing.
public struct BrokerStatus: Sendable {
    public let broker: Broker
    public let report: BrokerReport
    /// How many devices are published for Home Assistant.
    public let devices: Int
    /// Objects of devices that a person has deleted there.
    public let deleted: [String]
    /// The channels whose texts Home Assistant hears.
    public let texts: [ShownChannel]
    /// Commands that were obeyed and refused, since the broker came into force.
    public let commands: Int
    public let commandsRefused: Int

    /// A channel that the broker's file names.
    public struct ShownChannel: Hashable, Sendable {
        /// As the file has it.
        public let name: String
        /// nil if no channel has the name now.
        public let index: Int?
    }
}

extension Broker {
    /// Whether nothing that was published through this broker is visible through the other.
    fileprivate func isElsewhere(than other: Broker?) -> Bool {
        guard let other else { return true }
        return host != other.host || port != other.port || prefix != other.prefix
    }
}
