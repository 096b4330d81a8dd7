import Gateway
import Log
import MeshModel
import Platform
import Store

// Joins one broker's connection, the plan of what is published there, and the rows it is made from:
//
//     commit --wake--> changes since the last look -> ShownMesh -> devices -> Plan -> publications
//                      what happens, each once (HomeEvents) -------------------------^
//     commands (HomeCommands) -> Gateway
//
// 1. All of it runs on the broker's thread. Other threads only leave a note and wake it.
// 2. Of values only the latest counts, so no place in the change log is stored for them. A new connection reads everything, later looks read
//    only what has changed, or everything again if the log no longer reaches back that far.
// 3. What a plan remembers is stored within seconds. After a crash before that, the rows are compared with the broker again.

final class HomeBridge: BrokerUser {
    /// Left by other threads.
    struct Notes: Sendable {
        var isWoken = false
        var areFactsNew = false
        var isRefreshWanted = false
        /// The broker is no longer configured, and nothing of it is stored any more: another one may have its name by now.
        var isForgotten = false
    }

    /// The least time between two looks at the gateway's own facts after a change, in milliseconds.
    static let betweenFacts: Int64 = 5_000
    /// The same without a known change, for sizes and counts.
    static let betweenCounts: Int64 = 60_000

    static let kinds: Set<StoredChange.Kind> = [
        .node, .nodeHeard, .nodeDeleted, .position, .telemetry, .happened, .message, .delivery, .channel, .waypoint,
        .notification,
    ]

    private let broker: Broker
    private let names: TopicNames
    private let gateway: Gateway
    private let facts: @Sendable () -> GatewayFacts
    private let logger: Logger
    private let notes: Monitor<Notes>
    private let showPlan: @Sendable (BrokerAtWork.ShownPlan) -> Void
    private var plan: Plan
    /// nil without Home Assistant.
    private let events: HomeEvents?
    /// nil if it may command nothing.
    private let commands: HomeCommands?
    private var mesh: ShownMesh
    /// The channels whose texts are heard, as they are now.
    private var texts: [BrokerStatus.ShownChannel] = []
    /// The number of the last change that was read.
    private var place: Int64 = 0
    private var own: Device?
    /// Steady milliseconds.
    private var factsAt: Int64 = .min / 2
    private var wantsFacts = false
    private var storedGeneration: Int64
    /// The broker is no longer configured. Its rows are deleted, and another broker of its name may have rows by now.
    private var isLeavingForGood = false
    /// What is said from now on is the last.
    private var isLeaving = false

    /// - Parameter showPlan: called with the plan whenever it may have changed, for display.
    init(
        _ broker: Broker, _ names: TopicNames, gateway: Gateway, facts: @escaping @Sendable () -> GatewayFacts,
        notes: Monitor<Notes>, logger: Logger, showPlan: @escaping @Sendable (BrokerAtWork.ShownPlan) -> Void
    ) throws {
        (self.broker, self.names, self.gateway, self.facts) = (broker, names, gateway, facts)
        (self.notes, self.logger, self.showPlan) = (notes, logger, showPlan)
        mesh = ShownMesh(broker.homeAssistant, broker.speech)
        let isShown = broker.homeAssistant != nil
        events = isShown ? HomeEvents(broker, names, gateway: gateway, logger: logger) : nil
        commands =
            isShown && broker.speech.takesCommands
            ? HomeCommands(broker, names, gateway: gateway, logger: logger) : nil
        let (rows, generation) = try gateway.store.readCommitted { reader in
            (try reader.brokerDevices(broker.name), try reader.generation(ofBroker: broker.name))
        }
        var memory: [DeviceID: Memory] = [:]
        for row in rows {
            guard let id = DeviceID(object: row.object), let known = Memory(row) else { continue }
            memory[id] = known
        }
        storedGeneration = generation
        // Its file may have named Home Assistant before.
        if !isShown { gateway.store.enqueue(.grouped, { try $0.forgetCursor(HomeEvents.reader(of: broker.name)) }) }
        let facts = facts()
        plan = Plan(names, version: facts.version, memory: memory, generation: generation)
        mesh.publicURL = facts.publicURL
    }

