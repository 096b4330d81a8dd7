import MeshModel

// Decides what is published for Home Assistant at one broker, and when: a value, without a clock and without I/O.
//
//     away --accepted--> reading: what the broker has of ours --two silent seconds--> live
//       ^------------------------------- ended ---------------------------------------'
//
// 1. The wanted state is compared with the broker's, and the difference is published. Nothing is queued that can be computed
//    again, so a broker may be away for a day.
// 2. What a broker has is known by digests: of what it sent while it was read, and of what it has acknowledged since.
// 3. `generation` counts published configurations, at the broker and in our database. A broker that comes back with another
//    number, or without one, has lost retained messages (after SIGKILL mosquitto has those of half an hour ago): what is missing
//    there was not deleted by a person.
// 4. A changed configuration makes measured values unavailable until they are published again. That happens two seconds
//    after its acknowledgement, because Home Assistant subscribes late.
// 5. Devices that others are reached through come first, gateway before radios before nodes, and go last.
// 6. What leaves has its configuration cleared first and its values two seconds later, when nobody reads them any more
//    (PlanLeaving.swift). `Memory.hasValues` says that there is something to empty, also after a restart in between.

struct Plan {
    enum Phase {
        case away
        /// Until all subscriptions are answered.
        case subscribing
        /// Steady milliseconds.
        case reading(since: Int64, quietSince: Int64)
        case live
        case leaving(Farewell)
    }

    struct StateKey: Hashable {
        let device: DeviceID
        let group: Group
    }

    /// In milliseconds, as all that follow.
    static let quiet: Int64 = 2_000
    static let longestReading: Int64 = 30_000
    static let afterConfiguration: Int64 = 2_000
    /// How long before publications over the broker's quota are tried again.
    static let afterQuota: Int64 = 60_000
    static let betweenLinks: Int64 = 60_000
    /// Between two publications of a node's `last heard`.
    static let betweenNodes: Int64 = 5_000
    /// How long after Home Assistant's `online` the values are published again.
    static let afterBirth: ClosedRange<Int64> = 5_000...30_000
    /// For how many devices the broker's digests are kept.
    static let mostDevices = 4_096
    /// Bytes of the topics that are cleared in one connection because they are nobody's.
    static let mostGarbage = 64 << 10

    let names: TopicNames
    /// Of this program.
    let version: String
    /// Random, from 0 to below 1.
    let draw: () -> Double

    var phase = Phase.away
    var keepsMeasured = true
    var retains = true
    /// Devices to be shown.
    var devices: [DeviceID: Device] = [:]
    /// What is remembered of devices, over restarts.
    var memory: [DeviceID: Memory] = [:]
    /// Devices whose memory is to be stored.
    var changedMemory: Set<DeviceID> = []
    var generation: Int64
    var isGenerationDue = false
    var isStatusDue = false

    /// Digests of the configurations that the broker has, by object.
    var present: [String: Int] = [:]
    var cameStatus = false
    /// What stood where the generation is.
    var cameGeneration: String?
    /// Rows could not be read: what is missing among ``devices`` is not gone.
    var isPartial = false
    /// Configurations to be published, digests of those on their way, and of refused ones, which are not tried again.
    var due: Set<DeviceID> = []
    var onTheWay: [DeviceID: Int] = [:]
    var refused: [DeviceID: Int] = [:]
    /// Publications over the broker's quota, by topic; and when they are tried again, in steady milliseconds.
    var postponed: [String: Publication] = [:]
    var postponedUntil: Int64?
    /// The broker is no longer configured.
    var isLeavingForGood = false
    /// Messages that go before configurations, mostly topics to be cleared.
    var clearings: [Publication] = []
    /// Our own empty messages that a broker without "no local" will send back, by topic.
    var echoes: [String: Int] = [:]
    /// Objects that another client has written and we have corrected since the connection began.
    var corrected: Set<String> = []
    /// Bytes of the topics that are nobody's and were noted since the connection began.
    var garbage = 0
    /// When each state is due, in steady milliseconds.
    var states: [StateKey: Int64] = [:]
    /// States that are due, the first one last.
    var ready: [StateKey] = []
    var isReady: Set<StateKey> = []
    var stateTimes: [StateKey: Int64] = [:]
    var birthAt: Int64?
    /// When the broker took the configurations of this connection, in steady milliseconds.
    var configuredAt: [DeviceID: Int64] = [:]
    /// Removed devices that are shown once more, and when they go.
    var goingAt: [DeviceID: Int64] = [:]
    /// Devices whose withdrawn components are shown once more, and when those go.
    var withdrawnAt: [DeviceID: Int64] = [:]
    /// Devices that have left, and when their values are emptied.
    var emptyAt: [DeviceID: Int64] = [:]
    /// Topics of values that are being emptied and not yet acknowledged.
    var emptying: [String: DeviceID] = [:]
    var pace = Pace()

    init(
        _ names: TopicNames, version: String, memory: [DeviceID: Memory] = [:], generation: Int64 = 0,
        draw: @escaping () -> Double = { .random(in: 0..<1) }
    ) {
        (self.names, self.version, self.memory) = (names, version, memory)
        (self.generation, self.draw) = (generation, draw)
    }

