import Glibc
import MeshModel
import Platform
import Store
import Synchronization

// What happens, at once, for those who listen.
//
//     link threads, writer thread --tell()--> ring of the last events <--nextEvents()-- listeners, each at its own pace
//
// 1. Telling is a lock and a place in the ring, with listeners or without: nobody who listens holds up a radio.
// 2. A listener is a number: that of the event it comes to next. One that is too slow finds its place overwritten, and
//    gets the number of events that it has missed.
// 3. Numbers go on over restarts: no two runs use one number for different events, so that a client can come back with the
//    last one that it saw.

/// The events of a gateway, the last few hundred of which are kept.
public final class LiveEvents: Sendable {
    /// Events that are kept, unless somebody says otherwise.
    public static let capacity = 512

    private struct Waiting {
        let place: Place
        let kinds: Set<Event.Kind>?
        /// What to call when there is an event of these kinds.
        let wake: @Sendable () -> Void
    }

    /// The number of the event that a listener comes to next.
    private final class Place: Sendable {
        let next: Atomic<UInt64>
        init(_ next: UInt64) { self.next = Atomic(next) }
    }

    private struct State {
        /// The event with number n is at n % capacity, once there are so many.
        var ring: [Event] = []
        var next: UInt64
        /// The number of the first event.
        let start: UInt64
        /// Those who have taken all there were.
        var waiting: [ObjectIdentifier: Waiting] = [:]
        /// Who is called after each event of some kinds.
        var observer: (kinds: Set<Event.Kind>, call: @Sendable () -> Void)?

        var oldest: UInt64 { next - UInt64(ring.count) }

        /// The event that comes next to a listener with this number. Nothing is known here of what an earlier run has
        /// told; the clock may have been ahead then, so that its numbers are still to come. Nobody was ever given the
        /// last number of all.
        func first(of number: UInt64) -> UInt64 {
            if number == .max { return next }
            return (start...next).contains(number) ? number : start
        }

        init(start: UInt64) {
            self.start = start
            next = start
        }
    }

    private let state: Mutex<State>
    private let debugListeners = Atomic<Int>(0)
    private let capacity: Int
    /// Where the rare kinds go, too.
    private let rare: (kinds: Set<Event.Kind>, events: LiveEvents)?

    /// - Parameters:
    ///   - capacity: events that are kept; a power of two, at most 2^20.
    ///   - last: the greatest number that an earlier run is known to have used; its clock may have been ahead.
    ///   - rare: keeps events of these kinds besides, so that a storm of others does not push them out.
    init(capacity: Int = capacity, after last: UInt64 = 0, rare: (kinds: Set<Event.Kind>, events: LiveEvents)? = nil) {
        self.capacity = capacity
        self.rare = rare
        // A million events a second would be needed to reach the number with which the next run begins. It is a multiple
        // of the capacity: the first event comes to the first place.
        let start = max(UInt64(clamping: WallClock.seconds()), last == 0 ? 0 : last >> 20 + 1)
        state = Mutex(State(start: start << 20))
    }

    /// The number that the next event will have.
    public var next: UInt64 { state.withLock { $0.next } }

    /// The number of the first event of this run.
    public var start: UInt64 { state.withLock { $0.start } }

    /// Somebody listens to the radio's debug output, which is only then worth telling.
    var wantsDebugText: Bool { debugListeners.load(ordering: .relaxed) > 0 }

    /// - Returns: its number among the rare ones; nil: it is not rare.
    @discardableResult
    func tell(_ what: Event.What, from source: SourceID, at time: Int64) -> UInt64? {
        let sequence = tellAll(what, from: source, at: time)
        guard let rare else { return sequence }
        return rare.kinds.contains(what.kind) ? rare.events.tell(what, from: source, at: time) : nil
    }

