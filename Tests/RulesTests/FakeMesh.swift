import MeshModel

@testable import Rules
@testable import Store

/// Noon of 2026-11-25 (UTC) in host milliseconds.
let noon: Int64 = 1_795_608_000_000
let second: Int64 = 1_000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute

let anna = NodeNumber(0xA11C_E001)
let bob = NodeNumber(0xB0B0_0002)
let ownNode = NodeNumber(0x0000_ABCD)
let home = SourceID(rawValue: 1)
let cabin = SourceID(rawValue: 2)

/// A mesh with the clock in hand, and an engine on it.
final class FakeMesh: RuleFacts {
    var now = Moment(at: noon, uptime: 1_000_000)
    var found: [FoundSource]
    var nodes: [SourceID: [NodeNumber: Node]] = [:]
    var channels = [0: "LongFast", 1: "Hikers", 2: "hikers"]
    var mutes: [Conversation: Mute] = [:]
    private var messages: [String: Message] = [:]
    private var rows: [Int64: [TelemetryPoint]] = [:]
    private struct Series: Hashable {
        let source: SourceID
        let node: NodeNumber
        let name: String
    }
    private var series: [Series: [TelemetryPoint]] = [:]
    private var happenings: [Int64: Happening] = [:]
    private var waypoints: [UInt32: Record<Waypoint>] = [:]
    private var positions: [Int64: Record<Position>] = [:]
    private var fired: Set<String> = []
    var present: [SourceID: Set<String>] = [:]
    /// What `status` says of a problem, by name.
    var advice: [String: String] = [:]
    var storageFailingSince: Int64?
    private var change: Int64 = 100
    var engine: Engine
    private(set) var near = NearMisses()
    /// Everything that came out so far.
    private(set) var firings: [RuleFiring] = []
    /// Everything that rules' logs have.
    private(set) var log: [RuleFiring] = []
    private(set) var wakes = 0
    /// What rules were to do so far.
    private(set) var acts: [Act] = []

    init(radios: [SourceID] = [home]) {
        found = radios.map { id in
            var source = Source(
                uuid: "\(id.rawValue)", name: id == home ? "Home" : "Cabin", isEnabled: true, createdAt: 0)
            source.nodeNumber = NodeNumber(ownNode.rawValue + UInt32(id.rawValue - 1))
            return (id, source)
        }
        engine = Engine(episodes: [], history: [], lastRunAt: 0, known: 0, at: Moment(at: noon, uptime: 1_000_000))
        for id in radios {
            var own = Node(number: NodeNumber(ownNode.rawValue + UInt32(id.rawValue - 1)), createdAt: noon)
            (own.longName, own.shortName, own.lastHeard) = ("Base Camp", "BASE", noon / 1000)
            nodes[id] = [own.number: own]
        }
    }

    // MARK: what rules ask

