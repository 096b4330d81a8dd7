import MeshModel
import MeshProtocol
import RadioLink
import Store

// Points on the map that are made, changed and deleted here: each is a row at once, and a packet that tells everybody on
// its channel (SerialReference 4.9). Nobody but us keeps the lock of a waypoint (Ingest), so it is kept here too.
//
// One that came as a direct message stays between two: a change goes to its sender alone, encrypted for it, or not at all.

/// Why a waypoint is not made, changed or deleted.
public enum WaypointRefusal: Error, Equatable {
    case notConnected
    case transmitDisabled
    /// There is none with this id; one that has expired is none.
    case notFound
    /// Only this node may change it.
    case locked(NodeNumber)
    /// It is on this channel, on which the caller may not write; nil: it is a direct message.
    case closed(Int?)
    /// The radio does not have this channel.
    case noChannel(Int)
    /// It came as a direct message from this node, and there is no key with which a change could be sent back.
    case noKey(NodeNumber)
    /// The same, and another key than the known one was seen for the node.
    case keyInDoubt(NodeNumber)
    /// So many wait for the radio that there is room only after so many seconds.
    case tooMany(seconds: Int)
    /// It could not be written to disk; the text says why.
    case storage(String)
}

extension Gateway {
    /// Makes a waypoint and tells everybody on a channel. When this returns, both are on disk.
    ///
    /// - Parameters:
    ///   - waypoint: its id is given here. ``Waypoint/expire`` 0: never.
    ///   - isLocked: nobody but this radio may change it.
    ///   - channel: 0 to 7.
    public func create(
        _ waypoint: Waypoint, isLocked: Bool, on channel: Int, in source: SourceID
    ) throws(WaypointRefusal) -> Record<Waypoint> {
        let change = WaypointChange.create(waypoint, isLocked: isLocked, channel: channel)
        guard let record = try apply(change, in: source) else { throw .notFound }
        return record
    }

    /// Changes a waypoint, also another node's that is not locked, and tells everybody on its channel; of a direct message
    /// its sender alone.
    ///
    /// - Parameters:
    ///   - isLocked: nil: as it was.
    ///   - mayWrite: whether the caller may write on a channel; nil: direct messages.
    public func changeWaypoint(
        _ id: UInt32, isLocked: Bool?, in source: SourceID, mayWrite: @escaping @Sendable (Int?) -> Bool,
        _ change: @escaping @Sendable (inout Waypoint) -> Void
    ) throws(WaypointRefusal) -> Record<Waypoint> {
        let change = WaypointChange.change(id, isLocked: isLocked, mayWrite: mayWrite, change)
        guard let record = try apply(change, in: source) else { throw .notFound }
        return record
    }

    /// Deletes a waypoint here, and tells everybody on its channel to do so; of a direct message its sender, when there is a
    /// key for it.
    ///
    /// - Parameter mayWrite: as above.
    /// - Returns: whether the deletion goes out to others; false: the waypoint was deleted here only.
    public func deleteWaypoint(
        _ id: UInt32, in source: SourceID, mayWrite: @escaping @Sendable (Int?) -> Bool
    ) throws(WaypointRefusal) -> Bool {
        try applied(.delete(id, mayWrite: mayWrite), in: source).isTold
    }

    private func apply(
        _ change: WaypointChange, in source: SourceID
    ) throws(WaypointRefusal) -> Record<Waypoint>? { try applied(change, in: source).record }

    private func applied(
        _ change: WaypointChange, in source: SourceID
    ) throws(WaypointRefusal) -> (record: Record<Waypoint>?, isTold: Bool) {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return try radio.apply(change, in: source)
    }
}

enum WaypointChange: Sendable {
    typealias MayWrite = @Sendable (Int?) -> Bool

    case create(Waypoint, isLocked: Bool, channel: Int)
    case change(UInt32, isLocked: Bool?, mayWrite: MayWrite, @Sendable (inout Waypoint) -> Void)
    case delete(UInt32, mayWrite: MayWrite)

    fileprivate var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// Where a packet about a waypoint goes.
private enum WaypointAudience {
    /// To everybody on a channel.
    case channel(Int)
    /// To the node that sent it as a direct message.
    case node(NodeNumber)

    /// On which it is stored; nil: a direct message.
    var channel: Int? { if case .channel(let index) = self { index } else { nil } }
}

extension AttachedRadio {
    /// Milliseconds in which it goes out, or not at all.
    private static let waypointLifetime: Int64 = 3_600_000

    private struct Outcome: Sendable {
        var record: Record<Waypoint>?
        var entries: [OutboxQueue.Entry] = []
    }

    func apply(
        _ change: WaypointChange, in source: SourceID
    ) throws(WaypointRefusal) -> (record: Record<Waypoint>?, isTold: Bool) {
        let outcome: Outcome
        do {
            outcome = try store.commit { [self] writer in try accept(change, writer, in: source) }
        } catch let refusal as WaypointRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        hasIntroduced(outcome.entries, in: source)
        queue(outcome.entries, of: source)
        return (outcome.record, !outcome.entries.isEmpty)
    }

