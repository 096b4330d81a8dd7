import MeshModel
import MeshProtocol
import RadioLink
import Store
import Synchronization

/// What waits for the radio of a source, and what is known of what it has. It belongs to the source: it outlives that the
/// radio is unplugged, and goes with it from link to link.
///
/// Its gate (``OutboxGate``) closes with the session, before anybody is told that the radio has gone, and opens when it is on
/// disk that the radio is this source's. Who calls with another session is answered as if the radio had just gone. Between a
/// radio's introduction and that decision clients' packets are taken, but none is given out.
final class SourceOutbox: Sendable {
    let source: SourceID
    private let state: OwnerLock<State>
    /// Something may wait for a node to be heard, or for its key: each packet that comes asks.
    private let mayHold = Atomic(false)
    /// Called once when something has changed that may let a packet out.
    private let waiting = Mutex<(@Sendable () -> Void)?>(nil)
    private let isAwaited = Atomic(false)

    private struct State {
        var queue: OutboxQueue
        /// Texts of clients that are on their way to the disk.
        var reserved: [Sender: Int] = [:]
        var recentIDs = RecentIDs()
        var attempts = SentAgain()
        var gate = OutboxGate()

        /// Places that are left to a sender. Those who share the radio have the room of a radio; other clients have their own
        /// limits.
        func places(for sender: Sender, on port: PortNumber) -> Int {
            guard sender.kind == .share else {
                return port.isText || queue.delay(on: port) == nil ? OutboxQueue.requestLimit : 0
            }
            return queue.places(for: sender, on: port, reserved: reserved[sender] ?? 0)
        }
    }

    init(of source: SourceID, pace: SendingPace) {
        self.source = source
        state = OwnerLock(State(queue: OutboxQueue(pace: pace)))
    }

    // MARK: The gate

    /// The radio that was here before has introduced itself again: what clients send waits for the decision.
    func expect(_ radio: RadioSnapshot, in session: AttachedSession) {
        state.withLock { $0.gate.set(for: radio, in: session, isOpen: false) }
    }

    /// It is on disk that the radio is this source's.
    func open(for radio: RadioSnapshot, in session: AttachedSession) {
        defer { changed() }
        state.withLock { $0.gate.set(for: radio, in: session, isOpen: true) }
    }

    /// The session is over, or pauses while the radio tells its settings again.
    ///
    /// - Returns: packets that were noted as handed and are not.
    func end(_ session: AttachedSession) -> [(id: PacketID, attempts: Int)] {
        state.withLock { $0.gate.end(session) ? $0.queue.sessionEnded() : [] }
    }

    /// The rows of the source, and the radio whose packets they are. What clients send from now on is for it.
    ///
    /// - Parameter session: in which the radio has introduced itself.
    func load(_ rows: [OutboxQueue.Entry], for radio: RadioSnapshot, in session: AttachedSession, at now: MonotonicTime)
    {
        state.withLock { state in
            state.queue.reload(rows, own: radio.number)
            // Nobody has looked after those while no link fed the source.
            state.queue.remove(Set(state.queue.entries.filter { $0.isVolatile && $0.deadline <= now }.map(\.packet.id)))
            state.gate.expect(radio, in: session)
            noteHolds(state)
        }
    }

    /// The rows after a start, unless a radio has come first.
    func load(_ rows: [OutboxQueue.Entry]) {
        state.withLock { state in
            guard !state.gate.isOpen else { return }
            state.queue.reload(rows)
            noteHolds(state)
        }
    }

    private func noteHolds(_ state: State) {
        mayHold.store(state.queue.entries.contains { $0.hold != nil }, ordering: .releasing)
    }

    // MARK: The next one

    func next(at now: MonotonicTime, queueFree: Int, in session: AttachedSession) -> OutboxQueue.Step {
        state.withLock { state in
            guard state.gate.passage(for: session)?.isOpen == true else { return .wait(until: nil) }
            return state.queue.next(at: now, queueFree: queueFree)
        }
    }

    /// - Parameter reserved: places that this text itself has: others on their way to the disk come first.
    /// - Returns: whether a packet on this port that is accepted now leaves now.
    func isFree(
        for port: PortNumber, besides reserved: Int, at now: MonotonicTime, in session: AttachedSession
    ) -> Bool {
        state.withLock { state in
            guard state.gate.passage(for: session)?.isOpen == true else { return false }
            return state.queue.isFree(for: port, at: now) && state.reserved.values.reduce(0, +) <= reserved
        }
    }

