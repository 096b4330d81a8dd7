import MeshModel
import Store

// An event by hand runs through its own engine, which has run for long enough, has reported nothing, and knows the mesh as the
// database has it. Where a second report or more time is needed, it is supplied.

extension RuleTest {
    /// What a rule would report for a made-up event.
    ///
    /// - Parameters:
    ///   - text: JSON.
    ///   - now: host milliseconds.
    /// - Throws: ``BadEvent``, or what the store throws.
    public static func ofEvent(
        _ text: String, _ rule: Rule, _ reader: Reader, at now: Int64, on host: TestingHost = TestingHost()
    ) throws -> RuleTest {
        let rule = rule.switchedOn
        if case .at = rule.when {
            throw BadEvent("\"\(rule.words)\" waits for a time, which no event has; try it without --event")
        }
        let event = try EventByHand(text, at: now)
        var trial = try TriedEvent(event, rule, reader, at: now, on: host)
        try trial.run()
        return trial.result
    }
}

extension Rule {
    /// The value of `when =`.
    fileprivate var words: String {
        text.split(separator: "\n").first { $0.hasPrefix("when = ") }.map { String($0.dropFirst(7)) } ?? when.type
    }
}

private struct TriedEvent {
    private let event: EventByHand
    private let rule: Rule
    private let facts: FactsByHand
    private let source: SourceID
    private var engine: Engine
    private var now: Moment
    private var number: Int64 = 0
    private var near = NearMisses()
    private var found: RuleTest
    private let trial: ActTrial

    init(_ event: EventByHand, _ rule: Rule, _ reader: Reader, at time: Int64, on host: TestingHost) throws {
        (self.event, self.rule) = (event, rule)
        let sources = try reader.sources()
        if case .brokerText = event.what {
            source = try Self.conversation(of: event, rule, reader)
        } else {
            source = try Self.radio(of: event, among: sources)
        }
        facts = try FactsByHand(reader, event, in: source, at: time)
        trial = try ActTrial(facts, host, at: time)
        found = RuleTest(rule, reach: "")
        now = Moment(at: time, uptime: Engine.settling)
        engine = Engine(
            episodes: [], history: [], lastRunAt: 0, known: 0, at: Moment(at: time - Engine.settling, uptime: 0))
        for found in sources {
            engine.links.begin(found.id, at: 0)
            engine.cameUp.insert(found.id)
        }
        try engine.use([rule], stored: [], newest: 0, facts, at: now)
        (engine.active[0].isOfThisRun, engine.active[0].row.at) = (false, 0)
        // Even if its state holds already.
        if case .value = rule.when { engine.episodes = [:] }
        engine.goOn()
        engine.clear()
        facts.isHere = true
    }

    private static func radio(of event: EventByHand, among sources: [FoundSource]) throws(BadEvent) -> SourceID {
        let wanted = sources.first { event.source == nil ? $0.source.isEnabled : $0.source.uuid == event.source }
        guard let found = wanted ?? (event.source == nil ? sources.first : nil) else {
            throw BadEvent(
                event.source.map { "there is no source \"\($0)\"; leave sourceId out, or see /api/v1/sources" }
                    ?? "no radio was connected yet; plug one in first")
        }
        return found.id
    }

    private static func conversation(of event: EventByHand, _ rule: Rule, _ reader: Reader) throws -> SourceID {
        let all = try reader.brokerConversations()
        let wanted = try all.first { found in
            guard let uuid = event.source else { return rule.when.names(found.conversation) }
            return try reader.source(found.source)?.uuid == uuid
        }
        guard let found = wanted ?? (event.source == nil ? all.first : nil) else {
            throw BadEvent(
                event.source.map { "there is no conversation over a broker with the sourceId \"\($0)\"; leave it out" }
                    ?? "there is no conversation over a broker; make one first: mesh-gateway conversation add")
        }
        return found.source
    }

    var result: RuleTest {
        var result = found
        result.finish(near.all(of: rule))
        if result.count > 0 {
            result.reach = "It would fire, as a rule that has told nothing so far."
            if rule.acting != nil { result.reach += " \(ActTrial.reach)" }
        } else if result.near.isEmpty {
            result.reach = "Its trigger has not come: it waits for \"\(rule.words)\"."
        } else {
            result.reach = "Its trigger has come, and a condition has failed."
        }
        return result
    }

    mutating func run() throws {
        switch event.what {
        case .message(let message), .brokerText(let message, _):
            try take(.message(id: message.id, at: message.createdAt))
        case .value(let node, _, _): try tryValue(of: node)
        case .position(let node, _):
            // The first one is only a beginning.
            try take(.position(node, row: 1))
            near = NearMisses()
            try take(.position(node, row: 2))
        case .waypoint(_, _, let waypoint): try take(.waypoint(waypoint.id))
        case .node(let node, let fields): try tryNode(node, fields)
        case .link(let isLive): try tryLink(isLive)
        case .problem(let name, let isOver): try tryProblem(name, isOver)
        case .start: try happen(Happening(.started, at: now.at, source: .gateway))
        case .other: break
        }
    }

    // MARK: kinds

    private mutating func tryValue(of node: NodeNumber) throws {
        try take(.telemetry(node, row: .max - 1))
        guard rule.when.lasting > 0 else { return }
        // The first report is only a beginning.
        near = NearMisses()
        now = Moment(at: now.at + rule.when.lasting, uptime: now.uptime + rule.when.lasting)
        facts.time = now.at
        try take(.telemetry(node, row: .max))
    }

