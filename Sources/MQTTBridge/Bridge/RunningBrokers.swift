import Configuration
import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store

// The brokers of a service, each on its own thread. Without a broker there is no thread, no library, no listener and no row.

public final class RunningBrokers: Sendable {
    /// What the last read of the folder found.
    public struct State: Sendable {
        public var files: [BrokerFile] = []
        public var mistakesOfFolder: [BrokerMistake] = []
        /// Why the library could not be loaded; nil if it is loaded or not needed.
        public var missing: MissingLibrary?
    }

    /// A broker in use.
    private struct Running: Sendable {
        let broker: Broker
        let mailbox: BrokerMailbox
        let notes: Monitor<HomeBridge.Notes>
        let listener: ChangeListener
        let shown: Monitor<ShownPlan>
        let thread: Thread
    }

    /// What is shown of a plan.
    struct ShownPlan: Sendable {
        var published = 0
        var deleted: [DeviceID] = []
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
        var running: [Running] = []
        /// Brokers that are no longer configured and were away: they are cleared when they come back.
        var leaving: [Running] = []
        /// The folder was read before.
        var wasRead = false
    }

    /// How long a broker may be away before that is a problem, in milliseconds.
    public static let usualAbsence: Int64 = 600_000
    /// How long a reload waits for a broker to be cleared, in milliseconds.
    private static let clearingTime: Int64 = 3_000

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
    public var reports: [BrokerStatus] {
        state.withLock { $0.running }.map { running in
            let shown = running.shown.withLock { $0 }
            return BrokerStatus(
                broker: running.broker, report: running.mailbox.report, devices: shown.published,
                deleted: shown.deleted.map(\.object))
        }
    }

    /// Reads the folder again: connects to new brokers, clears and leaves those that are gone, and reconnects to changed ones.
    /// A file with a mistake disables only its own broker.
    ///
    /// - Returns: what has changed in the files, which is logged.
    @discardableResult
    public func reload() -> FolderChanges {
        let changes = turn.withLock { _ in readAgain() }
        // A file may have been broken or repaired.
        gateway.problems.changed()
        return changes
    }

    private func readAgain() -> FolderChanges {
        let (files, mistakes) = folder.read()
        for mistake in mistakes + files.flatMap(\.mistakes) {
            logger.warning("broker-broken: \(mistake)", fields: ["problem": "broker-broken"])
        }
        // A folder that cannot be read does not mean that the brokers were removed.
        if files.isEmpty, !mistakes.isEmpty {
            state.withLock { $0.state.mistakesOfFolder = mistakes }
            return FolderChanges(from: [(String, Broker)](), to: [])
        }
        let wanted = files.compactMap(\.broker)
        let before = state.withLock { $0.running }
        var kept: [Running] = []
        for running in before {
            let next = wanted.first { $0.name == running.broker.name }
            // What has refused us, or has ended, is tried again: the password or the broker may have been mended.
            guard next != running.broker || [.refused, .stopped].contains(running.mailbox.report.state) else {
                kept.append(running)
                continue
            }
            // A file that is there but has no valid broker does not mean that the broker was removed.
            let isBroken = next == nil && access(running.broker.path, F_OK) == 0
            end(running, isForGood: !isBroken && running.broker.isElsewhere(than: next), next: next)
        }
        let new = wanted.filter { broker in !kept.contains { $0.broker == broker } }
        let missing = new.isEmpty ? nil : BrokerConnection.missingLibrary(program)
        for broker in new where missing == nil {
            if let running = start(broker) { kept.append(running) }
        }
        if let missing { logger.error("\(missing)") }
        let changes = state.withLock { all in
            let known = all.state.files.compactMap(\.broker).map { ($0.name, $0) }
            defer { all.wasRead = true }
            (all.state, all.running) = (State(files: files, mistakesOfFolder: mistakes, missing: missing), kept)
            // One whose file is broken now is said to be so.
            let named = files.compactMap { file in
                (file.broker ?? known.first { $0.0 == file.name }?.1).map { (file.name, $0) }
            }
            return FolderChanges(from: known, to: named, isFirst: !all.wasRead)
        }
        if !changes.isEmpty { logger.notice("brokers: \(changes)") }
        return changes
    }

