import MeshModel
import MeshProtocol
import RadioLink
import Store

// How own packets leave.
//
// 1. The radio drops a text that comes less than two seconds after the one before, with a NAK or silently
//    (SerialReference 8.2), and 2.15 s are still too few (SerialReference 14.2). So texts keep 2.5 s. Other ports have
//    longer intervals, each of its own: what waits for its interval lets the others pass.
// 2. Its transmit queue holds 16 packets for everybody on the radio. Stop when two places are left.
// 3. The answer to a packet is a queue status, which can get lost (SerialReference 2.6): it is awaited for a while.
// 4. After a crash nobody knows whether a packet that was about to be written has reached the radio. So that one which
//    has is not sent twice, and one which has not is sent at all, it is noted on disk before a text is written. For a
//    text that leaves at once, the note is part of its acceptance and costs nothing.
// 5. What the radio has taken stays here until the mesh has said what became of it, or nothing more is to be expected.
// 6. A packet of a client that is no text has no row: it is kept here alone, until its deadline.
// 7. What happens to a packet is known here at once, and on disk a while later. When the rows are read in between, they say
//    less than is known: what is on its way to the disk counts more than they do.
//
//     waiting -> noted -> offered -> handed -> accepted -> gone
//        <------------------- the link breaks

/// The own packets whose way is not at its end, in order, and the rules when the next one may go. A value without clock
/// or thread: time comes in as monotonic nanoseconds.
struct OutboxQueue {
    /// How many packets may be without a queue status.
    static let inFlightLimit = 2
    /// Nanoseconds after which a missing queue status is no longer awaited (above the 20 s stalls of some USB radios).
    static let queueStatusTimeout: UInt64 = 30_000_000_000
    /// Places of the radio's transmit queue that are left to others.
    static let reservedPlaces = 2
    /// How many requests of one port may wait: a traceroute behind ten others would go out when nobody waits for it.
    static let requestLimit = 10
    /// Nanoseconds for which a note on disk is good. The radio knows its last 20 packets for two minutes and more.
    static let noteLifetime: UInt64 = 30_000_000_000

    /// What is to be done next.
    enum Step {
        case send(MeshPacket)
        case pass(ClientPacket)
        /// To be noted on disk as handed, for so many times in all, and then ``noted(_:at:)``.
        case note(PacketID, attempts: Int)
        /// Something could go, but for the radio's transmit queue.
        case waitForRoom
        /// Nothing before then; nil: nothing before something changes.
        case wait(until: MonotonicTime?)
    }

    private(set) var entries: [Entry] = []
    private var turns: OutboxTurns
    /// What the last ``reload(_:)`` brought.
    private var reloaded: Set<PacketID> = []
    /// What rows that are read now do not say yet, and how many changes of this kind are on their way to the disk.
    private var unstored: [PacketID: (answers: Int, ends: Int)] = [:]

    init(pace: SendingPace) { turns = OutboxTurns(pace: pace) }

    /// Those that the link has still to be given.
    var count: Int { entries.count { $0.isUnwritten && $0.mayExpire } }

    /// Nanoseconds until there may be room for another request on this port; nil: there is.
    func delay(on port: PortNumber) -> MonotonicTime? {
        // Those who share the radio have room of their own.
        let waiting = entries.count { $0.isUnwritten && $0.sender?.kind != .share && $0.packet.port == port }
        return waiting < Self.requestLimit ? nil : turns.pace.interval(on: port)
    }

    /// Places that a client of the shared radio has left: it has as many as it would have in a radio of its own.
    ///
    /// - Parameter reserved: texts of it that are on their way to the disk.
    func places(for sender: Sender, on port: PortNumber, reserved: Int = 0) -> Int {
        let waiting = entries.count {
            $0.sender == sender && $0.packet.port.isText == port.isText && $0.state == .waiting
        }
        return (port.isText ? Self.waitingTexts : Self.waitingOthers) - waiting - (port.isText ? reserved : 0)
    }

    private static let waitingTexts = 16
    private static let waitingOthers = 5

    /// Whether a packet on this port that is accepted now leaves now, as far as this queue is concerned.
    func isFree(for port: PortNumber, at now: MonotonicTime) -> Bool {
        turns.due(on: port) <= now && !entries.contains { $0.isUnwritten && $0.packet.port == port }
            && entries.count { $0.awaitsQueueStatus != nil } < Self.inFlightLimit
    }

