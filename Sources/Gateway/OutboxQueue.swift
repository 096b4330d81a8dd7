import MeshModel
import RadioLink
import Store

// How own packets leave.
//
// 1. The radio drops a text that comes less than two seconds after the one before, with a NAK or silently (serial
//    reference 8.2); real firmware still refused at 2.15 s (14.2). So texts keep 2.5 s. Other ports have longer
//    intervals, each of its own: what waits for its interval lets the others pass.
// 2. Its transmit queue holds 16 packets for everybody on the radio. Stop when two places are left.
// 3. The answer to a packet is a queue status, which can get lost (2.6): it is awaited for a while, never for ever.
// 4. After a crash nobody knows whether a packet that was about to be written has reached the radio. So that one which
//    has is not sent twice, and one which has not is sent at all, it is noted on disk before a text is written. For a
//    text that leaves at once, the note is part of its acceptance and costs nothing.
// 5. What the radio has taken stays here until the mesh has said what became of it, or nothing more is to be expected.
// 6. What happens to a packet is known here at once, and on disk a while later. When the rows are read in between, they say
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

    struct Entry {
        enum State: Equatable {
            case waiting
            /// The note that it goes out is on its way to the disk.
            case noting
            /// The note is on disk.
            case noted(at: MonotonicTime)
            /// The link has it.
            case offered(at: MonotonicTime)
            /// Written to the radio.
            case handed(at: MonotonicTime)
            case accepted
        }

        var packet: MeshPacket
        var state = State.waiting
        var hold: OutboxItem.Hold?
        /// How often it was noted under this packet id.
        var attempts = 0
        /// The radio may have it, under this packet id.
        var mayHaveLeft = false
        var notBefore: MonotonicTime = 0
        /// While it waits: when nobody wants it any more. Afterwards: when no word is to be expected any more.
        var deadline: MonotonicTime = .max
        var patienceEnds: MonotonicTime?

        var isUnwritten: Bool {
            switch state {
            case .waiting, .noting, .noted, .offered: true
            case .handed, .accepted: false
            }
        }

        /// What the link is about to write is out of our hands.
        fileprivate var mayExpire: Bool { if case .offered = state { false } else { true } }

        /// It was given to the radio once, and may be a second time.
        fileprivate var mayRepeat: Bool { packet.port.isText && attempts < 2 }

        fileprivate var awaitsQueueStatus: MonotonicTime? {
            switch state {
            case .offered(let time), .handed(let time): time
            case .waiting, .noting, .noted, .accepted: nil
            }
        }
    }

    /// What is to be done next.
    enum Step {
        case send(MeshPacket)
        /// To be noted on disk as handed, for so many times in all, and then ``noted(_:at:)``.
        case note(PacketID, attempts: Int)
        /// Something could go, but for the radio's transmit queue.
        case waitForRoom
        /// Nothing before then; nil: nothing before something changes.
        case wait(until: MonotonicTime?)
    }

    private let pace: SendingPace
    private(set) var entries: [Entry] = []
    private var lastSent: [PortNumber: UInt64] = [:]
    /// What the last ``reload(_:)`` brought.
    private var reloaded: Set<PacketID> = []
    /// What rows that are read now do not say yet, and how many changes of this kind are on their way to the disk.
    private var unstored: [PacketID: (answers: Int, ends: Int)] = [:]

    init(pace: SendingPace) { self.pace = pace }

    /// Those that the link has still to be given.
    var count: Int { entries.count { $0.isUnwritten && $0.mayExpire } }

    /// Nanoseconds until there may be room for another request on this port; nil: there is.
    func delay(on port: PortNumber) -> MonotonicTime? {
        let waiting = entries.count { $0.isUnwritten && $0.packet.port == port }
        return waiting < Self.requestLimit ? nil : pace.interval(on: port)
    }

    /// Whether a packet on this port that is accepted now leaves now, as far as this queue is concerned.
    func isFree(for port: PortNumber, at now: MonotonicTime) -> Bool {
        dueTime(on: port) <= now && !entries.contains { $0.isUnwritten && $0.packet.port == port }
            && entries.count { $0.awaitsQueueStatus != nil } < Self.inFlightLimit
    }

    /// A packet that has just been accepted. Between its row and this call the rows may have been reloaded, and it may
    /// already be with the radio.
    mutating func append(_ entry: Entry) {
        guard !reloaded.contains(entry.packet.id) else { return }
        entries.append(entry)
    }

    /// These are the source's packets in the database's order.
    mutating func reload(_ rows: [Entry]) {
        let known = entries
        entries = rows.compactMap { row in
            guard let (answers, ends) = unstored[row.packet.id] else { return row }
            if ends > 0 { return nil }
            guard answers > 0 else { return row }
            if let entry = known.first(where: { $0.packet.id == row.packet.id }) { return entry }
            var row = row
            row.state = .accepted
            return row.packet.port.isText ? row : nil
        }
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
        /// Of one kind the first goes first, also while its note is on its way to the disk.
        var blocked: Set<PortNumber> = []
        for place in entries.indices where entries[place].isUnwritten && entries[place].hold == nil {
            let (entry, port) = (entries[place], entries[place].packet.port)
            if case .offered = entry.state { continue }
            guard !blocked.contains(port) else { continue }
            let due = max(dueTime(on: port), entry.notBefore)
            guard due <= now else {
                earliest = min(earliest, due)
                continue
            }
            if queueFree <= Self.reservedPlaces { return .waitForRoom }
            blocked.insert(port)
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
            lastSent[port] = now
            entries[place].state = .offered(at: now)
            return .send(entry.packet)
        }
        return .wait(until: earliest == .max ? nil : earliest)
    }

    private func dueTime(on port: PortNumber) -> MonotonicTime {
        lastSent[port].map { $0 + pace.interval(on: port) } ?? 0
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
    mutating func putRight(_ unwritten: [Entry]) {
        for entry in unwritten {
            guard let place = entries.firstIndex(where: { $0.packet.id == entry.packet.id }),
                entries[place].state == .waiting
            else { continue }
            entries[place] = entry
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
        let waiting = Set(entries.filter { $0.hold != nil }.map(\.packet.id))
        let renewed = held.filter { waiting.contains($0.packet.id) }
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
    /// have been starting when it was written, and ignores it if it was not (serial reference 3.2).
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

extension MeshPacket {
    var port: PortNumber { decoded?.port ?? .unknown }
}

extension PortNumber {
    var isText: Bool { self == .textMessage }
    /// Asking twice does no harm; saying something twice does.
    fileprivate var needsNote: Bool { isText }
}
