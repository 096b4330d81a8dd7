import Gateway
import HTTPServer
import MeshModel
import Platform
import Routes
import Store

// How one stream comes by its events.
//
//     commit --wake--> changes since the last number --rows, filtered--> blocks --16 kB at a time--> the reader
//     link   --wake--> events of the link                           /
//     log    --wake--> packets since the last row                  /
//     rules  --wake--> what they tell while the disk fails        /
//
// 1. Nothing is handed over: who is woken reads what is committed from where it was. So a stream of a slow reader holds one
//    chunk and no queue, and one that comes back goes on from its id in the same way.
// 2. The change log keeps the newest changes. A client that was away for longer is told how many it missed, then given
//    every message that was created or changed since, by their times (EventBacklog).
// 3. A node's row is told at most once a second. One that was told a moment ago waits; the id says from where nodes are to be
//    looked at again, so that nothing of them is lost either.
// 4. Who may know what is asked again for each row, and whether the token is still good before each reading.

struct EventFeed {
    /// Nanoseconds of silence after which there is a comment at the latest. Streams beat together, at whole multiples of a
    /// little less, so that all of them cost one wake-up.
    static let silence: UInt64 = 25_000_000_000
    static let beat: UInt64 = 24_000_000_000
    /// Nanoseconds between two rows of one node.
    static let nodeInterval: UInt64 = 1_000_000_000
    /// Changes that are read at once.
    static let page = 64
    /// Pages that are looked through in one go, on a thread that others wait for: some may have nothing for this reader.
    static let pagesAtOnce = 8

    struct NodeKey: Hashable { var source: SourceID, number: NodeNumber }

    let api: RestAPI
    let selection: EventSelection
    /// Nil: a user of this machine.
    let token: Int64?
    var conditions: LiveEvents.Listener
    /// It has come back, and links may have come and gone that the ring of conditions does not hold.
    var takesUpConditions: Bool
    /// Sources whose status is still to be told.
    var linksThatChanged: Set<SourceID> = []
    let isResumed: Bool
    var place: EventPlace
    private var hasBegun = false
    var blocks: EventBlocks
    var backlog: EventBacklog?
    /// Nodes that have changed since they were told, by the number of the change.
    var waiting: [NodeKey: Int64] = [:]
    /// It has come back, and nodes may still have been waiting then.
    var hasPendingNodes: Bool
    var waitingUntil: UInt64 = .max
    var toldAt: [NodeKey: UInt64] = [:]
    /// At this size, entries older than the interval are dropped.
    var toldLimit = 256
    private var lastSent: UInt64 = 0
    /// What was told past the database, by its id; nil: nothing has been looked at yet.
    var toldUnstored: Set<String>?

    init(
        _ api: RestAPI, _ selection: EventSelection, token: Int64?, _ seal: EventSeal, from place: EventPlace,
        isResumed: Bool
    ) {
        self.api = api
        self.selection = selection
        self.token = token
        blocks = EventBlocks(seal)
        self.place = place
        self.isResumed = isResumed
        hasPendingNodes = isResumed
        takesUpConditions = isResumed && place != .unknown
        let last = place == .unknown ? api.gateway.conditions.next - 1 : place.condition
        conditions = api.gateway.conditions.listen(after: last)
    }

    /// - Parameter wake: is called when there is something of the link; the listener to commits calls it, too.
    mutating func step(_ wake: @escaping LiveBody.Signal) throws -> LiveBody.Step {
        guard let caller = try caller() else { return .end }
        let now = MonotonicClock.nanoseconds()
        if !hasBegun {
            hasBegun = true
            begin()
        } else if blocks.isEmpty {
            try api.store.readCommitted { try fill(EventSources(caller, $0, self), now, wake) }
            if blocks.isEmpty, lastSent > 0, now >= nextBeat {
                // Always with one: whether it was there would tell that something has happened.
                blocks.addHeartbeat(id: id)
            }
        }
        guard let chunk = blocks.take() else { return .pause(until: min(nextBeat, waitingUntil), period: Self.beat) }
        lastSent = now
        return .bytes(chunk)
    }

    /// The reader with its present rights; nil: its token is no longer valid.
    private func caller() throws -> Caller? {
        var caller = Caller.localUser
        if let token {
            guard let owner = try api.tokens.caller(id: token, now: api.tokenTime) else { return nil }
            caller = owner
        }
        caller.gatewayChannels = api.gateway.channelDatabase.channels
        return caller
    }

    private var nextBeat: UInt64 {
        (lastSent + Self.silence - Self.beat + Self.beat - 1) / Self.beat * Self.beat
    }

    var id: EventPlace {
        var id = place
        id.nodes = min(
            waiting.values.min().map { $0 - 1 } ?? place.change, hasPendingNodes ? place.nodes : place.change)
        return id
    }

    mutating func add(_ kind: EventKind, isLast: Bool = true, _ write: @escaping EventRows.Write) {
        blocks.add(kind, id: isLast ? id : nil, write)
    }

    private mutating func begin() {
        blocks.add(.start, id: place, retry: 5000) { json in
            json.object { json in
                json.member("resumed", isResumed)
                json.member("version", api.version)
            }
        }
    }
}