    private mutating func tryNode(_ number: NodeNumber, _ fields: EventFields) throws {
        switch rule.when {
        case .newNode where facts.isStranger: try take(.nodeHeard(number))
        case .nodeIntroduced where facts.isIntroduced: try take(.nodeIntroduced(number))
        case .nameChanged:
            guard let names = facts.newNames else { return }
            try happen(Happening(.renamed, at: now.at, source: source, node: number, text: names))
        case .keyChanged where try fields.flag("isInDoubt") == true:
            try happen(Happening(.key, at: now.at, source: source, node: number, name: "key-changed"))
        case .silent:
            _ = try fields.needed("lastHeard", "\(now.at / 1000 - 86_400)") { key throws(BadEvent) in
                try fields.integer(key, 0...Int64(UInt32.max))
            }
            // Even if it is silent already.
            engine.episodes = [:]
            try engine.look(0, facts, at: now)
            try settle()
        case .nodeBack: try take(.node(number))
        default: break
        }
    }

    private mutating func tryLink(_ isLive: Bool) throws {
        var time: Int64 = 0
        if case .radioLost(let value) = rule.when { time = value }
        if case .radioBack(let value) = rule.when { time = value }
        if isLive { engine.lost[source] = Engine.Loss(at: now.at - time, isOfStart: false) }
        try happen(Happening(.link, at: now.at, source: source, name: isLive ? "live" : "lost"))
        guard !isLive, time > 0 else { return }
        now = Moment(at: now.at + time, uptime: now.uptime + time)
        try engine.pass(facts, at: now)
        try settle()
    }

    private mutating func tryProblem(_ name: String, _ isOver: Bool) throws {
        // Of a solved problem, only the end counts.
        for isEnd in isOver ? [false, true] : [false] {
            if isEnd { found = RuleTest(rule, reach: "") }
            if name == Problem.Kind.diskFailing.rawValue, rule.when == .storageFailing {
                facts.storageFailingSince = isEnd ? nil : now.at
                try engine.gatewayChanged(facts, at: now)
                try settle()
            } else {
                try happen(Happening(isEnd ? .solved : .problem, at: now.at, source: source, name: name))
            }
        }
    }

    // MARK: the engine

    private mutating func happen(_ happening: Happening) throws {
        facts.happening = happening
        try take(.happened(row: 1))
    }

    private mutating func take(_ what: StoredChange.What) throws {
        number += 1
        try engine.take(StoredChange(number: number, source: source, what: what), facts, at: now)
        try settle()
    }

    private mutating func settle() throws {
        for firing in engine.outcome.firings { facts.fired.insert(firing.key) }
        for act in engine.outcome.acts { facts.fired.insert(act.key) }
        near.take(engine.outcome)
        found.add(engine.outcome, try trial.tested(engine.outcome.acts, behind: found.acts, at: now), of: rule)
        engine.clear()
    }
}

/// The mesh as the database has it, with the event added once `isHere` is set.
private final class FactsByHand: TestFacts {
    private let event: EventByHand
    private let source: SourceID
    /// Host milliseconds.
    var time: Int64
    private let before: Node?
    private let after: Node?
    var isHere = false
    var happening: Happening?

    init(_ reader: Reader, _ event: EventByHand, in source: SourceID, at time: Int64) throws {
        (self.event, self.source, self.time) = (event, source, time)
        let number: NodeNumber? =
            switch event.what {
            case .message(let message): message.from
            case .value(let node, _, _), .position(let node, _), .waypoint(let node, _, _), .node(let node, _): node
            default: nil
            }
        before = try number.flatMap { try reader.node($0, in: source) }
        var node = before ?? number.map { Node(number: $0, createdAt: time) }
        if case .node(_, let fields) = event.what, node != nil {
            node!.lastHeard = time / 1000
            try fields.change(&node!)
        }
        after = node
        super.init(reader)
    }

    var isStranger: Bool { before?.lastHeard == nil }

    /// It tells its name for the first time.
    var isIntroduced: Bool { before?.isNamed != true && after?.isNamed == true }

    /// nil if its names have not changed.
    var newNames: String? {
        guard let before, let after, before.longName != after.longName || before.shortName != after.shortName else {
            return nil
        }
        return "\(before.longName ?? "") is \(after.longName ?? "") now"
    }

    override func node(_ number: NodeNumber, in source: SourceID) throws -> Node? {
        guard isHere, source == self.source, let after, after.number == number else {
            return try super.node(number, in: source)
        }
        return after
    }

    override func heardNodes() throws -> [Reader.HeardNode] {
        guard let node = isHere ? after : before, let heard = node.lastHeard else { return [] }
        return [Reader.HeardNode(node.number, in: source, at: heard * 1000)]
    }

    override func message(_ id: String, row: Int64?, in source: SourceID) throws -> Message? {
        switch event.what {
        case .message(var message):
            if message.channel < 0, let own = try self.source(source)?.nodeNumber { message.to = own }
            return message
        case .brokerText(let message, _): return message
        default: return nil
        }
    }

    override func brokerText(of message: Message, in source: SourceID) throws -> BrokerText? {
        guard case .brokerText(_, let writer) = event.what else { return nil }
        return BrokerText(topic: "", writer: writer)
    }

    override func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement? {
        guard case .value(let node, name: name, let value) = event.what else { return nil }
        return Reader.Measurement(of: node, at: time, value: value)
    }

    override func position(inRow row: Int64, in source: SourceID) throws -> Record<Position>? {
        guard case .position(let node, let position) = event.what else { return nil }
        return Record(id: row, node: node, at: time, packetID: PacketID(row), value: position)
    }

    override func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>? {
        guard case .waypoint(let node, let channel, let waypoint) = event.what else { return nil }
        return Record(id: 1, node: node, at: time, channel: channel, value: waypoint)
    }

    override func happening(_ row: Int64) throws -> Happening? { happening }
}