    /// Says goodbye to all brokers.
    public func stop() {
        let (running, leaving) = state.withLock { all in
            defer { (all.running, all.leaving) = ([], []) }
            return (all.running, all.leaving)
        }
        for one in running + leaving { one.mailbox.stop(isForGood: false) }
        for one in running { one.thread.join() }
        for one in leaving { giveUp(one) }
    }

    /// Publishes everything at a broker again, including what a person has deleted there.
    ///
    /// - Returns: false if no broker of this name is in use.
    public func refresh(_ name: String) -> Bool {
        guard let running = state.withLock({ $0.running.first { $0.broker.name == name } }) else { return false }
        running.notes.withLock { $0.isRefreshWanted = true }
        running.mailbox.wakes.signal()
        return true
    }

    /// Opens a second connection to a broker beside the one in use. Blocks for up to ``BrokerTrial/longest`` seconds.
    ///
    /// - Parameter version: of this program.
    /// - Returns: nil if another test is under way, or there is no such broker.
    public func test(_ name: String, version: String) -> TrialReport? {
        guard let broker = current.files.compactMap(\.broker).first(where: { $0.name == name }),
            isTesting.withLock({ isTesting in
                defer { isTesting = true }
                return !isTesting
            })
        else { return nil }
        defer { isTesting.withLock { $0 = false } }
        var report = TrialReport()
        do {
            let names = TopicNames(gateway: try gatewayName(), prefix: broker.prefix)
            report = BrokerTrial.run(broker, names, by: program)
            var mesh = ShownMesh(broker.homeAssistant)
            let (now, gateway) = (WallClock.milliseconds(), gateway)
            let devices = try gateway.store.readCommitted { reader in
                let counts = try GatewayCounts(reader, at: now)
                return try mesh.load(reader, at: now).changed + [.gateway(facts(), counts, at: now)]
            }
            if broker.homeAssistant != nil { report.add(devices, names, version: version) }
        } catch {
            report.reason = "\(error)"
        }
        return report
    }

    private func gatewayName() throws -> String {
        // On a full disk it can be read, but not written.
        if let known = try gateway.store.readCommitted({ try $0.brokerGateway() }) { return known }
        return try gateway.store.commit { writer in try writer.brokerGateway { String(randomUUID().prefix(8)) } }
    }

    /// Has the brokers' threads read the gateway's facts again, because a problem began or ended.
    public func factsChanged() {
        for running in state.withLock({ $0.running }) {
            running.notes.withLock { $0.areFactsNew = true }
            running.mailbox.wakes.signal()
        }
    }