    // MARK: Who waits for an opening

    /// - Parameter wake: called once, on any thread, when the answer may be another one. Must return at once.
    /// - Returns: from when on a packet on this port that is accepted then leaves at once; nil: nobody knows yet.
    func opening(
        for port: PortNumber, in session: AttachedSession, wake: @escaping @Sendable () -> Void
    ) -> MonotonicTime? {
        // Before the look: what changes behind it wakes.
        waiting.withLock { $0 = wake }
        isAwaited.store(true, ordering: .releasing)
        return state.withLock { state in
            guard state.gate.passage(for: session)?.isOpen == true, state.reserved.isEmpty else { return nil }
            return state.queue.opening(for: port)
        }
    }

    private func changed() {
        guard isAwaited.exchange(false, ordering: .acquiringAndReleasing) else { return }
        waiting.withLock { $0.take() }?()
    }

    var count: Int { state.withLock { $0.queue.count } }

    func delay(on port: PortNumber) -> MonotonicTime? { state.withLock { $0.queue.delay(on: port) } }
    func places(for sender: Sender, on port: PortNumber) -> Int {
        state.withLock { $0.places(for: sender, on: port) }
    }

    // MARK: What is taken

    /// These have rows.
    ///
    /// - Parameter session: in which they were noted as going out; when it has ended, they have not.
    /// - Returns: those whose note is wrong.
    func append(_ entries: [OutboxQueue.Entry], notedIn session: AttachedSession?) -> [OutboxQueue.Entry] {
        state.withLock { state in
            let hasEnded = session.map { state.gate.passage(for: $0) == nil } ?? false
            var unwritten: [OutboxQueue.Entry] = []
            for var entry in entries {
                if hasEnded, entry.attempts > 0 {
                    (entry.state, entry.attempts) = (.waiting, 0)
                    unwritten.append(entry)
                }
                state.queue.append(entry)
            }
            noteHolds(state)
            return unwritten
        }
    }

    /// A client's packet that is no text. It is in memory alone.
    ///
    /// - Parameter lifetime: nanoseconds after which it is given up.
    func submit(
        _ packet: ClientPacket, by sender: Sender, lifetime: MonotonicTime, at now: MonotonicTime,
        in session: AttachedSession
    ) -> Submission {
        state.withLock { state in
            guard let radio = state.gate.passage(for: session), radio.transmits else {
                return .refused(.noInterface)
            }
            let port = packet.content?.port ?? .unknown
            // It was for another node, and the radio has that number now: orders to it do not pass here.
            guard port != .admin || packet.to != radio.own else { return .refused(.notAuthorized) }
            let free = state.places(for: sender, on: port)
            if packet.id != 0, state.recentIDs.contains(packet.id, at: now) { return .repeated(free: max(1, free)) }
            guard free > 0 else { return .refused(.rateLimitExceeded) }
            let id = packet.id == 0 ? PacketID.random(in: 1 ... .max) : packet.id
            let sent = packet.withoutReception.limitingHops().sent(from: radio.own, id: id)
            guard sent.fitsAFrame else { return .refused(.tooLarge) }
            guard let shown = sent.shown else { return .refused(.badRequest) }
            var entry = OutboxQueue.Entry(packet: shown)
            (entry.sender, entry.bytes, entry.isVolatile) = (sender, sent, true)
            entry.deadline = now + lifetime
            state.recentIDs.insert(id, at: now)
            state.queue.append(entry)
            return .queued(id, free: max(1, free - 1))
        }
    }

    /// A client's text goes to the disk; ``settle(_:by:isTaken:)`` follows.
    ///
    /// - Returns: why it does not.
    func reserve(_ id: PacketID, by sender: Sender, at now: MonotonicTime) -> Submission? {
        state.withLock { state in
            let free = state.places(for: sender, on: .textMessage)
            if state.recentIDs.contains(id, at: now) { return .repeated(free: max(1, free)) }
            guard free > 0 else { return .refused(.rateLimitExceeded) }
            state.recentIDs.insert(id, at: now)
            state.reserved[sender, default: 0] += 1
            return nil
        }
    }