    func sources() -> [FoundSource] { found }
    func node(_ number: NodeNumber, in source: SourceID) -> Node? { nodes[source]?[number] }
    func channelNames(in source: SourceID) -> [Int: String] { channels }
    func mute(of conversation: Conversation, in source: SourceID, at now: Int64) -> Mute? {
        mutes[conversation].flatMap { $0.holds(at: now) ? $0 : nil }
    }
    func message(_ id: String, row: Int64?, in source: SourceID) -> Message? { messages[id] }
    func conversation(of source: SourceID) -> BrokerConversation? { nil }
    func brokerText(of message: Message, in source: SourceID) -> BrokerText? { nil }
    func measurement(_ name: String, inRow row: Int64) -> Reader.Measurement? {
        rows[row]?.first { $0.name == name }.map { Reader.Measurement(of: $0.node, at: $0.at, value: $0.value) }
    }
    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) -> Reader.Measurement? {
        series[Series(source: source, node: node, name: name)]?.last { $0.id >> 8 < row }
            .map { Reader.Measurement(of: $0.node, at: $0.at, value: $0.value) }
    }
    func waypoint(_ id: UInt32, in source: SourceID) -> Record<Waypoint>? { waypoints[id] }
    func position(inRow row: Int64, in source: SourceID) -> Record<Position>? { positions[row] }
    func textCount(in source: SourceID, since: Int64) -> Int {
        messages.values.count { $0.createdAt >= since && $0.id.hasPrefix("\(source.rawValue)_") }
    }
    func lastFired(_ rule: String) -> Int64? { firings.last { $0.row.rule == rule }?.row.createdAt }
    func firings(of rule: String) -> [RuleFiring] { log.reversed().filter { $0.row.rule == rule } }
    func happening(_ row: Int64) -> Happening? { happenings[row] }
    func heardNodes() -> [Reader.HeardNode] {
        var last: [NodeNumber: Reader.HeardNode] = [:]
        for (source, nodes) in nodes {
            for node in nodes.values where !isOwn(node.number) {
                guard let heard = node.lastHeard else { continue }
                let found = Reader.HeardNode(node.number, in: source, at: heard * 1000)
                if last[node.number].map({ $0.at < found.at }) ?? true { last[node.number] = found }
            }
        }
        return last.values.sorted { $0.number < $1.number }
    }
    func isOwn(_ number: NodeNumber) -> Bool { found.contains { $0.source.nodeNumber == number } }
    func doubtedNodes() -> [(source: SourceID, number: NodeNumber)] {
        nodes.flatMap { source, nodes in
            nodes.values.filter(\.isKeyInDoubt).map { (source: source, number: $0.number) }
        }
    }
    func hasFired(_ rule: String, key: String) -> Bool { fired.contains("\(rule) \(key)") }
    func problems() -> [SourceID: Set<String>] {
        Dictionary(uniqueKeysWithValues: ([.gateway] + found.map(\.id)).map { ($0, present[$0] ?? []) })
    }
    func advice(onProblem name: String, of source: SourceID) -> String? { advice[name] }
    func liveLinks() -> [Happening] {
        let last = Dictionary(links.map { ($0.source, $0) }, uniquingKeysWith: { $1 })
        return last.values.filter { $0.name == "live" }
    }

    // MARK: rules

    /// Puts rules in force, written as their files are.
    func use(_ texts: [String: String]) throws {
        try use(
            texts.sorted { $0.key < $1.key }.map { name, text in
                let file = RuleFile(text, name: name, path: "rules.d/\(name).conf")
                return file.rule ?? { preconditionFailure("\(file.mistakes)") }()
            })
    }

    func use(_ rules: [Rule]) throws {
        // As the one who stores them has them.
        try engine.use(rules, stored: engine.rows, newest: change, self, at: now)
        settle()
    }

    /// A radio is there, and the gateway has run for two minutes.
    func start(_ sources: [SourceID] = [home]) throws {
        try engine.caughtUp(self, at: now)
        for source in sources { try link("live", source) }
        try pass(3 * minute)
    }

    private(set) var taken: [StoredChange] = []
    private(set) var cursor: Int64 = 0
    private(set) var storedRules: [RuleRow] = []
    private(set) var storedEpisodes: [Episode] = []
    var links: [Happening] { happenings.sorted { $0.key < $1.key }.map(\.value).filter { $0.kind == .link } }
    private(set) var rowsOfRules: [RuleRow] = []

    func jumpBehind(_ number: Int64) { change = max(change, number) }

    /// What came out is on disk, and the place with it; else both stay where they are.
    func settle() {
        defer { rowsOfRules = engine.rows }
        near.take(engine.outcome)
        engine.outcome.near = NearMisses()
        acts += engine.outcome.acts
        engine.outcome.acts = []
        guard !engine.outcome.isEmpty else { return }
        (cursor, storedRules) = (taken.last?.number ?? 0, engine.rows)
        storedEpisodes = Array(engine.episodes.values)
        for firing in engine.outcome.firings {
            let key = "\(firing.row.rule ?? "") \(firing.key)"
            guard fired.insert(key).inserted else { continue }
            firings.append(firing)
            log.append(firing)
        }
        engine.clear()
    }

    /// What was told since the last time: state and title.
    func told() -> [String] {
        defer { firings.removeAll { $0.fate == .told } }
        return firings.filter { $0.fate == .told }.map { firing in
            (firing.row.state.map { "\($0): " } ?? "") + firing.row.title
        }
    }

    func logged(_ fate: RuleFiring.Fate) -> [String] { firings.filter { $0.fate == fate }.map(\.row.title) }

    // MARK: time

    /// The time goes on, and the engine is asked at each of its deadlines.
    func pass(_ time: Int64) throws {
        let end = now.at + time
        while let deadline = engine.deadline(at: now), deadline <= end {
            let step = max(0, deadline - now.at)
            (now.at, now.uptime) = (now.at + step, now.uptime + step)
            wakes += 1
            try engine.pass(self, at: now)
            settle()
            if step == 0, engine.deadline(at: now) == deadline { break }
        }
        let rest = end - now.at
        (now.at, now.uptime) = (end, now.uptime + max(0, rest))
    }

    /// Somebody sets the clock.
    func setClock(by time: Int64) throws {
        now.at += time
        try engine.pass(self, at: now)
        settle()
    }

    // MARK: what happens

    func take(_ what: StoredChange.What, _ source: SourceID = home, origin: StoredChange.Origin = .live) throws {
        change += 1
        let change = StoredChange(number: change, source: source, what: what, origin: origin)
        taken.append(change)
        try engine.take(change, self, at: now)
        settle()
    }

    func link(_ name: String, _ source: SourceID = home) throws {
        try happen(Happening(.link, at: now.at, source: source, name: name))
    }

    func happen(_ happening: Happening) throws {
        change += 1
        happenings[change] = happening
        try take(.happened(row: change), happening.source)
    }

    /// It happened, and no change says so.
    func addUntold(_ happening: Happening) {
        change += 1
        happenings[change] = happening
    }

    func hear(
        _ number: NodeNumber, _ source: SourceID = home, origin: StoredChange.Origin = .live,
        _ edit: (inout Node) -> Void = { _ in }
    ) throws {
        var node = nodes[source]?[number] ?? Node(number: number, createdAt: now.at)
        let isNew = node.lastHeard == nil
        let wasNamed = node.longName != nil
        node.longName = node.longName ?? (number == anna ? "Anna" : number == bob ? "Bob" : nil)
        node.shortName = node.shortName ?? (number == anna ? "ANN" : number == bob ? "BB" : nil)
        node.lastHeard = now.at / 1000
        node.channel = node.channel ?? 0
        edit(&node)
        nodes[source, default: [:]][number] = node
        try take(.node(number), source, origin: origin)
        if isNew, origin == .live { try take(.nodeHeard(number), source) }
        if !wasNamed, node.longName != nil, origin == .live { try take(.nodeIntroduced(number), source) }
    }

    func measure(
        _ number: NodeNumber, _ values: [String: Double], _ source: SourceID = home, origin: StoredChange.Origin = .live
    ) throws {
        if nodes[source]?[number] == nil { try hear(number, source) }
        change += 1
        rows[change] = values.enumerated().map { place, value in
            TelemetryPoint(
                id: change << 8 + Int64(place), node: number, name: value.key, value: value.value, at: now.at)
        }
        for point in rows[change] ?? [] {
            series[Series(source: source, node: number, name: point.name), default: []].append(point)
        }
        try take(.telemetry(number, row: change), source, origin: origin)
    }

    func write(
        _ text: String, from number: NodeNumber = anna, channel: Int = 0, id: PacketID, _ source: SourceID = home,
        origin: StoredChange.Origin = .live, _ edit: (inout Message) -> Void = { _ in }
    ) throws {
        if nodes[source]?[number] == nil { try hear(number, source) }
        var message = Message(
            id: "\(source.rawValue)_\(number.rawValue)_\(id)", from: number,
            to: channel < 0 ? ownNode : .broadcast, text: text, channel: channel, packetID: id, timestamp: now.at,
            createdAt: now.at, updatedAt: now.at)
        edit(&message)
        messages[message.id] = message
        try take(.message(id: message.id, at: message.createdAt), source, origin: origin)
    }

    func point(_ waypoint: Waypoint, from number: NodeNumber = anna, channel: UInt32? = 0) throws {
        waypoints[waypoint.id] = Record(
            id: Int64(waypoint.id), node: number, at: now.at, channel: channel, value: waypoint)
        try take(.waypoint(waypoint.id))
    }

    /// A report of a place, in degrees.
    func locate(
        _ number: NodeNumber, _ latitude: Double, _ longitude: Double, bits: UInt32? = nil, packet: PacketID? = nil,
        _ source: SourceID = home, on channel: UInt32? = nil
    ) throws {
        let at = now.at
        try hear(number, source) { node in
            (node.latitude, node.longitude, node.positionPrecisionBits) = (latitude, longitude, bits)
            (node.positionTimestamp, node.positionChannel) = (at, channel.map { Int($0) })
        }
        change += 1
        let value = Position(
            latitudeI: Int32(latitude * 1e7), longitudeI: Int32((longitude * 1e7).rounded()), precisionBits: bits)
        positions[change] = Record(
            id: change, node: number, at: at, packetID: packet, channel: channel, value: value)
        try take(.position(number, row: change), source)
    }

    /// Something is wrong with the gateway, or is no longer.
    func gateway(has problems: Set<String>) throws {
        present[.gateway] = problems
        try engine.gatewayChanged(self, at: now)
        settle()
    }

    func storage(failingSince time: Int64?) throws {
        storageFailingSince = time
        try engine.gatewayChanged(self, at: now)
        settle()
    }
}

