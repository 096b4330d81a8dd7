import MeshModel
import Store

/// What rules ask about the mesh, now.
public protocol RuleFacts {
    /// All of them, the oldest first.
    func sources() throws -> [FoundSource]
    func node(_ number: NodeNumber, in source: SourceID) throws -> Node?
    /// By index.
    func channelNames(in source: SourceID) throws -> [Int: String]
    /// Users of this machine want to hear nothing of it.
    func mute(of conversation: Conversation, in source: SourceID, at now: Int64) throws -> Mute?
    func message(_ id: String, in source: SourceID) throws -> Message?
    /// What a row of telemetry says of this series; nil: nothing.
    func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement?
    /// The value that a node has reported before that row.
    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> TelemetryPoint?
    func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>?
    /// A report of a node's place, with coordinates.
    func position(inRow row: Int64, in source: SourceID) throws -> Record<Position>?
    /// Since host milliseconds.
    func textCount(in source: SourceID, since: Int64) throws -> Int
    func happening(_ row: Int64) throws -> Happening?
    func heardNodes() throws -> [Reader.HeardNode]
    func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)]
    /// When the rule's log has its last firing, in host milliseconds.
    func lastFired(_ rule: String) throws -> Int64?
    func hasFired(_ rule: String, key: String) throws -> Bool
    /// The rows that began the links which are live.
    func liveLinks() throws -> [Happening]
    /// Of the gateway, and of each radio that is there, by name.
    func problems() -> [SourceID: Set<String>]
    /// Host milliseconds since when nothing can be stored.
    var storageFailingSince: Int64? { get }
}

extension RuleFacts {
    func source(_ id: SourceID) throws -> Source? { try sources().first { $0.id == id }?.source }

    /// It is one of our radios.
    func isOwn(_ number: NodeNumber) throws -> Bool { try sources().contains { $0.source.nodeNumber == number } }
}