    // MARK: the connection

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) -> [Subscription] {
        if !isLeavingForGood {
            look(at: now, isWhole: true)
            lookAtItself(at: now)
            events?.connected(at: now)
        }
        plan.connected(version, limits, at: now)
        guard !isLeavingForGood, broker.homeAssistant != nil || !plan.memory.isEmpty else { return [] }
        return (commands.map { [$0.subscription] } ?? []) + [
            .ofOthers(names.configurations), .ofOthers(names.status), .ofOthers(names.generation),
            Subscription(names.birth),
        ]
    }

    func subscribed(isAllowed: Bool, at now: HostTime) {
        plan.subscribed(isAllowed: isAllowed, at: now)
        keep()
    }

    func received(_ message: IncomingMessage, at now: HostTime) {
        if let commands, commands.isCommand(message.topic) {
            obey(message, commands, at: now)
        } else {
            plan.received(message.topic, message.payload, isRetained: message.isRetained, at: now)
        }
        keep()
    }

    func keepReceived(at now: HostTime) { events?.keepPlace() }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        // A refused event is not told again: the loop has said so.
        if events?.settled(publication) == true { return }
        plan.settled(publication, outcome, at: now)
        keep()
    }

    func ended(_ ending: Ending, at now: HostTime) {
        plan.ended()
        events?.ended()
        keep()
    }

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        let noted = notes.withLock { notes in
            defer { (notes.isWoken, notes.areFactsNew, notes.isRefreshWanted) = (false, false, false) }
            return notes
        }
        if isLeaving {
            defer { keep() }
            return plan.next(room, at: now)
        }
        if noted.isWoken {
            look(at: now, isWhole: false)
            events?.noteChanges()
        }
        if noted.areFactsNew, broker.homeAssistant != nil { wantsFacts = true }
        lookAtItself(at: now)
        if noted.isRefreshWanted { plan.refresh(at: now) }
        var publications = plan.next(room, at: now)
        if let events {
            if let outcome = commands?.pass(at: now) { events.add(outcome, at: now) }
            events.look(mesh, at: now)
            publications += events.next(room - publications.count, plan, at: now)
        }
        keep()
        return publications
    }

    private func obey(_ message: IncomingMessage, _ commands: HomeCommands, at now: HostTime) {
        guard !isLeaving else { return }
        // A node may have gone while it was on the way. Who cannot read tries again with the next change.
        if !plan.isPartial { look(at: now, isWhole: false) }
        let outcome = commands.take(
            message, mesh,
            isShown: { [plan, mesh] device, component in
                plan.memory[device]?.isShown == true && mesh.devices[device]?.components.contains(component) == true
            }, at: now)
        if let outcome { events?.add(outcome, at: now) }
    }

    var deadline: Int64? {
        // The gateway's own values change by themselves, too.
        let pause = wantsFacts ? Self.betweenFacts : Self.betweenCounts
        let facts = isLeaving || broker.homeAssistant == nil ? nil : factsAt + pause
        let own = isLeaving ? nil : [events?.deadline(plan), commands?.deadline].compactMap { $0 }.min()
        return [plan.deadline, facts, own].compactMap { $0 }.min()
    }

    func sayGoodbye(isForGood: Bool, at now: HostTime) {
        (wantsFacts, isLeaving, isLeavingForGood) = (false, true, isLeavingForGood || isForGood)
        plan.sayGoodbye(isForGood: isForGood)
        events?.leave(isForGood: isForGood)
    }

    // MARK: rows

    /// Brings the devices up to date.
    private func look(at now: HostTime, isWhole: Bool) {
        guard broker.homeAssistant != nil else { return }
        for found in gateway.radiosConnected { mesh.connected[found.key] = found.value }
        do {
            try gateway.store.readCommitted { (reader) throws -> Void in
                if isWhole || plan.isPartial { return try load(reader, at: now) }
                while true {
                    let (changes, last, isComplete) = try reader.changes(after: place, kinds: Self.kinds, limit: 500)
                    guard isComplete else { return try load(reader, at: now) }
                    if last == place { return }
                    place = last
                    if changes.contains(where: changesFacts) { wantsFacts = true }
                    show(try mesh.take(changes, reader, at: now.wall), at: now)
                }
            }
        } catch {
            // The next change, or the next connection, reads it again.
            plan.isPartial = true
            logger.warning("what the broker \(broker.name) is to show cannot be read: \(error)")
        }
    }

    /// Texts of conversations over brokers are in no figure that is shown.
    private func changesFacts(_ change: StoredChange) -> Bool {
        switch change.kind {
        case .happened: true
        case .message, .delivery: mesh.connected[change.source] != nil
        default: false
        }
    }

    private func load(_ reader: Reader, at now: HostTime) throws {
        place = try reader.newestChange()
        show(try mesh.load(reader, at: now.wall), at: now)
        plan.isPartial = false
        (wantsFacts, factsAt) = (true, .min / 2)
    }

    private func show(_ difference: ShownMesh.Difference, at now: HostTime) {
        texts = broker.speech.channels.map { .init(name: $0.text, index: mesh.index(of: $0)) }
        plan.show(difference.changed, gone: difference.gone, reported: difference.reported, at: now)
    }

    /// Updates the gateway's own device: after events, and once a minute.
    private func lookAtItself(at now: HostTime) {
        guard broker.homeAssistant != nil else { return }
        guard now.steady - factsAt >= (wantsFacts ? Self.betweenFacts : Self.betweenCounts) else { return }
        (factsAt, wantsFacts) = (now.steady, false)
        do {
            let facts = facts()
            let hasMoved = facts.publicURL != mesh.publicURL
            mesh.publicURL = facts.publicURL
            let counts = try gateway.store.readCommitted { reader in
                show(try hasMoved ? mesh.load(reader, at: now.wall) : mesh.forgetSilent(reader, at: now.wall), at: now)
                return try GatewayCounts(reader, at: now.wall)
            }
            events?.look(at: facts.problems, at: now)
            let device = Device.gateway(facts, counts, broker.speech, at: now.wall)
            let isNew = own?.reports[.state]?.values != device.reports[.state]?.values
            own = device
            plan.show([device], reported: isNew ? [.init(device: .gateway, group: .state)] : [], at: now)
        } catch {
            logger.warning("what the gateway itself shows at the broker \(broker.name) cannot be read: \(error)")
        }
    }

    // MARK: memory

    private func keep() {
        if isLeavingForGood { return }
        let (changed, generation, broker) = (plan.takeChangedMemory(), plan.generation, broker.name)
        let hasCounted = generation != storedGeneration
        storedGeneration = generation
        if !changed.isEmpty || hasCounted {
            let rows = changed.map { id, known in (id.object, known?.row(id, at: broker)) }
            notes.withLock { notes in
                guard !notes.isForgotten else { return }
                gateway.store.enqueue(
                    .grouped,
                    { writer in
                        for (object, row) in rows {
                            if let row {
                                try writer.store(row)
                            } else {
                                try writer.forgetDevice(object, atBroker: broker)
                            }
                        }
                        if hasCounted { try writer.setGeneration(generation, ofBroker: broker) }
                    })
            }
        }
        showPlan(
            .init(
                published: plan.published, deleted: plan.deleted,
                texts: texts,
                commands: commands?.obeyed ?? 0, commandsRefused: commands?.refused ?? 0))
    }
}

extension Gateway {
    /// Whether each radio is connected.
    fileprivate var radiosConnected: [SourceID: Bool] {
        let sources = (try? store.readCommitted { try $0.sources() }) ?? []
        return Dictionary(
            sources.map { ($0.id, status(of: $0.id).isConnected) }, uniquingKeysWith: { first, _ in first })
    }
}