/// What a database would keep of a mesh, and what is left of an engine when its process is killed.
final class KilledMesh {
    let mesh = FakeMesh()
    private let rules: [String: String]

    private let zone: LocalZone

    init(_ rules: [String: String], zone: LocalZone = .host) throws {
        (self.rules, self.zone) = (rules, zone)
        mesh.engine.zone = zone
        try mesh.use(rules)
        try mesh.start()
    }

    /// The process is gone with everything that is not on disk, and another one goes on where that is.
    ///
    /// - Parameter isBack: the radio is there.
    func kill(isBack: Bool = true) throws {
        let last = mesh.taken.last?.number ?? 0
        mesh.engine = Engine(
            episodes: mesh.storedEpisodes, history: mesh.links, lastRunAt: mesh.now.at, known: last, at: mesh.now)
        mesh.engine.zone = zone
        let parsed = rules.sorted { $0.key < $1.key }.compactMap { RuleFile($1, name: $0, path: "").rule }
        try mesh.engine.use(parsed, stored: mesh.storedRules, newest: last, mesh, at: mesh.now)
        for change in mesh.taken where change.number > mesh.cursor { try mesh.engine.take(change, mesh, at: mesh.now) }
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        mesh.settle()
        if isBack { try mesh.link("live") }
        try mesh.pass(2 * minute + second)
    }
}
