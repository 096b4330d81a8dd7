import MeshModel
import MeshProtocol
import RadioLink
import Store

// Points on the map that are made, changed and deleted here: each is a row at once, and a packet that tells everybody on
// its channel (serial reference 4.9). Nobody but us keeps the lock of a waypoint (Ingest), so it is kept here too.

/// Why a waypoint is not made, changed or deleted.
public enum WaypointRefusal: Error, Equatable {
    case notConnected
    case transmitDisabled
    /// There is none with this id; one that has expired is none.
    case notFound
    /// Only this node may change it.
    case locked(NodeNumber)
    /// It is on this channel, on which whoever asks may not write.
    case closed(Int)
    /// The radio does not have this channel.
    case noChannel(Int)
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

    /// Changes a waypoint, also another node's that is not locked, and tells everybody on its channel.
    ///
    /// - Parameters:
    ///   - isLocked: nil: as it was.
    ///   - mayWrite: whether whoever asks may write on a channel.
    public func changeWaypoint(
        _ id: UInt32, isLocked: Bool?, in source: SourceID, mayWrite: @escaping @Sendable (Int) -> Bool,
        _ change: @escaping @Sendable (inout Waypoint) -> Void
    ) throws(WaypointRefusal) -> Record<Waypoint> {
        let change = WaypointChange.change(id, isLocked: isLocked, mayWrite: mayWrite, change)
        guard let record = try apply(change, in: source) else { throw .notFound }
        return record
    }

    /// Deletes a waypoint here, and tells everybody on its channel to do so.
    ///
    /// - Parameter mayWrite: as above.
    public func deleteWaypoint(
        _ id: UInt32, in source: SourceID, mayWrite: @escaping @Sendable (Int) -> Bool
    ) throws(WaypointRefusal) {
        _ = try apply(.delete(id, mayWrite: mayWrite), in: source)
    }

    private func apply(
        _ change: WaypointChange, in source: SourceID
    ) throws(WaypointRefusal) -> Record<Waypoint>? {
        guard let radio = radioFeeding(source) else { throw .notConnected }
        return try radio.apply(change, in: source)
    }
}

enum WaypointChange: Sendable {
    typealias MayWrite = @Sendable (Int) -> Bool

    case create(Waypoint, isLocked: Bool, channel: Int)
    case change(UInt32, isLocked: Bool?, mayWrite: MayWrite, @Sendable (inout Waypoint) -> Void)
    case delete(UInt32, mayWrite: MayWrite)
}

extension AttachedRadio {
    /// Milliseconds in which it goes out, or not at all.
    private static let waypointLifetime: Int64 = 3_600_000

    func apply(
        _ change: WaypointChange, in source: SourceID
    ) throws(WaypointRefusal) -> Record<Waypoint>? {
        let outcome: (record: Record<Waypoint>?, packet: MeshPacket)
        do {
            outcome = try store.commit { [self] writer in try accept(change, writer, in: source) }
        } catch let refusal as WaypointRefusal {
            throw refusal
        } catch {
            throw .storage("\(error)")
        }
        var entry = OutboxQueue.Entry(packet: outcome.packet)
        entry.deadline = monotonic() + nanoseconds(Self.waypointLifetime)
        queue([entry], of: source)
        return outcome.record
    }

    /// On the writer thread. A refusal leaves nothing behind.
    private func accept(
        _ change: WaypointChange, _ writer: Writer, in source: SourceID
    ) throws -> (record: Record<Waypoint>?, packet: MeshPacket) {
        let now = clock()
        let (radio, delay) = state.withLock { state in
            (state.takesPackets(of: source) ? state.snapshot : nil, state.outbox.delay(on: .waypoint))
        }
        guard let radio else { throw WaypointRefusal.notConnected }
        let (waypoint, channel) = try waypoint(after: change, own: radio.number, at: now, writer, in: source)
        guard radio.channels.contains(where: { $0.index == channel && $0.role != .disabled }) else {
            throw WaypointRefusal.noChannel(channel)
        }
        guard !radio.isTransmitDisabled else { throw WaypointRefusal.transmitDisabled }
        if let delay { throw WaypointRefusal.tooMany(seconds: max(1, Int(delay / 1_000_000_000))) }
        if waypoint.isExpired(at: now) {
            try writer.deleteWaypoint(id: waypoint.id, in: source)
        } else {
            try writer.upsertWaypoint(waypoint, from: radio.number, channel: channel, in: source, at: now)
        }
        var used: Set<PacketID> = []
        let packet = MeshPacket(
            from: radio.number, to: .broadcast, channel: UInt32(channel),
            id: try unusedID(from: radio.number, writer, in: source, besides: &used),
            payload: .decoded(MeshData(port: .waypoint, payload: waypoint.encoded())),
            hopLimit: radio.lora?.effectiveHopLimit ?? 3, wantAck: true)
        try writer.insertOutbox(
            OutboxItem(packet: packet, kind: "waypoint", expiresAt: now + Self.waypointLifetime, createdAt: now),
            in: source)
        return (try writer.waypointRecord(id: waypoint.id, in: source), packet)
    }

    /// What is to be told, and on which channel.
    private func waypoint(
        after change: WaypointChange, own: NodeNumber, at now: Int64, _ writer: Writer, in source: SourceID
    ) throws -> (Waypoint, channel: Int) {
        switch change {
        case .create(var waypoint, let isLocked, let channel):
            repeat {
                waypoint.id = writer.random()
            } while try waypoint.id == 0
                || writer.waypointRecord(id: waypoint.id, in: source) != nil
            waypoint.lockedTo = isLocked ? own : NodeNumber(0)
            return (waypoint.readyToSend, channel)
        case .change(let id, let isLocked, let mayWrite, let change):
            var (waypoint, channel) = try writable(id, mayWrite, own: own, at: now, writer, in: source)
            change(&waypoint)
            waypoint.id = id
            if let isLocked { waypoint.lockedTo = isLocked ? own : NodeNumber(0) }
            return (waypoint.readyToSend, channel)
        case .delete(let id, let mayWrite):
            let (known, channel) = try writable(id, mayWrite, own: own, at: now, writer, in: source)
            // A past time: 0 would be "for ever" to some.
            return (Waypoint(id: id, expire: 1, lockedTo: known.lockedTo), channel)
        }
    }

    private func writable(
        _ id: UInt32, _ mayWrite: WaypointChange.MayWrite, own: NodeNumber, at now: Int64, _ writer: Writer,
        in source: SourceID
    ) throws -> (Waypoint, channel: Int) {
        guard let known = try writer.waypointRecord(id: id, in: source), !known.value.isExpired(at: now) else {
            throw WaypointRefusal.notFound
        }
        // Nobody knows on which channel older ones came: they go by the primary one, as when they are read.
        let channel = Int(known.channel ?? 0)
        guard mayWrite(channel) else { throw WaypointRefusal.closed(channel) }
        let lock = known.value.lockedTo
        guard lock.rawValue == 0 || lock == own else { throw WaypointRefusal.locked(lock) }
        return (known.value, channel)
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
