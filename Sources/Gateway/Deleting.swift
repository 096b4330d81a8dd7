import MeshModel
import Store

extension AttachedRadio {
    /// Deletes messages and takes those back that still wait for the radio.
    ///
    /// - Returns: how many messages are gone.
    func deleteMessages(
        in source: SourceID, _ delete: @escaping @Sendable (Writer) throws -> [DeletedMessage]
    ) throws -> Int {
        let deleted = try store.commit { writer in
            let deleted = try delete(writer)
            for message in deleted where message.isOwn {
                try writer.removeOutbox(packetID: message.packetID, in: source)
            }
            return deleted
        }
        let own = Set(deleted.filter(\.isOwn).map(\.packetID))
        takeBack(own, of: source)
        return deleted.count
    }

    /// These are no longer in the outbox on disk. The radio may have moved to another link meanwhile.
    func takeBack(_ packets: Set<PacketID>, of source: SourceID) {
        guard let radio = feeds(source) ? self : radios?.feeding(source) else { return }
        radio.state.withLock { if $0.source == source { $0.outbox.remove(packets) } }
    }
}
