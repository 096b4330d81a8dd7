import MeshModel
import Store

/// What rules ask about the mesh, now.
public protocol RuleFacts {
    /// All of them, the oldest first.
    func sources() throws -> [FoundSource]
    func node(_ number: NodeNumber, in source: SourceID) throws -> Node?
    /// By index.
    func channelNames(in source: SourceID) throws -> [Int: String]
    /// Whether users of this machine want to hear nothing of it.
    func isMuted(_ conversation: Conversation, in source: SourceID, at now: Int64) throws -> Bool
    func message(_ id: String, in source: SourceID) throws -> Message?
    /// What a row of telemetry says of this series; nil: nothing.
    func measurement(_ name: String, inRow row: Int64) throws -> Reader.Measurement?
    /// The value that a node has reported before that row.
    func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> TelemetryPoint?
    func waypoint(_ id: UInt32, in source: SourceID) throws -> Record<Waypoint>?
    func happening(_ row: Int64) throws -> Happening?
    func heardNodes() throws -> [Reader.HeardNode]
    func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)]
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