    /// Devices at the broker, as far as known.
    var published: Int { present.count }
    var deleted: [DeviceID] { memory.filter { $0.value.state == .deleted }.map { $0.key }.sorted() }

    /// The memory to be stored since the last call; nil to delete the row.
    mutating func takeChangedMemory() -> [(DeviceID, Memory?)] {
        defer { changedMemory = [] }
        return changedMemory.sorted().map { ($0, memory[$0]) }.filter { $0.1?.state != .pending }
    }

    // MARK: what is wanted

    /// - Parameters:
    ///   - changed: devices that are new or have changed.
    ///   - gone: devices that are no longer to be shown.
    ///   - reported: groups with a report since the last call, even with the same values.
    mutating func show(
        _ changed: [Device], gone: Set<DeviceID> = [], reported: Set<StateKey> = [], at now: HostTime
    ) {
        for id in gone.sorted().reversed() {
            devices[id] = nil
            leave(id)
        }
        for device in changed.sorted(by: { $0.id < $1.id }) {
            let before = devices.updateValue(device, forKey: device.id)
            let known = memory[device.id]
            adapt(device.id, at: now)
            // Values that it no longer has end with a message of their own.
            if let before {
                for group in before.reports.keys where device.reports[group] == nil {
                    tell(StateKey(device: device.id, group: group), at: now)
                }
            }
            // Most changes are measured values, which are not part of the configuration.
            if before?.isDescribed(as: device) == true, memory[device.id] == known { continue }
            compare(device.id)
        }
        for key in reported { tell(key, at: now) }
    }

    /// Publishes everything again, including what a person has deleted, and drops components that have no values any more.
    mutating func refresh(at now: HostTime) {
        refused = [:]
        for (id, device) in devices {
            guard var known = memory[id] else { continue }
            known.gone.formUnion(known.components.subtracting(device.components))
            known.components = device.components
            if !known.isShown { comeBack(id, &known) }
            remember(id, known)
            guard case .live = phase else { continue }
            due.insert(id)
            tellAll(id, at: now, after: Self.afterConfiguration)
        }
    }

    /// Brings what is remembered of a device up to date.
    mutating func adapt(_ id: DeviceID, at now: HostTime) {
        guard let device = devices[id], memory[id]?.state != .deleted else { return }
        var known = memory[id] ?? Memory(.pending)
        if !known.isShown { comeBack(id, &known) }
        known.name = device.name
        known.components.formUnion(device.components)
        let unasked = known.components.subtracting(device.components).filter {
            Entity.named($0)?.platform.isSpoken == true
        }
        known.components.subtract(unasked)
        known.gone.formUnion(unasked)
        known.gone.subtract(known.components)
        for (group, times) in device.times where group.isMeasured {
            var life = known.lives[group] ?? Life()
            if life.adapt(to: times, at: now.wall) { known.lives[group] = life }
        }
        remember(id, known)
    }

    /// Queues the device's configuration if it differs from the broker's.
    mutating func compare(_ id: DeviceID) {
        guard case .live = phase, let device = devices[id], let known = memory[id], known.isShown else { return }
        let wanted = digest(configuration(device, known))
        if present[id.object] != wanted, onTheWay[id] != wanted, refused[id] != wanted { due.insert(id) }
    }

    mutating func remember(_ id: DeviceID, _ known: Memory?) {
        guard memory[id] != known else { return }
        memory[id] = known
        changedMemory.insert(id)
    }

    mutating func tell(_ key: StateKey, at now: HostTime) {
        guard case .live = phase, !isReady.contains(key), devices[key.device] != nil,
            memory[key.device]?.isShown == true
        else { return }
        let pause: Int64 =
            switch key.group {
            case .link: Self.betweenLinks
            case .node: Self.betweenNodes
            default: 0
            }
        let next = max(now.steady, (stateTimes[key] ?? .min / 2) + pause)
        // A state that is planned already, such as after a configuration, will have the newest values.
        if states[key] == nil { states[key] = next }
    }

    mutating func tellAll(_ id: DeviceID, at now: HostTime, after delay: Int64 = 0) {
        guard let known = memory[id], known.isShown else { return }
        for group in Device.groups(of: known.components) {
            states[StateKey(device: id, group: group)] = now.steady + delay
        }
    }

    mutating func forgetStates(_ id: DeviceID) {
        states = states.filter { $0.key.device != id }
        stateTimes = stateTimes.filter { $0.key.device != id }
    }

    /// What a person has deleted is not led to: a device that leads nowhere makes a nameless one.
    func configuration(_ device: Device, _ known: Memory) -> [UInt8] {
        var device = device
        if let via = device.via, memory[via]?.state == .deleted { device.via = nil }
        return device.configuration(
            names, components: known.components, gone: known.gone, lives: known.lives, version: version)
    }

    func digest(_ bytes: [UInt8]) -> Int { bytes.hashValue }
}
