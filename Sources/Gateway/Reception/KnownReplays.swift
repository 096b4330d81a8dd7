import MeshModel

/// The satellite values that the radio has repeated since the gateway started. Firmware 2.8 sends all of them after each
/// handshake, under the same packet ids until it reboots.
///
/// The database knows those that made a row of their own; others, such as a position without coordinates, would fill the
/// packet log.
struct KnownReplays {
    /// Many more than a radio keeps values.
    private static let limit = 4096

    private struct Key: Hashable { var from: NodeNumber, id: PacketID }
    private var known: Set<Key> = []

    /// - Returns: false when it was known.
    mutating func insert(_ packet: MeshPacket) -> Bool {
        if known.count >= Self.limit { known.removeAll() }
        return known.insert(Key(from: packet.from, id: packet.id)).inserted
    }
}
