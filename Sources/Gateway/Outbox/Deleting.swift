import MeshModel
import Store

/// Why a node was not deleted.
public enum DeletionRefusal: Error, Equatable {
    case noSuchNode
    /// The radio itself.
    case ownNode
    /// It could not be written to disk; the text says why. What was deleted before stays deleted.
    case storage(String)
}

extension Gateway {
    /// Deletes a message by its row's id. One that still waits for the radio is not sent.
    ///
    /// - Returns: false when there is no such message.
    public func deleteMessage(id: String, in source: SourceID) throws -> Bool {
        try keeper(of: source).deleteMessages(in: source) {
            try $0.deleteMessage(id: id, in: source).map { [$0] } ?? []
        }
            > 0
    }

    /// Deletes the messages that a node has sent, and the direct ones to it.
    ///
    /// - Parameter channels: those of whose messages; nil for all, -1 is direct messages.
    /// - Returns: how many there were.
    public func deleteMessages(
        with node: NodeNumber, channels: [Int]? = nil, in source: SourceID
    ) throws -> Int {
        var count = 0
        // In slices: other changes must not wait for a node's whole history.
        while true {
            let deleted = try keeper(of: source).deleteMessages(in: source) {
                try $0.deleteMessages(with: node, channels: channels, in: source, limit: 500)
            }
            if deleted == 0 { return count }
            count += deleted
        }
    }

    /// Deletes a node with all that is stored of it: its messages and the direct ones to it, what it has measured, its
    /// places, routes, packets, neighbours, waypoints and marks. What waits to be sent to it is cancelled. It comes back
    /// when it is heard again, or when the radio still lists it: then with the key that it had.
    ///
    /// It is done in slices, the node's own row last, so that it can be done again when it was interrupted.
    public func deleteNode(_ node: NodeNumber, in source: SourceID) throws(DeletionRefusal) -> DeletedNode {
        do {
            try keeper(of: source).cancelPackets(to: node, in: source)
            var deleted = DeletedNode()
            deleted.messages = try deleteMessages(with: node, in: source)
            for table in ReportTable.allCases { deleted.points += try deleteReports(of: node, from: table, in: source) }
            for table in LoggedTable.allCases {
                let count = try deleteLogged(table, with: node, in: source)
                if table == .traceroutes { deleted.traceroutes = count }
            }
            try deleteRow(of: node, in: source)
            store.forgetCounts()
            return deleted
        } catch let refusal as DeletionRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
    }

    private func deleteReports(of node: NodeNumber, from table: ReportTable, in source: SourceID) throws -> Int {
        // Rows of the last hour, as a rule. Where there are more, all of them are counted again later.
        for _ in 0..<20 where try !store.commit({ try $0.countPoints(of: table) }) { break }
        var points = 0
        while true {
            let deleted = try store.commit { try $0.deleteReports(of: node, from: table, in: source, limit: 500) }
            if deleted.rows == 0 { return points }
            points += deleted.points
        }
    }

    private func deleteLogged(_ table: LoggedTable, with node: NodeNumber, in source: SourceID) throws -> Int {
        var (count, last) = (0, Int64?.some(0))
        while let row = last {
            let deleted = try store.commit {
                try $0.deleteLogged(table, with: node, in: source, after: row, batch: 2_000)
            }
            count += deleted.deleted
            last = deleted.last
        }
        return count
    }

    private func deleteRow(of node: NodeNumber, in source: SourceID) throws {
        // A packet of the node can be in the same transaction, but not in each.
        for _ in 0..<100 where try store.commit({ try $0.deleteNode(node, in: source) }) { return }
        throw DeletionRefusal.storage("the node is heard all the time")
    }
}

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

    /// Whatever waits to be sent to a node, which is about to be deleted, is not sent; listeners are told. Nobody is
    /// known any more as its other number.
    fileprivate func cancelPackets(to node: NodeNumber, in source: SourceID) throws {
        let now = clock()
        let withdrawn = try store.commit { writer -> Set<PacketID> in
            guard try writer.source(source)?.nodeNumber != node else {
                throw DeletionRefusal.ownNode
            }
            guard try writer.node(node, in: source) != nil else { throw DeletionRefusal.noSuchNode }
            try writer.unlinkTwins(of: node, in: source, at: now)
            let items = try writer.outbox(in: source).filter { $0.packet.to == node }
            for item in items {
                switch item.state {
                case .waiting: try writer.giveUp(item.packetID, because: .cancelled, in: source, at: now)
                // The radio has it, or may have it: what becomes of it concerns nobody any more.
                default: try writer.removeOutbox(packetID: item.packetID, in: source)
                }
            }
            return Set(items.map(\.packetID))
        }
        removeFromQueue(withdrawn, of: source)
    }

    /// These are no longer in the outbox on disk.
    func removeFromQueue(_ packets: Set<PacketID>, of source: SourceID) {
        if !packets.isEmpty { outboxes.of(source).remove(packets) }
    }
}