    /// On the writer thread. A refusal leaves nothing behind.
    private func accept(_ change: WaypointChange, _ writer: Writer, in source: SourceID) throws -> Outcome {
        let now = clock()
        let delay = outboxes.of(source).delay(on: .waypoint)
        guard let radio = attachment.present(source) else { throw WaypointRefusal.notConnected }
        let (waypoint, audience) = try waypoint(after: change, own: radio.number, at: now, writer, in: source)
        var packet = MeshPacket(
            from: radio.number, to: .broadcast, id: 0,
            payload: .decoded(MeshData(port: .waypoint, payload: waypoint.encoded())),
            hopLimit: radio.lora?.effectiveHopLimit ?? 3, wantAck: true)
        let isTold = try address(&packet, to: audience, change, radio, writer, in: source)
        if isTold {
            guard !radio.isTransmitDisabled else { throw WaypointRefusal.transmitDisabled }
            if let delay { throw WaypointRefusal.tooMany(seconds: max(1, Int(delay / 1_000_000_000))) }
        }
        if waypoint.isExpired(at: now) {
            try writer.deleteWaypoint(id: waypoint.id, in: source)
        } else {
            // A direct message keeps its other end, also when this radio has changed it last.
            let sender = if case .node(let other) = audience { other } else { radio.number }
            try writer.upsertWaypoint(waypoint, from: sender, channel: audience.channel, in: source, at: now)
        }
        var outcome = Outcome(record: try writer.waypointRecord(id: waypoint.id, in: source))
        guard isTold else { return outcome }
        var used: Set<PacketID> = []
        packet.id = try unusedID(from: radio.number, writer, in: source, besides: &used)
        outcome.entries = try introduction(before: packet, writer, in: source, at: now)
        try writer.insertOutbox(
            OutboxItem(packet: packet, kind: "waypoint", expiresAt: now + Self.waypointLifetime, createdAt: now),
            in: source)
        var entry = OutboxQueue.Entry(packet: packet)
        entry.deadline = monotonic() + nanoseconds(Self.waypointLifetime)
        outcome.entries.append(entry)
        return outcome
    }

    /// - Returns: false when no packet can go out, and none has to: a direct message is deleted here alone.
    private func address(
        _ packet: inout MeshPacket, to audience: WaypointAudience, _ change: WaypointChange, _ radio: RadioSnapshot,
        _ writer: Writer, in source: SourceID
    ) throws -> Bool {
        switch audience {
        case .channel(let channel):
            guard radio.channels.contains(where: { $0.index == channel && $0.role != .disabled }) else {
                throw WaypointRefusal.noChannel(channel)
            }
            packet.channel = UInt32(channel)
            return true
        case .node(let sender):
            do {
                (packet.to, packet.publicKey) = try recipient(of: sender, from: radio.number, writer, in: source)
            } catch WaypointRefusal.noKey where change.isDeletion, WaypointRefusal.keyInDoubt where change.isDeletion {
                return false
            }
            // Without this the radio would take a channel's key.
            packet.pkiEncrypted = true
            return true
        }
    }

    /// The sender of a direct message as it can be written to, also under another number, and its pinned key.
    private func recipient(
        of sender: NodeNumber, from own: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws -> (NodeNumber, PublicKey) {
        let number = try writer.presentNumber(of: sender, in: source)
        guard let key = try OutgoingText.demandedKey(of: number, from: own, writer, in: source) else {
            throw WaypointRefusal.noKey(sender)
        }
        let isInDoubt = try writer.node(number, in: source)?.isKeyInDoubt == true
        guard !isInDoubt || keyChange.withLock({ $0 == .send }) else { throw WaypointRefusal.keyInDoubt(number) }
        return (number, key)
    }

    /// The waypoint that the packet carries, and where the packet goes.
    private func waypoint(
        after change: WaypointChange, own: NodeNumber, at now: Int64, _ writer: Writer, in source: SourceID
    ) throws -> (Waypoint, WaypointAudience) {
        switch change {
        case .create(var waypoint, let isLocked, let channel):
            repeat {
                waypoint.id = writer.random()
            } while try waypoint.id == 0
                || writer.waypointRecord(id: waypoint.id, in: source) != nil
            waypoint.lockedTo = isLocked ? own : NodeNumber(0)
            return (waypoint.readyToSend, .channel(channel))
        case .change(let id, let isLocked, let mayWrite, let change):
            var (waypoint, audience) = try writable(id, mayWrite, own: own, at: now, writer, in: source)
            change(&waypoint)
            waypoint.id = id
            if let isLocked { waypoint.lockedTo = isLocked ? own : NodeNumber(0) }
            return (waypoint.readyToSend, audience)
        case .delete(let id, let mayWrite):
            let (known, audience) = try writable(id, mayWrite, own: own, at: now, writer, in: source)
            // A past time: 0 would be "for ever" to some.
            return (Waypoint(id: id, expire: 1, lockedTo: known.lockedTo), audience)
        }
    }

    private func writable(
        _ id: UInt32, _ mayWrite: WaypointChange.MayWrite, own: NodeNumber, at now: Int64, _ writer: Writer,
        in source: SourceID
    ) throws -> (Waypoint, WaypointAudience) {
        guard let known = try writer.waypointRecord(id: id, in: source), !known.value.isExpired(at: now) else {
            throw WaypointRefusal.notFound
        }
        // Older rows have no channel; they count as direct messages, as they do when they are read.
        let channel = known.channel.map { Int($0) }
        guard mayWrite(channel) else { throw WaypointRefusal.closed(channel) }
        let lock = known.value.lockedTo
        guard lock.rawValue == 0 || lock == own else { throw WaypointRefusal.locked(lock) }
        return (known.value, channel.map { .channel($0) } ?? .node(known.node))
    }
}

extension Waypoint {
    /// "Never" as every receiver understands it: the firmware's own screen takes 0 for a time that is over.
    fileprivate var readyToSend: Waypoint {
        var waypoint = self
        if expire == 0 { waypoint.expire = UInt32(Int32.max) }
        return waypoint
    }

    /// Seconds since 1970 until when it is shown; nil: for ever.
    public var end: UInt32? { expire == 0 || expire >= UInt32(Int32.max) ? nil : expire }
}
