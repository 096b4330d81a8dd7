import Gateway
import Log
import MeshModel
import Platform
import Store

// One broker's connection, the plan of what is published there, and the rows that it is about:
//
//     commit --wake--> changes since the last look -> ShownMesh -> devices -> Plan -> publications
//
// 1. All of it runs on the broker's thread. Others only leave a note and wake it.
// 2. Levels only: there is no place in the change log. After a connection everything is read, later what has changed since, and
//    when that is no longer known, everything again.
// 3. What a plan remembers is stored within seconds. After a crash in between, the rows are compared with the broker again.

final class HomeBridge: BrokerUser {
    /// Left by others.
    struct Notes: Sendable {
        var isWoken = false
        var areFactsNew = false
        var isRefreshWanted = false
    }

    /// Milliseconds between two looks at what the gateway says of itself.
    static let betweenFacts: Int64 = 5_000
    /// The same without a word that anything has changed: sizes, counts.
    static let betweenCounts: Int64 = 60_000

    static let kinds: Set<StoredChange.Kind> = [
        .node, .nodeHeard, .nodeDeleted, .position, .telemetry, .happened, .message, .delivery,
    ]

    private let broker: Broker
    private let names: TopicNames
    private let gateway: Gateway
    private let facts: @Sendable () -> GatewayFacts
    private let logger: Logger
    private let notes: Monitor<Notes>
    private let showPlan: @Sendable (Plan) -> Void
    private var plan: Plan
    private var mesh: ShownMesh
    /// The last change that was looked at.
    private var place: Int64 = 0
    private var own: Device?
    /// Steady milliseconds.
    private var factsAt: Int64 = .min / 2
    private var wantsFacts = false
    private var storedGeneration: Int64
    /// The broker is no longer configured: its rows are forgotten, and another of its name may have its own by now.
    private var isLeavingForGood = false
    /// What is said from now on is the last.
    private var isLeaving = false

    /// - Parameters:
    ///   - showPlan: is given the plan for those who show it, whenever it may have changed.
    init(
        _ broker: Broker, _ names: TopicNames, gateway: Gateway, facts: @escaping @Sendable () -> GatewayFacts,
        notes: Monitor<Notes>, logger: Logger, showPlan: @escaping @Sendable (Plan) -> Void
    ) throws {
        (self.broker, self.names, self.gateway, self.facts) = (broker, names, gateway, facts)
        (self.notes, self.logger, self.showPlan) = (notes, logger, showPlan)
        mesh = ShownMesh(broker.homeAssistant)
        let (rows, generation) = try gateway.store.readCommitted { reader in
            (try reader.brokerDevices(broker.name), try reader.generation(ofBroker: broker.name))
        }
        var memory: [DeviceID: Memory] = [:]
        for row in rows {
            guard let id = DeviceID(object: row.object), let known = Memory(row) else { continue }
            memory[id] = known
        }
        storedGeneration = generation
        plan = Plan(names, version: facts().version, memory: memory, generation: generation)
    }

    // MARK: the connection

    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, at now: HostTime
    ) -> [(filter: String, isLocal: Bool)] {
        if !isLeavingForGood {
            look(at: now, isWhole: true)
            lookAtItself(at: now)
        }
        plan.connected(version, limits, at: now)
        guard !isLeavingForGood, broker.homeAssistant != nil || !plan.memory.isEmpty else { return [] }
        return [
            (names.configurations, false), (names.status, false), (names.generation, false), (names.birth, true),
        ]
    }

    func subscribed(isAllowed: Bool, at now: HostTime) {
        plan.subscribed(isAllowed: isAllowed, at: now)
        keep()
    }

    func received(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: HostTime) {
        plan.received(topic, payload, isRetained: isRetained, at: now)
        keep()
    }

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime) {
        plan.settled(publication, outcome, at: now)
        keep()
    }

    func ended(at now: HostTime) {
        plan.ended()
        keep()
    }

    func next(_ room: Int, at now: HostTime) -> [Publication] {
        let noted = notes.withLock { notes in
            defer { notes = Notes() }
            return notes
        }
        if isLeaving {
            defer { keep() }
            return plan.next(room, at: now)
        }
        if noted.isWoken { look(at: now, isWhole: false) }
        if noted.areFactsNew, broker.homeAssistant != nil { wantsFacts = true }
        lookAtItself(at: now)
        if noted.isRefreshWanted { plan.refresh(at: now) }
        let publications = plan.next(room, at: now)
        keep()
        return publications
    }

    var deadline: Int64? {
        let facts = wantsFacts ? factsAt + Self.betweenFacts : nil
        return [plan.deadline, facts].compactMap { $0 }.min()
    }

    func sayGoodbye(isForGood: Bool, at now: HostTime) {
        (wantsFacts, isLeaving, isLeavingForGood) = (false, true, isLeavingForGood || isForGood)
        plan.sayGoodbye(isForGood: isForGood)
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
                    if changes.contains(where: { [.happened, .message, .delivery].contains($0.kind) }) {
                        wantsFacts = true
                    }
                    show(try mesh.take(changes, reader, at: now.wall), at: now)
                }
            }
        } catch {
            // What cannot be read now is read with the next change, or the next connection.
            plan.isPartial = true
            logger.warning("what the broker \(broker.name) is to show cannot be read: \(error)")
        }
    }

    private func load(_ reader: Reader, at now: HostTime) throws {
        place = try reader.newestChange()
        show(try mesh.load(reader, at: now.wall), at: now)
        plan.isPartial = false
        (wantsFacts, factsAt) = (true, .min / 2)
    }

    private func show(_ difference: ShownMesh.Difference, at now: HostTime) {
        plan.show(difference.changed, gone: difference.gone, reported: difference.reported, at: now)
    }

    /// The gateway's own device: when something has happened, and now and then, with wakes that the keep-alive needs anyway.
    private func lookAtItself(at now: HostTime) {
        guard broker.homeAssistant != nil else { return }
        guard now.steady - factsAt >= (wantsFacts ? Self.betweenFacts : Self.betweenCounts) else { return }
        (factsAt, wantsFacts) = (now.steady, false)
        do {
            let counts = try gateway.store.readCommitted { reader in
                show(try mesh.forgetSilent(reader, at: now.wall), at: now)
                return try GatewayCounts(reader, at: now.wall)
            }
            let device = Device.gateway(facts(), counts, at: now.wall)
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
            gateway.store.enqueue(
                .grouped,
                { writer in
                    for (object, row) in rows {
                        if let row { try writer.store(row) } else { try writer.forgetDevice(object, atBroker: broker) }
                    }
                    if hasCounted { try writer.setGeneration(generation, ofBroker: broker) }
                })
        }
        showPlan(plan)
    }
}

extension Gateway {
    /// Which radios are there.
    fileprivate var radiosConnected: [SourceID: Bool] {
        let sources = (try? store.readCommitted { try $0.sources() }) ?? []
        return Dictionary(
            sources.map { ($0.id, status(of: $0.id).isConnected) }, uniquingKeysWith: { first, _ in first })
    }
}