    /// - Returns: places that are left to the sender.
    func settle(_ id: PacketID, by sender: Sender, isTaken: Bool) -> Int {
        defer { changed() }
        return state.withLock { state in
            let left = (state.reserved[sender] ?? 1) - 1
            state.reserved[sender] = left > 0 ? left : nil
            if !isTaken { state.recentIDs.remove(id) }
            return max(1, state.places(for: sender, on: .textMessage))
        }
    }

    // MARK: What becomes of them

    func noted(_ id: PacketID, at now: MonotonicTime) { state.withLock { $0.queue.noted(id, at: now) } }

    /// The last byte was written.
    ///
    /// - Returns: the packet as it was before.
    func handed(_ id: PacketID, at now: MonotonicTime, patience: MonotonicTime) -> OutboxQueue.Entry? {
        defer { changed() }
        return state.withLock { state in
            let entry = state.queue.entries.first { $0.packet.id == id }
            state.queue.handed(id, at: now, patience: patience)
            return entry
        }
    }

    /// The radio or the mesh has answered, which is on its way to the disk; ``stored(_:isEnd:)`` follows.
    ///
    /// - Returns: whether others wait.
    func answered(_ id: PacketID) -> Bool {
        defer { changed() }
        return state.withLock { state in
            state.queue.storing(id, isEnd: false)
            state.queue.accepted(id)
            return state.queue.count > 0
        }
    }

    /// The same, of a packet about which another source's radio seemed to speak, until it was decided whose it is.
    func accepted(_ id: PacketID) {
        state.withLock { $0.queue.accepted(id) }
        changed()
    }

    func stored(_ id: PacketID, isEnd: Bool) { state.withLock { $0.queue.stored(id, isEnd: isEnd) } }

    /// - Returns: what nobody waits for any more; ``stored(_:isEnd:)`` follows for each. And when something expires next.
    func expire(at now: MonotonicTime) -> (expired: [OutboxQueue.Entry], next: MonotonicTime?) {
        defer { changed() }
        return state.withLock { state in
            let expired = state.queue.expire(at: now)
            for entry in expired { state.queue.storing(entry.packet.id, isEnd: true) }
            return (expired, state.queue.deadline)
        }
    }

    /// Takes back the first of these that the link does not have yet; ``stored(_:isEnd:)`` follows.
    func withdraw(_ ids: Set<PacketID>) -> OutboxQueue.Entry? {
        defer { changed() }
        return state.withLock { state in
            for id in ids {
                guard let entry = state.queue.withdraw(id) else { continue }
                state.queue.storing(id, isEnd: true)
                return entry
            }
            return nil
        }
    }

    func remove(_ ids: Set<PacketID>) {
        state.withLock { $0.queue.remove(ids) }
        changed()
    }

    func putBack(_ entry: OutboxQueue.Entry) {
        state.withLock { state in
            state.queue.putBack(entry)
            noteHolds(state)
        }
    }

    /// - Returns: those that still wait.
    func putRight(_ unwritten: [OutboxQueue.Entry]) -> [PacketID] { state.withLock { $0.queue.putRight(unwritten) } }
    func renew(_ held: [OutboxQueue.Entry]) { state.withLock { $0.queue.renew(held) } }

    /// - Returns: the packets that may go now.
    func release(_ hold: OutboxItem.Hold, for node: NodeNumber) -> Set<PacketID> {
        guard mayHold.load(ordering: .acquiring) else { return [] }
        return state.withLock { state in
            defer { noteHolds(state) }
            return state.queue.release(hold, for: node)
        }
    }

    // MARK: What is known of them

    func entry(_ id: PacketID) -> OutboxQueue.Entry? {
        state.withLock { $0.queue.entries.first { $0.packet.id == id } }
    }

    /// Another packet goes out in place of the first one of a message.
    func noteAttempt(_ id: PacketID, of first: PacketID) { state.withLock { $0.attempts.note(id, of: first) } }
    var attempts: SentAgain { state.withLock { $0.attempts } }

    /// Whether a client or a person had it sent, and not the gateway itself.
    func knows(_ id: PacketID, at now: MonotonicTime) -> Bool {
        state.withLock { state in
            state.recentIDs.contains(id, at: now) || state.attempts.first(of: id) != nil
                || state.queue.entries.contains { $0.packet.id == id }
        }
    }
}
