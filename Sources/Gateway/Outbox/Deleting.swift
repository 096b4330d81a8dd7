import MeshModel
import Store

extension AttachedRadio {
    /// Deletes messages and takes those back that still wait for the radio.
    ///
    /// - Returns: how many messages are gone.
    func deleteMessages(
        in source: SourceID, _ delete: @escaping @Sendable (Writer) throws -> [DeletedMessage]
    ) throws -> Int {
        let (count, withdrawn) = try store.commit { writer -> (Int, Set<PacketID>) in
            let deleted = try delete(writer)
            let own = Set(deleted.filter(\.isOwn).map(\.packetID))
            let items = try writer.outbox(in: source).filter {
                try own.contains(writer.firstPacketID(of: $0.packetID, in: source))
            }
            for item in items { try writer.removeOutbox(packetID: item.packetID, in: source) }
            return (deleted.count, Set(items.map(\.packetID)))
        }
        removeFromQueue(withdrawn, of: source)
        return count
    }

    /// These are no longer in the outbox on disk. The radio may have moved to another link meanwhile.
    func removeFromQueue(_ packets: Set<PacketID>, of source: SourceID) {
        guard let radio = feeds(source) ? self : radios?.feeding(source) else { return }
        radio.state.withLock { if $0.source == source { $0.outbox.remove(packets) } }
    }
}
