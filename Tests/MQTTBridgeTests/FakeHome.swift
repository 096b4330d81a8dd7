import JSON
import MeshModel
import Testing

@testable import MQTTBridge

/// A broker as a plan sees it, in virtual time: what is retained, until when, and what was published in which order.
struct FakeHome {
    struct Kept: Equatable {
        var payload: [UInt8]
        /// Steady milliseconds.
        var until: Int64?
    }

    static let names = TopicNames(gateway: "0a1b2c3d")
    /// 2026, in host milliseconds.
    static let start: Int64 = 1_795_000_000_000

    var plan: Plan
    var now = HostTime(wall: FakeHome.start, steady: 1_000)
    var kept: [String: Kept] = [:]
    /// All that was published, in its order.
    var log: [Publication] = []
    var version = ProtocolChoice.Version.mqtt5
    var isLive = false
    /// Its quota is used up: it takes nothing.
    var isFull = false
    /// Of the plan's memory, as a database has it.
    var stored: [DeviceID: Memory] = [:]

    init(_ devices: [Device], version: ProtocolChoice.Version = .mqtt5) {
        self.version = version
        plan = Plan(Self.names, version: "1.0", draw: { 0.5 })
        plan.show(devices, at: now)
        store()
    }

    /// The program starts again.
    mutating func restart(_ devices: [Device], version: String = "1.0") {
        plan = Plan(
            Self.names, version: version, memory: stored, generation: plan.generation, draw: { 0.5 })
        isLive = false
        plan.show(devices, at: now)
        store()
    }

    mutating func connect(limits: BrokerLimits = BrokerLimits()) {
        plan.connected(version, limits, at: now)
        isLive = true
        let ours = kept.filter { isOurs($0.key) }.sorted { $0.key < $1.key }
        // Some of them come before the last subscription is confirmed.
        for (topic, kept) in ours.prefix(ours.count / 2) {
            plan.received(topic, kept.payload, isRetained: true, at: now)
        }
        plan.subscribed(isAllowed: true, at: now)
        for (topic, kept) in ours.dropFirst(ours.count / 2) {
            plan.received(topic, kept.payload, isRetained: true, at: now)
        }
    }

    mutating func disconnect() {
        plan.ended()
        isLive = false
    }

    /// Both, and what follows.
    mutating func connectAndSettle() {
        connect()
        pass(seconds: 10)
    }

    private func isOurs(_ topic: String) -> Bool {
        Self.names.object(ofConfiguration: topic) != nil || topic == Self.names.status || topic == Self.names.generation
    }

    /// Lets time pass in the steps that the plan itself asks for.
    mutating func pass(seconds: Int64) {
        let end = now.steady + seconds * 1000
        work()
        for step in 0..<1_000_000 {
            guard isLive, let next = plan.deadline, next <= end else { break }
            #expect(step < 999_999, "the plan asks for a time that brings nothing")
            advance(to: next)
            work()
        }
        advance(to: end)
        work()
    }

    /// To one moment, and no further.
    mutating func pass(until steady: Int64) {
        advance(to: steady)
        work()
    }

    private mutating func advance(to steady: Int64) {
        guard steady > now.steady else { return }
        now.wall += steady - now.steady
        now.steady = steady
        kept = kept.filter { $0.value.until.map { $0 > steady } ?? true }
    }

    /// Publishes all that is due, acknowledged at once.
    mutating func work() {
        guard isLive else { return }
        while true {
            let publications = plan.next(20, at: now)
            if publications.isEmpty { break }
            #expect(publications.count <= 20)
            for publication in publications { accept(publication) }
        }
        store()
    }

    private mutating func accept(_ publication: Publication) {
        log.append(publication)
        if isFull { return plan.settled(publication, .postponed, at: now) }
        if publication.isRetained {
            kept[publication.topic] =
                publication.payload.isEmpty
                ? nil
                : Kept(
                    payload: publication.payload,
                    until: publication.expiry.map { now.steady + Int64($0) * 1000 })
        }
        // Without "no local" we hear ourselves.
        if version == .mqtt311, isOurs(publication.topic) {
            plan.received(publication.topic, publication.payload, isRetained: false, at: now)
        }
        plan.settled(publication, .acknowledged, at: now)
    }

    mutating func store() {
        for (id, memory) in plan.takeChangedMemory() { stored[id] = memory }
    }

    /// Home Assistant says that it is there, and what the plan waits for has come.
    mutating func homeStarts() {
        plan.received(Self.names.birth, Array("online".utf8), isRetained: false, at: now)
        pass(seconds: 40)
    }

    /// A person deletes a device there.
    mutating func delete(_ id: DeviceID) {
        let topic = Self.names.configuration(id.object)
        kept[topic] = nil
        if isLive { plan.received(topic, [], isRetained: false, at: now) }
        work()
    }

    func configuration(_ id: DeviceID) -> JSONValue? {
        kept[Self.names.configuration(id.object)].flatMap { JSONValue($0.payload) }
    }

    func state(_ id: DeviceID, _ group: Group) -> JSONValue? {
        kept[Self.names.state(id, group)].flatMap { JSONValue($0.payload) }
    }

    var shown: [String] {
        kept.keys.compactMap { Self.names.object(ofConfiguration: $0).map(String.init) }.sorted()
    }

    /// Topics published since a place in the log, without what stands around an object.
    func published(since place: Int = 0) -> [String] { log[place...].map(\.topic) }
}

extension Device {
    /// A gateway, a radio and some nodes that have told a few things.
    static func house(_ nodes: Int = 2, at now: Int64 = FakeHome.start) -> [Device] {
        var gateway = Device(.gateway, name: "mesh-gateway")
        gateway.components = Set(Entity.ofGateway.map(\.component))
        gateway.reports[.state] = Report(
            at: now, values: ["problems": .text("none"), "nodes_heard": .whole(3), "version": .text("1.0")])
        var radio = Device(.radio("89abcdef"), name: "Roof")
        radio.via = .gateway
        radio.components = [Entity.connected.component]
        radio.reports[.state] = Report(at: now, values: ["connected": .flag(true)])
        return [gateway, radio] + (0..<nodes).map { node(UInt32(0x100 + $0), at: now) }
    }

    static func node(_ number: UInt32, at now: Int64 = FakeHome.start) -> Device {
        var node = Device(.node(NodeNumber(number)), name: "Node \(number)")
        node.via = .radio("89abcdef")
        node.manufacturer = "Meshtastic"
        node.model = "TBEAM"
        node.components = [
            "sensor_battery_level", "binary_sensor_powered", "sensor_voltage", "sensor_temperature",
            "sensor_last_heard", "binary_sensor_key_in_doubt", "sensor_snr", "device_tracker_position",
        ]
        node.reports = [
            .device: Report(
                at: now, values: ["battery_level": .number(87), "powered": .flag(false), "voltage": .number(4.05)]),
            .environment: Report(at: now, values: ["temperature": .number(21.5)]),
            .node: Report(at: now, values: ["last_heard": .time(now / 1000), "key_in_doubt": .flag(false)]),
            .link: Report(at: now, values: ["snr": .number(-7.25)]),
            .position: Report(
                at: now,
                values: ["latitude": .number(46.5), "longitude": .number(7.5), "gps_accuracy": .whole(12)]),
        ]
        return node
    }
}