    /// From when on a packet on this port that is accepted then leaves at once; nil: that depends on others, which wait or
    /// are on their way. What waits for a node is in nobody's way.
    func opening(for port: PortNumber) -> MonotonicTime? {
        guard !entries.contains(where: { $0.isUnwritten && $0.hold == nil && $0.packet.port == port }),
            entries.count(where: { $0.awaitsQueueStatus != nil }) < Self.inFlightLimit
        else { return nil }
        return turns.due(on: port)
    }

    /// A packet that has just been accepted. Between its row and this call the rows may have been reloaded, and it may
    /// already be with the radio.
    mutating func append(_ entry: Entry) {
        guard !reloaded.contains(entry.packet.id) else { return change(entry.packet.id) { $0.bytes = entry.bytes } }
        entries.append(entry)
    }

    /// These are the source's packets in the database's order.
    ///
    /// - Parameter own: the radio's number; packets from another one, which have no rows, are not for it. Nil: not known.
    mutating func reload(_ rows: [Entry], own: NodeNumber? = nil) {
        let known = entries
        let volatile = entries.filter { $0.isVolatile && (own == nil || $0.packet.from == own) }
        let bytes = Dictionary(known.map { ($0.packet.id, $0.bytes) }) { first, _ in first }
        entries = rows.compactMap { row in
            var row = row
            row.bytes = bytes[row.packet.id] ?? nil
            guard let (answers, ends) = unstored[row.packet.id] else { return row }
            if ends > 0 { return nil }
            guard answers > 0 else { return row }
            if let entry = known.first(where: { $0.packet.id == row.packet.id }) { return entry }
            row.state = .accepted
            return row.packet.port.isText ? row : nil
        }
        entries += volatile
        reloaded = Set(rows.map(\.packet.id))
    }

    /// What is known of a packet is not on disk yet.
    ///
    /// - Parameter isEnd: nothing more is done for it; otherwise the radio has answered for it.
    mutating func storing(_ id: PacketID, isEnd: Bool) {
        var count = unstored[id] ?? (0, 0)
        if isEnd { count.ends += 1 } else { count.answers += 1 }
        unstored[id] = count
    }

    /// It is on disk now, or will never be.
    mutating func stored(_ id: PacketID, isEnd: Bool) {
        guard var count = unstored[id] else { return }
        if isEnd { count.ends -= 1 } else { count.answers -= 1 }
        unstored[id] = count == (0, 0) ? nil : count
    }

    // MARK: The next one

    /// - Parameter queueFree: places left in the radio's transmit queue.
    mutating func next(at now: MonotonicTime, queueFree: Int) -> Step {
        let unanswered = entries.compactMap(\.awaitsQueueStatus).filter { now - min($0, now) < Self.queueStatusTimeout }
        if unanswered.count >= Self.inFlightLimit { return .wait(until: unanswered.min()! + Self.queueStatusTimeout) }
        var earliest = UInt64.max
        for place in turns.firsts(of: entries, at: now, else: &earliest) {
            let (entry, port) = (entries[place], entries[place].packet.port)
            if queueFree <= Self.reservedPlaces { return .waitForRoom }
            switch entry.state {
            case .noting: continue
            case .noted(let time) where now - min(time, now) < Self.noteLifetime: break
            case .waiting where !port.needsNote: break
            default:
                // A note that has become old is renewed, and counts no more than before.
                if entry.state == .waiting { entries[place].attempts += 1 }
                entries[place].state = .noting
                return .note(entry.packet.id, attempts: entries[place].attempts)
            }
            turns.take(entry, at: now)
            entries[place].state = .offered(at: now)
            return entry.bytesToSend.map { .pass($0) } ?? .send(entry.packet)
        }
        return .wait(until: earliest == .max ? nil : earliest)
    }

    // MARK: What becomes of them

    /// The note is on disk.
    mutating func noted(_ id: PacketID, at now: MonotonicTime) {
        change(id) { if $0.state == .noting { $0.state = .noted(at: now) } }
    }

    /// The last byte was written; `patience` nanoseconds from now nobody expects a word about it any more. A text that the
    /// radio has not taken until the first deadline is given once more (``expire(at:)``).
    mutating func handed(_ id: PacketID, at now: MonotonicTime, patience: MonotonicTime) {
        change(id) { entry in
            guard entry.isUnwritten else { return }
            entry.state = .handed(at: now)
            entry.mayHaveLeft = true
            entry.patienceEnds = now + patience
            entry.deadline = now + (entry.mayRepeat ? min(Self.queueStatusTimeout, patience) : patience)
        }
    }

