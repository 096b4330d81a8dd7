import MeshModel

// What Home Assistant is told once: a value, without a clock and without I/O.
//
//     change log -> add -> waiting -> on the way --acknowledged--> the place moves behind it
//
// 1. The place is the last change before the oldest event that is not acknowledged. After a kill the changes behind it are read
//    again, and make the same events under the same ids.
// 2. An event is told within a minute, or never: Home Assistant acts on it.
// 3. Events that are in no change log (problems, refused commands) wait in memory, and end with the process.

struct EventQueue {
    struct Event {
        /// Whose entity tells it.
        let device: DeviceID
        /// The number of the change that it follows from; nil for none.
        var change: Int64?
        /// When it happened, in host milliseconds.
        let at: Int64
        var publication: Publication
    }

    /// How old an event may be when it is published, in milliseconds.
    static let lifetime: Int64 = 60_000
    /// How many wait at most.
    static let most = 200

    private var waiting: [Event] = []
    private var onTheWay: [Event] = []
    /// Given to publications, by which they are known again.
    private var serial: Int64 = 0
    /// The last change that was looked at.
    private(set) var seen: Int64

    init(after place: Int64) { seen = place }

    var isFull: Bool { waiting.count >= Self.most }

    /// The changes up to here need not be read again.
    var place: Int64 {
        let changes = (waiting + onTheWay).compactMap(\.change)
        return changes.min().map { min($0 - 1, seen) } ?? seen
    }

    mutating func noteSeen(_ change: Int64) { seen = max(seen, change) }

    /// What is in no change log gives way to what comes later, where there is too much of it.
    mutating func add(_ event: Event) {
        if event.change == nil, isFull {
            guard let oldest = waiting.firstIndex(where: { $0.change == nil }) else { return }
            waiting.remove(at: oldest)
        }
        serial += 1
        var event = event
        event.publication.row = serial
        waiting.append(event)
    }

    /// The next events, at most `room` of them, each whose device can be heard.
    mutating func next(_ room: Int, at now: HostTime, hearing: (DeviceID) -> Hearing) -> [Publication] {
        guard !waiting.isEmpty else { return [] }
        var (kept, found) = ([Event](), [Event]())
        for event in waiting where now.wall - event.at <= Self.lifetime {
            switch hearing(event.device) {
            case .never: continue
            case .from(let time) where time <= now.steady && found.count < room: found.append(event)
            case .from, .later: kept.append(event)
            }
        }
        waiting = kept
        onTheWay += found
        return found.map(\.publication)
    }

    /// When an event can be heard that waits, in steady milliseconds; nil if none waits, or something else has to come first.
    func deadline(hearing: (DeviceID) -> Hearing) -> Int64? {
        waiting.compactMap { if case .from(let time) = hearing($0.device) { time } else { nil } }.min()
    }

    /// The broker has answered.
    mutating func settled(_ publication: Publication) {
        onTheWay.removeAll { $0.publication.row == publication.row }
    }

    /// The connection has ended: what follows from changes is read again from the place on.
    mutating func ended(at place: Int64) {
        waiting = (onTheWay + waiting).filter { $0.change == nil }
        onTheWay = []
        seen = place
    }
}

/// Whether Home Assistant listens to a device's events.
enum Hearing: Hashable, Sendable {
    /// From then on, in steady milliseconds.
    case from(Int64)
    /// When its configuration is there.
    case later
    /// It is not shown.
    case never
}

extension Plan {
    func hearing(of id: DeviceID) -> Hearing {
        guard case .live = phase else { return .later }
        guard let known = memory[id], devices[id] != nil, known.isShown else { return .never }
        guard known.state == .published, !due.contains(id), onTheWay[id] == nil else { return .later }
        // Home Assistant subscribes a moment after it has read a configuration.
        return .from(configuredAt[id].map { $0 + Self.afterConfiguration } ?? 0)
    }
}
