import MeshModel
import Store

/// What a test of a rule knows: the database, but nothing that only a running gateway knows, and nothing that rules have reported.
/// Names, favourites, channels and mutes are those of now.
class TestFacts: RuleFacts {
    let reader: Reader
    let stored: StoreFacts
    /// Keys of what would have been reported.
    var fired: Set<String> = []
    /// Host milliseconds.
    var lastFiredAt: Int64?
    var storageFailingSince: Int64?

    init(_ reader: Reader) { (self.reader, stored) = (reader, StoreFacts(reader, nil)) }

    func sources() throws -> [FoundSource] { try stored.sources() }
    func node(_ number: NodeNumber, in source: SourceID) throws -> Node? { try stored.node(number, in: source) }
    func channelNames(in source: SourceID) throws -> [Int: String] { try stored.channelNames(in: source) }
    func mute(of conversation: Conversation, in source: SourceID, at now: Int64) throws -> Mute? {
        try stored.mute(of: conversation, in: source, at: now.wholeSeconds)
    }
    func message(_ id: String, row: Int64?, in source: SourceID) throws -> Message? {
        try stored.message(id, row: row, in: source)
    }
    func conversation(of source: SourceID) throws -> BrokerConversation? { try stored.conversation(of: source) }
    func brokerText(of message: Message, in source: SourceID) throws -> BrokerText? {
        try stored.brokerText(of: message, in: source)
    }
    func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement? {
        try stored.measurement(name, inRow: row)
    }
    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> Reader.Measurement? {
        try stored.pointBefore(row: row, at: time, name, of: node, in: source)
    }
    func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>? {
        try stored.waypoint(id, in: source)
    }
    func position(inRow row: Int64, in source: SourceID) throws -> Record<Position>? {
        try stored.position(inRow: row, in: source)
    }
    func textCount(in source: SourceID, since: Int64) throws -> Int { try stored.textCount(in: source, since: since) }
    func happening(_ row: Int64) throws -> Happening? { try stored.happening(row) }
    func heardNodes() throws -> [Reader.HeardNode] { [] }
    func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)] { [] }
    func lastFired(_ rule: String) throws -> Int64? { lastFiredAt }
    func firings(of rule: String) throws -> [RuleFiring] { [] }
    func hasFired(_ rule: String, key: String) throws -> Bool { fired.contains(key) }
    func liveLinks() throws -> [Happening] { [] }
    func telemetryTime(ofRow row: Int64) throws -> Int64? { try stored.telemetryTime(ofRow: row) }
    func problems() -> [SourceID: Set<String>] { [:] }
    func advice(onProblem name: String, of source: SourceID) -> String? { nil }
}

/// The same at an earlier time. When each node was heard comes from the change log, which says that it was, and about when.
final class PastFacts: TestFacts {
    /// The time up to which the log was read, in host milliseconds.
    var now: Int64
    private var heard: [NodeNumber: Reader.HeardNode]

    /// - Parameters:
    ///   - heard: when each node was last heard, as of now.
    ///   - start: nodes that were heard later count as heard then, because it is unknown when they were before.
    init(_ reader: Reader, heard: [Reader.HeardNode], from start: Int64) {
        now = start
        self.heard = Dictionary(
            heard.map { one in
                (one.number, Reader.HeardNode(one.number, in: one.source, at: min(one.at, start).wholeSeconds))
            }, uniquingKeysWith: { first, _ in first })
        super.init(reader)
    }

    func hear(_ number: NodeNumber, in source: SourceID) {
        heard[number] = Reader.HeardNode(number, in: source, at: now)
    }

    override func heardNodes() throws -> [Reader.HeardNode] { heard.values.sorted { $0.number < $1.number } }

    override func node(_ number: NodeNumber, in source: SourceID) throws -> Node? {
        guard var node = try super.node(number, in: source) else { return nil }
        if let heard = heard[number], heard.source == source { node.lastHeard = heard.at / 1000 }
        return node
    }

    override func textCount(in source: SourceID, since: Int64) throws -> Int {
        try super.textCount(in: source, since: since) - super.textCount(in: source, since: now)
    }
}

extension Int64 {
    /// Milliseconds cut to seconds, as a node's row keeps them.
    fileprivate var wholeSeconds: Int64 { self / 1000 * 1000 }
}