    /// The radio's queue took it. Requests end here: their answers come as packets like any other.
    mutating func accepted(_ id: PacketID) {
        change(id) { entry in
            entry.state = .accepted
            entry.deadline = entry.patienceEnds ?? entry.deadline
        }
        entries.removeAll { $0.packet.id == id && !$0.packet.port.isText }
    }

    /// Nobody wants them to be sent any more, or their way is at its end.
    mutating func remove(_ ids: Set<PacketID>) { entries.removeAll { ids.contains($0.packet.id) } }

    /// Takes back a packet that the link does not have yet.
    ///
    /// - Returns: nil when it is too late, or there is no such packet.
    mutating func withdraw(_ id: PacketID) -> Entry? {
        guard let place = entries.firstIndex(where: { $0.packet.id == id && $0.isUnwritten && $0.mayExpire }) else {
            return nil
        }
        return entries.remove(at: place)
    }

    /// What was withdrawn is to be sent all the same.
    mutating func putBack(_ entry: Entry) { entries.append(entry) }

    /// The session that was to take these ended before it did. Their rows may have been read when they said otherwise.
    ///
    /// - Returns: those that still wait.
    mutating func putRight(_ unwritten: [Entry]) -> [PacketID] {
        unwritten.compactMap { entry in
            guard let place = entries.firstIndex(where: { $0.packet.id == entry.packet.id }),
                entries[place].state == .waiting
            else { return nil }
            // The rows were read for a radio that may have another number.
            let (from, to) = (entries[place].packet.from, entries[place].packet.to)
            entries[place] = entry
            (entries[place].packet.from, entries[place].packet.to) = (from, to)
            return entry.packet.id
        }
    }

    /// What waited for this waits no longer.
    ///
    /// - Returns: the packets that may go now.
    mutating func release(_ hold: OutboxItem.Hold, for node: NodeNumber) -> Set<PacketID> {
        var released: Set<PacketID> = []
        for place in entries.indices where entries[place].hold == hold && entries[place].packet.to == node {
            entries[place].hold = nil
            released.insert(entries[place].packet.id)
        }
        return released
    }

    /// What has waited in here goes out as it is now, behind everything else. What waits no longer, because the rows were
    /// read again meanwhile, is left as it is.
    mutating func renew(_ held: [Entry]) {
        let waiting = Dictionary(entries.filter { $0.hold != nil }.map { ($0.packet.id, $0) }) { first, _ in first }
        let renewed = held.compactMap { entry -> Entry? in
            guard let old = waiting[entry.packet.id] else { return nil }
            var entry = entry
            entry.bytes = old.bytes?.demanding(entry.packet.publicKey)
            return entry
        }
        remove(Set(renewed.map(\.packet.id)))
        entries += renewed
    }

    /// The session ended: what was handed over will not be answered any more, and what was not will be later.
    ///
    /// - Returns: packets that were noted as handed and are not.
    mutating func sessionEnded() -> [(id: PacketID, attempts: Int)] {
        var unwritten: [(id: PacketID, attempts: Int)] = []
        for place in entries.indices {
            switch entries[place].state {
            case .noting, .noted, .offered:
                entries[place].state = .waiting
                guard entries[place].attempts > 0 else { continue }
                entries[place].attempts -= 1
                unwritten.append((entries[place].packet.id, entries[place].attempts))
            case .waiting, .handed, .accepted: continue
            }
        }
        return unwritten
    }

    // MARK: Deadlines

    /// When something expires.
    var deadline: MonotonicTime? {
        entries.lazy.filter { $0.mayExpire }.map(\.deadline).min().flatMap { $0 == .max ? nil : $0 }
    }

    /// Takes out what nobody waits for any more. A text about which the radio has said nothing waits once more: the radio may
    /// have been starting when it was written, and ignores it if it was not (SerialReference 3.2).
    mutating func expire(at now: MonotonicTime) -> [Entry] {
        for place in entries.indices where entries[place].deadline <= now {
            guard case .handed(let time) = entries[place].state, entries[place].mayRepeat else { continue }
            entries[place].state = .waiting
            entries[place].deadline = time + MonotonicTime(OutboxItem.repetitionWindow) * 1_000_000
        }
        let expired = entries.filter { $0.mayExpire && $0.deadline <= now }
        if !expired.isEmpty { remove(Set(expired.map(\.packet.id))) }
        return expired
    }

    private mutating func change(_ id: PacketID, _ change: (inout Entry) -> Void) {
        for place in entries.indices where entries[place].packet.id == id { change(&entries[place]) }
    }
}
