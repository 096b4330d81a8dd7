import Gateway
import Glibc
import Log
import MeshModel
import Platform
import Store

// The brokers of a service, each with a thread of its own. Without a broker there is no thread, no library, no listener and no row.

public final class RunningBrokers: Sendable {
    /// What the folder said when it was read last.
    public struct State: Sendable {
        public var files: [BrokerFile] = []
        public var mistakesOfFolder: [BrokerMistake] = []
        /// Why there is no library; nil: it is there, or not needed.
        public var missing: MissingLibrary?
    }

    /// A broker that is in force.
    private struct Running: Sendable {
        let broker: Broker
        let mailbox: BrokerMailbox
        let notes: Monitor<HomeBridge.Notes>
        let listener: ChangeListener
        let shown: Monitor<ShownPlan>
        let thread: Thread
    }

    /// What a plan has come to.
    struct ShownPlan: Sendable {
        var published = 0
        var deleted: [DeviceID] = []
    }

    public let folder: BrokersFolder
    private let gateway: Gateway
    private let facts: @Sendable () -> GatewayFacts
    private let logger: Logger
    private let state = Monitor<(state: State, running: [Running])>((State(), []))

    /// - Parameter facts: what the gateway says of itself; called on the brokers' threads.
    public init(
        _ gateway: Gateway, folder: BrokersFolder, facts: @escaping @Sendable () -> GatewayFacts, logger: Logger
    ) {
        (self.gateway, self.folder, self.facts, self.logger) = (gateway, folder, facts, logger)
    }

    public var current: State { state.withLock { $0.state } }

    /// How each broker that is in force is doing, by name.
    public var reports: [BrokerStatus] {
        state.withLock { $0.running }.map { running in
            let shown = running.shown.withLock { $0 }
            return BrokerStatus(
                broker: running.broker, report: running.mailbox.report, devices: shown.published,
                deleted: shown.deleted.map(\.object))
        }
    }

    /// Reads the folder again. New brokers are connected to, those that are gone are cleared and left, changed ones are connected to
    /// anew. A file with a mistake takes its own broker out of force.
    public func reload() {
        let (files, mistakes) = folder.read()
        for mistake in mistakes + files.flatMap(\.mistakes) {
            logger.warning("broker-broken: \(mistake)", fields: ["problem": "broker-broken"])
        }
        let wanted = files.compactMap(\.broker)
        let before = state.withLock { $0.running }
        for running in before {
            let next = wanted.first { $0.name == running.broker.name }
            guard next != running.broker else { continue }
            // A file that cannot be read any more is no word that nothing is to stay there.
            let isBroken = next == nil && files.contains { $0.name == running.broker.name }
            end(running, isForGood: !isBroken && running.broker.isElsewhere(than: next))
        }
        var kept = before.filter { running in wanted.contains(running.broker) }
        var missing: MissingLibrary?
        for broker in wanted where !kept.contains(where: { $0.broker == broker }) {
            do throws(MissingLibrary) { try BrokerConnection.load() } catch { missing = error }
            if missing != nil { break }
            if let running = start(broker) { kept.append(running) }
        }
        if let missing { logger.error("\(missing)") }
        state.withLock { $0 = (State(files: files, mistakesOfFolder: mistakes, missing: missing), kept) }
    }

    /// Says goodbye to all of them.
    public func stop() {
        let running = state.withLock { state in
            defer { state.running = [] }
            return state.running
        }
        for one in running { one.mailbox.stop(isForGood: false) }
        for one in running { one.thread.join() }
    }

    /// Shows everything at a broker anew, also what a person has deleted there.
    ///
    /// - Returns: false: no broker of this name is in force.
    public func refresh(_ name: String) -> Bool {
        guard let running = state.withLock({ $0.running.first { $0.broker.name == name } }) else { return false }
        running.notes.withLock { $0.isRefreshWanted = true }
        running.mailbox.wakes.signal()
        return true
    }

    /// A problem of the gateway began or ended.
    public func factsChanged() {
        for running in state.withLock({ $0.running }) {
            running.notes.withLock { $0.areFactsNew = true }
            running.mailbox.wakes.signal()
        }
    }

    private func start(_ broker: Broker) -> Running? {
        guard let mailbox = BrokerMailbox() else {
            logger.error("the broker \(broker.name) has no descriptor left: \(errorText(ENFILE))")
            return nil
        }
        let (notes, shown) = (Monitor(HomeBridge.Notes()), Monitor(ShownPlan()))
        do {
            let name = try gateway.store.commit { writer in
                try writer.brokerGateway { String(randomUUID().prefix(8)) }
            }
            let names = TopicNames(gateway: name, prefix: broker.prefix)
            let listener = gateway.changes(of: HomeBridge.kinds) {
                notes.withLock { $0.isWoken = true }
                // Everything is read when it is connected.
                if mailbox.report.state == .live { mailbox.wakes.signal() }
            }
            let (gateway, facts, logger) = (gateway, facts, logger)
            let thread = Thread.start(named: "mqtt \(broker.name)", stackBytes: 512 << 10) {
                do {
                    let bridge = try HomeBridge(
                        broker, names, gateway: gateway, facts: facts, notes: notes, logger: logger,
                        showPlan: { plan in
                            shown.withLock { $0 = ShownPlan(published: plan.published, deleted: plan.deleted) }
                        })
                    BrokerLoop(broker, names, user: bridge, mailbox: mailbox, logger: logger).run()
                } catch {
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

    private func end(_ running: Running, isForGood: Bool) {
        running.mailbox.stop(isForGood: isForGood)
        running.thread.join()
        guard isForGood else { return }
        let name = running.broker.name
        gateway.store.enqueue(.immediate, { try $0.forgetBroker(name) })
    }
}

/// A broker that is in force, and how it is doing.
public struct BrokerStatus: Sendable {
    public let broker: Broker
    public let report: BrokerReport
    /// That Home Assistant has from us.
    public let devices: Int
    /// Objects that a person has deleted there.
    public let deleted: [String]
}

extension Broker {
    /// Nothing of what was published by the one is to be seen through the other.
    fileprivate func isElsewhere(than other: Broker?) -> Bool {
        guard let other else { return true }
        return host != other.host || port != other.port || prefix != other.prefix
    }
}
