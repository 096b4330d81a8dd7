import Gateway
import MeshModel
import Store

/// An address at which a radio is shared with programs that speak its protocol over TCP.
public struct SharedPort: Hashable, Sendable {
    /// In numbers, IPv4 or IPv6; `0.0.0.0` and `::` stand for all.
    public var address: String
    /// 0: the system chooses one.
    public var port: UInt16
    /// What its clients may do; they all have the same.
    public var right: ClientRight
    /// When settings have changed its clients are disconnected, as at a radio's own port; otherwise they are told `rebooted`.
    public var closes: Bool
    /// Whose radio is shared; nil: the only one, or the oldest.
    public var source: SourceID?

    public init(
        address: String, port: UInt16 = 4403, right: ClientRight = .send, closes: Bool = false, source: SourceID? = nil
    ) {
        (self.address, self.port, self.right, self.closes, self.source) = (address, port, right, closes, source)
    }
}

/// How a shared port is doing.
public struct SharedPortStatus: Hashable, Sendable {
    public struct Client: Hashable, Sendable {
        /// In numbers, without a port.
        public var address: String
        /// Its own end of the connection.
        public var port: UInt16
        /// Wall milliseconds.
        public var since: Int64
        /// Packets that were taken for the radio.
        public var sent: UInt64
        /// Packets that were answered with an error.
        public var refused: UInt64
    }

    /// As it was asked for, with the port that it has got.
    public var address: String
    public var port: UInt16
    public var right: ClientRight
    public var source: SourceID?
    /// Those that are connected, the oldest first.
    public var clients: [Client] = []
    /// Of all clients since the start.
    public var sent: UInt64 = 0
    public var refusedConnections: UInt64 = 0
    public var refusedPackets: UInt64 = 0
}

/// Why a radio cannot be shared.
public enum RadioShareError: Error, Hashable, Sendable {
    /// It is no address in numbers.
    case notAnAddress(String)
    /// socket(2), bind(2) or listen(2) failed, with this error number.
    case cannotListen(address: String, port: UInt16, Int32)
    /// The process has no descriptor or thread left, as the error number says.
    case noRoom(Int32)
}
