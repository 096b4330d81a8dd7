import Gateway
import MeshModel
import Store

/// Answers rules from the database and the gateway. Answers are cached: an instance is for one state of the database.
final class StoreFacts: RuleFacts {
    private let reader: Reader
    private let gateway: Gateway?
    private var knownSources: [FoundSource]?
    private var knownConversations: [FoundConversation]?
    private var names: [SourceID: [Int: String]] = [:]
    private var mutes: [SourceID: [Conversation: Mute]] = [:]
    /// The row of telemetry that was asked for last: the next rule asks for another value in it.
    private var report: (row: Int64, found: Reader.Report?)?

    /// - Parameter gateway: nil if no daemon runs.
    init(_ reader: Reader, _ gateway: Gateway?) { (self.reader, self.gateway) = (reader, gateway) }

    func sources() throws -> [FoundSource] {
        if let knownSources { return knownSources }
        let found = try reader.sources()
        knownSources = found
        return found
    }

    func node(_ number: NodeNumber, in source: SourceID) throws -> Node? { try reader.node(number, in: source) }

    func channelNames(in source: SourceID) throws -> [Int: String] {
        if let known = names[source] { return known }
        var found = try reader.channelNames(in: source, lora: self.source(source)?.lora)
        for entry in try reader.channelEntries() { found[ChannelEntry.channel(of: entry.id)] = entry.name }
        names[source] = found
        return found
    }

    func mute(of conversation: Conversation, in source: SourceID, at now: Int64) throws -> Mute? {
        let mutes = try self.mutes[source] ?? reader.mutes(by: 0, in: source)
        self.mutes[source] = mutes
        if let mute = mutes[conversation], mute.holds(at: now) { return mute }
        guard case .direct = conversation, let mute = mutes[.allDirect], mute.holds(at: now) else { return nil }
        return mute
    }

    func message(_ id: String, row: Int64?, in source: SourceID) throws -> Message? {
        let sources = try sources()
        guard let row, let place = sources.firstIndex(where: { $0.id == source }) else {
            return try reader.message(id: id, in: source)
        }
        return try reader.message(id, inRow: row, of: source, uuid: sources[place].source.uuid)
    }

    func conversation(of source: SourceID) throws -> BrokerConversation? {
        if try self.source(source) != nil { return nil }
        let known = try knownConversations ?? reader.brokerConversations()
        knownConversations = known
        return known.first { $0.source == source }?.conversation
    }

    func brokerText(of message: Message, in source: SourceID) throws -> BrokerText? {
        try reader.brokerTexts(of: [message.packetID], in: source)[message.packetID]
    }

    func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement? {
        if report?.row != row { report = (row, try reader.report(inRow: row)) }
        return report?.found?.measurement(name)
    }

    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> Reader.Measurement? {
        try reader.pointBefore(row: row, at: time, name, of: node, in: source)
    }

    func telemetryTime(ofRow row: Int64) throws -> Int64? { try reader.telemetryTime(ofRow: row) }

    func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>? {
        try reader.waypoint(id: id, in: source)
    }

    func position(inRow row: Int64, in source: SourceID) throws -> Record<Position>? {
        try reader.position(TelemetryQuery(source: source), inRow: row)
    }

    func textCount(in source: SourceID, since: Int64) throws -> Int {
        try reader.messageCount(in: source, since: since)
    }

    func lastFired(_ rule: String) throws -> Int64? { try reader.firings(of: rule, limit: 1).first?.row.createdAt }

    func firings(of rule: String) throws -> [RuleFiring] { try reader.firings(of: rule, limit: 1_000) }

    func happening(_ row: Int64) throws -> Happening? { try reader.happening(row: row) }
    func heardNodes() throws -> [Reader.HeardNode] { try reader.heardNodes() }
    func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)] { try reader.doubtedNodes() }
    func hasFired(_ rule: String, key: String) throws -> Bool { try reader.hasFired(rule, key: key) }

    func liveLinks() throws -> [Happening] { try reader.liveLinks() }

    /// What is wrong with the gateway itself, except what has a trigger of its own.
    private var ofGateway: [Problem] {
        gateway?.problems.ofGateway(showsFiles: false).filter { $0.kind?.ownTrigger == nil } ?? []
    }

    /// The problems of a radio that is away are unknown.
    func problems() -> [SourceID: Set<String>] {
        var found: [SourceID: Set<String>] = [.gateway: Set(ofGateway.map(\.name))]
        guard let gateway else { return found }
        for (id, _) in (try? sources()) ?? [] {
            let status = gateway.status(of: id)
            if status.link == .live { found[id] = Set(status.faults.map(\.name)) }
        }
        return found
    }

    func advice(onProblem name: String, of source: SourceID) -> String? {
        let problems = source == .gateway ? ofGateway : gateway?.status(of: source).faults
        return problems?.first { $0.name == name }?.advice
    }

    var storageFailingSince: Int64? { gateway?.store.health.failingSince }
}
