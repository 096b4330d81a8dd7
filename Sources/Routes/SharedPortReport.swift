import MeshModel
import Store

/// A port where programs of Meshtastic find a radio as if it were theirs.
public struct SharedPortReport: Hashable, Sendable {
    public struct Client: Hashable, Sendable {
        /// In numbers, without a port.
        public var address: String
        /// Its own end of the connection.
        public var port: UInt16
        /// Host milliseconds since 1970.
        public var since: Int64
        /// Packets that were taken for the radio.
        public var sent: UInt64
        /// Packets that were answered with an error.
        public var refused: UInt64

        public init(address: String, port: UInt16, since: Int64, sent: UInt64, refused: UInt64) {
            (self.address, self.port, self.since, self.sent, self.refused) = (address, port, since, sent, refused)
        }
    }

    /// "127.0.0.1:4403", "*:4403".
    public var address: String
    /// What its clients may do.
    public var right: ClientRight
    /// Whose radio it is; nil: the first one's.
    public var source: SourceID?
    /// Why nobody can connect, and what to do, in a sentence; nil: they can.
    public var problem: String?
    /// The oldest first.
    public var clients: [Client] = []
    /// Of all clients since the start.
    public var sent: UInt64 = 0
    public var refusedConnections: UInt64 = 0
    public var refusedPackets: UInt64 = 0

    public init(address: String, right: ClientRight, source: SourceID? = nil, problem: String? = nil) {
        (self.address, self.right, self.source, self.problem) = (address, right, source, problem)
    }

    /// - Parameter first: the oldest source that is enabled.
    public func isOf(_ id: SourceID, first: SourceID?) -> Bool { (source ?? first) == id }
}
