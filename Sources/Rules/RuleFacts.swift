import MeshModel
import Store

/// What rules ask about the mesh. The engine takes it as `any`: with `some` it was there three times, 0.24 MB.
public protocol RuleFacts {
    /// The radios, oldest first.
    func sources() throws -> [FoundSource]
    func node(_ number: NodeNumber, in source: SourceID) throws -> Node?
    /// By index.
    func channelNames(in source: SourceID) throws -> [Int: String]
    /// The mute with which users of this machine silence the conversation.
    func mute(of conversation: Conversation, in source: SourceID, at now: Int64) throws -> Mute?
    /// - Parameter row: where it is; nil if the caller does not know.
    func message(_ id: String, row: Int64?, in source: SourceID) throws -> Message?
    /// The conversation over a broker that this source is; nil: it is a radio.
    func conversation(of source: SourceID) throws -> BrokerConversation?
    /// What a message of such a source has besides.
    func brokerText(of message: Message, in source: SourceID) throws -> BrokerText?
    /// The value of this series in a row of telemetry; nil if there is none.
    func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement?
    /// The value that the node reported before this row.
    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> Reader.Measurement?
    func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>?
    /// A report of a node's position, with coordinates.
    func position(inRow row: Int64, in source: SourceID) throws -> Record<Position>?
    /// - Parameter since: host milliseconds.
    func textCount(in source: SourceID, since: Int64) throws -> Int
    func happening(_ row: Int64) throws -> Happening?
    func heardNodes() throws -> [Reader.HeardNode]
    func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)]
    /// When the rule fired last according to its log, in host milliseconds.
    func lastFired(_ rule: String) throws -> Int64?
    /// The rule's log, newest first.
    func firings(of rule: String) throws -> [RuleFiring]
    func hasFired(_ rule: String, key: String) throws -> Bool
    /// The rows that began the links that are live.
    func liveLinks() throws -> [Happening]
    /// Problems by name, of the gateway and of each connected radio.
    func problems() -> [SourceID: Set<String>]
    /// What `status` says of such a problem, without paths of files; nil if nobody knows.
    func advice(onProblem name: String, of source: SourceID) -> String?
    /// Since when nothing can be stored, in host milliseconds.
    var storageFailingSince: Int64? { get }
}

extension RuleFacts {
    func source(_ id: SourceID) throws -> Source? { try sources().first { $0.id == id }?.source }

    /// Whether it is one of our radios.
    func isOwn(_ number: NodeNumber) throws -> Bool { try sources().contains { $0.source.nodeNumber == number } }
}
