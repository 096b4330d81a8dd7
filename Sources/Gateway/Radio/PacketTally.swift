import MeshModel
import Store

/// How many packets have come and gone since the start, by source and port: for counters, which never go back.
struct PacketTally: Sendable {
    /// Anybody can put any port into a packet: those beyond are counted as unknown.
    private static let capacity = 64

    private var counts: [SourceID: [PortNumber: PacketCount]] = [:]

    /// - Parameter port: nil: nobody here can read it.
    mutating func count(_ port: PortNumber?, of source: SourceID, isSent: Bool) {
        var port = port ?? .unknown
        if counts[source]?[port] == nil, counts[source]?.count ?? 0 >= Self.capacity { port = .unknown }
        counts[source, default: [:]][port, default: PacketCount(port: port)].count(isSent: isSent)
    }

    subscript(source: SourceID) -> [PacketCount] { counts[source].map { Array($0.values) } ?? [] }
}

/// Packets on one port.
public struct PacketCount: Hashable, Sendable {
    public let port: PortNumber
    /// From other nodes.
    public internal(set) var received: UInt64 = 0
    /// Given to the radio.
    public internal(set) var sent: UInt64 = 0

    fileprivate mutating func count(isSent: Bool) { if isSent { sent += 1 } else { received += 1 } }
}

/// The packets of all radios.
final class CountedPackets: Sendable {
    private let tally = OwnerLock(PacketTally())

    /// - Parameter port: nil: nobody here can read it.
    func count(_ port: PortNumber?, of source: SourceID, isSent: Bool) {
        tally.withLock { $0.count(port, of: source, isSent: isSent) }
    }

    subscript(source: SourceID) -> [PacketCount] { tally.withLock { $0[source] } }
}

extension Gateway {
    /// Packets since the start, by their port. What a radio and its host say to each other is not among them.
    public func packetCounts(of source: SourceID) -> [PacketCount] {
        packets[source].sorted { $0.port.rawValue < $1.port.rawValue }
    }
}