    private func tellAll(_ what: Event.What, from source: SourceID, at time: Int64) -> UInt64 {
        typealias Call = @Sendable () -> Void
        let (sequence, wakes, observer) = state.withLock { state -> (UInt64, [Call], Call?) in
            let event = Event(sequence: state.next, time: time, source: source, what: what)
            if state.ring.count < capacity {
                state.ring.append(event)
            } else {
                state.ring[Int(state.next % UInt64(capacity))] = event
            }
            state.next += 1
            let observer = state.observer.flatMap { $0.kinds.contains(event.kind) ? $0.call : nil }
            var wakes: [Call] = []
            for (id, waiting) in state.waiting {
                if waiting.kinds?.contains(event.kind) ?? true {
                    wakes.append(waiting.wake)
                    state.waiting[id] = nil
                } else {
                    // It has seen everything before, and this is nothing for it.
                    waiting.place.next.store(state.next, ordering: .relaxed)
                }
            }
            return (event.sequence, wakes, observer)
        }
        for wake in wakes { wake() }
        observer?()
        return sequence
    }

    /// What the store has committed.
    func tell(_ changes: [StoredChange], at time: Int64) {
        for change in changes {
            switch change.what {
            case .message(let id, _): tell(.message(id: id), from: change.source, at: time)
            case .delivery(let id, let delivery): tell(.delivery(id: id, delivery), from: change.source, at: time)
            case .nodeHeard(let node): tell(.node(node), from: change.source, at: time)
            // The list of a radio with a thousand nodes would push everything else out of the ring; and what happened was told
            // at once.
            case .node, .nodeIntroduced, .happened, .notification: break
            case .messageChanged, .messageDeleted, .nodeDeleted, .position, .telemetry, .paxcount, .status, .traceroute,
                .waypoint, .waypointDeleted, .read, .channel:
                break
            }
        }
    }

    // MARK: Listening

    /// - Parameter observer: called after each event of these kinds, on the thread that tells it. Must return at
    ///   once. There is one.
    public func observe(_ kinds: Set<Event.Kind>, _ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.observer = (kinds, observer) }
    }

    /// Events from now on.
    ///
    /// - Parameters:
    ///   - kinds: those of these kinds only, and nothing wakes the listener besides; nil: all.
    ///   - after: the number of the last event that is already known: those that followed and are still kept come first.
    ///   - wantsDebugText: with the radio's debug output.
    public func listen(
        to kinds: Set<Event.Kind>? = nil, after: UInt64? = nil, wantsDebugText: Bool = false
    ) -> Listener {
        Listener(
            self, to: kinds, next: after.map { $0 == .max ? $0 : $0 + 1 } ?? next, wantsDebugText: wantsDebugText)
    }

    /// Listens for as long as it is kept. Used by one thread at a time.
    public final class Listener: Sendable {
        private let events: LiveEvents
        private let kinds: Set<Event.Kind>?
        private let place: Place
        private let wantsDebugText: Bool

        fileprivate init(_ events: LiveEvents, to kinds: Set<Event.Kind>?, next: UInt64, wantsDebugText: Bool) {
            self.events = events
            self.kinds = kinds
            place = Place(next)
            self.wantsDebugText = wantsDebugText
            if wantsDebugText { events.debugListeners.add(1, ordering: .relaxed) }
        }

        deinit {
            events.state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(self)) }
            if wantsDebugText { events.debugListeners.subtract(1, ordering: .relaxed) }
        }

        /// The next events, in their order.
        ///
        /// - Parameters:
        ///   - limit: how many at most.
        ///   - wake: called once, on the thread that tells the next one, if there are none now. Must return at once.
        /// - Returns: `missed` events, of any kind, came before these and are no longer kept.
        public func nextEvents(
            upTo limit: Int = 64, orWake wake: @escaping @Sendable () -> Void
        ) -> (missed: UInt64, events: [Event]) {
            events.state.withLock { state in
                let first = state.first(of: place.next.load(ordering: .relaxed))
                let oldest = state.oldest
                let missed = first < oldest ? oldest - first : 0
                var (end, found) = (max(first, oldest), [Event]())
                while end < state.next, found.count < max(1, limit) {
                    let event = state.ring[Int(end % UInt64(events.capacity))]
                    if kinds?.contains(event.kind) ?? true { found.append(event) }
                    end += 1
                }
                place.next.store(end, ordering: .relaxed)
                if found.isEmpty {
                    state.waiting[ObjectIdentifier(self)] = Waiting(place: place, kinds: kinds, wake: wake)
                }
                return (missed, found)
            }
        }
    }
}