    private func start(_ broker: Broker) -> Running? {
        // A connection that is still leaving would have the same client id.
        for one in takeLeaving(where: { $0.broker.host == broker.host && $0.broker.port == broker.port }) {
            one.mailbox.stop(isForGood: false)
            one.thread.join()
        }
        let mailbox = BrokerMailbox { [problems = gateway.problems] in problems.changed() }
        guard let mailbox else {
            logger.error("the broker \(broker.name) has no descriptor left: \(errorText(ENFILE))")
            return nil
        }
        let (notes, shown) = (Monitor(HomeBridge.Notes()), Monitor(ShownPlan()))
        do {
            let names = TopicNames(gateway: try gatewayName(), prefix: broker.prefix)
            let listener = gateway.changes(of: broker.homeAssistant == nil ? [] : HomeBridge.kinds) {
                notes.withLock { $0.isWoken = true }
                // Not needed before: a new connection reads everything.
                if mailbox.report.state == .live { mailbox.wakes.signal() }
            }
            let (gateway, facts, program, absence, logger) = (gateway, facts, program, absence, logger)
            let thread = Thread.start(named: "mqtt \(broker.name)", stackBytes: 512 << 10) {
                do {
                    let bridge = try HomeBridge(
                        broker, names, gateway: gateway, facts: facts, notes: notes, logger: logger,
                        showPlan: { plan in
                            shown.withLock { $0 = ShownPlan(published: plan.published, deleted: plan.deleted) }
                        })
                    BrokerLoop(
                        broker, names, user: bridge, mailbox: mailbox, by: program, absence: absence, logger: logger
                    ).run()
                } catch {
                    mailbox.update { ($0.state, $0.reason) = (.stopped, "what is remembered of it cannot be read") }
                    logger.error("the broker \(broker.name) is not connected to: \(error)")
                }
            }
            guard let thread else {
                logger.error("the broker \(broker.name) is not connected to: there is no thread for it")
                return nil
            }
            return Running(
                broker: broker, mailbox: mailbox, notes: notes, listener: listener, shown: shown, thread: thread)
        } catch {
            logger.error("the broker \(broker.name) is not connected to: \(error)")
            return nil
        }
    }

    /// - Parameter next: the broker configured in its place.
    private func end(_ running: Running, isForGood: Bool, next: Broker?) {
        let (name, mailbox) = (running.broker.name, running.mailbox)
        // A broker without `home-assistant` has our status alone.
        let isForGood = isForGood && (isRemembered(name) || mailbox.report.connections > 0)
        mailbox.stop(isForGood: isForGood)
        guard isForGood else { return running.thread.join() }
        let isAway = mailbox.report.state != .live
        let end = MonotonicClock.milliseconds() + Self.clearingTime
        while !isAway, mailbox.report.state != .stopped, MonotonicClock.milliseconds() < end { usleep(5_000) }
        gateway.store.enqueue(.immediate, { try $0.forgetBroker(name) })
        if mailbox.report.state == .stopped {
            running.thread.join()
        } else if next?.host == running.broker.host, next?.port == running.broker.port {
            mailbox.stop(isForGood: false)
            giveUp(running)
        } else {
            // Much is taken away slowly, so that its readers can follow.
            let time = mailbox.report.state == .live ? "now" : "when that broker is there again"
            logger.notice("what was shown at \(running.broker.address) is taken away \(time)")
            keepLeaving(running)
        }
    }

    /// Whether something of ours may be at a broker, including what was acknowledged a moment ago.
    private func isRemembered(_ name: String) -> Bool {
        (try? gateway.store.read { try $0.knownBrokers().contains(name) }) ?? true
    }

    private func keepLeaving(_ running: Running) {
        let surplus = state.withLock { all in
            all.leaving.append(running)
            return all.leaving.count > BrokersFolder.limit ? all.leaving.removeFirst() : nil
        }
        for one in takeLeaving(where: { $0.mailbox.report.state == .stopped }) { one.thread.join() }
        guard let surplus else { return }
        surplus.mailbox.stop(isForGood: false)
        giveUp(surplus)
    }

    private func takeLeaving(where isMeant: (Running) -> Bool) -> [Running] {
        state.withLock { all in
            let meant = all.leaving.filter(isMeant)
            all.leaving.removeAll(where: isMeant)
            return meant
        }
    }

    /// Waits for a thread that was asked to stop, and warns if its broker was not cleared.
    private func giveUp(_ running: Running) {
        running.thread.join()
        if running.mailbox.report.isCleared { return }
        logger.warning(
            "what was shown at \(running.broker.address) is still there, because that broker was away: delete the devices in "
                + "Home Assistant, or the retained messages below mesh-gateway/")
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
}

extension Broker {
    /// Whether nothing that was published through this broker is visible through the other.
    fileprivate func isElsewhere(than other: Broker?) -> Bool {
        guard let other else { return true }
        return host != other.host || port != other.port || prefix != other.prefix
    }
}
