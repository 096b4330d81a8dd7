import MeshModel

/// Something that a commit has brought and that somebody may wait for (``Store/observe(_:)``).
public struct StoredChange: Hashable, Sendable {
    /// Grows from change to change, over restarts too. 1 at first.
    public var number: Int64
    public var source: SourceID
    public var what: What
    /// Where it comes from: only what is live is news, and a message that came late.
    public var origin: Origin = .live
    /// Where the message is that it is about, so that nobody has to look for it by its id; nil if it is about none.
    public var messageRow: Int64?

    public init(number: Int64, source: SourceID, what: What, origin: Origin = .live, messageRow: Int64? = nil) {
        (self.number, self.source, self.what, self.origin) = (number, source, what, origin)
        self.messageRow = messageRow
    }

    public enum What: Hashable, Sendable {
        /// A message was stored, under this id (``Message/id``), with its receipt time in host milliseconds.
        case message(id: String, at: Int64)
        /// An own message has come further, or is known to have failed.
        case delivery(id: String, Delivery)
        /// Something else has become known of a message, such as the radio's time.
        case messageChanged(id: String)
        /// A message was deleted here: as it was, without its text. What has become too old goes without a word.
        indirect case messageDeleted(Message)
        /// It has got a row, or its row says something else now.
        case node(NodeNumber)
        /// A packet of it was received for the first time, as far as the database knows.
        case nodeHeard(NodeNumber)
        /// A node that is heard has told a name, and had none before.
        case nodeIntroduced(NodeNumber)
        /// Its row is gone, and it was heard last on this channel, if on any.
        case nodeDeleted(NodeNumber, channel: Int?)
        /// A report of its place has come from a node, and is in this row.
        case position(NodeNumber, row: Int64)
        /// The same of what it measures.
        case telemetry(NodeNumber, row: Int64)
        /// The same of the people it has counted.
        case paxcount(NodeNumber, row: Int64)
        /// A status text has come from a node.
        case status(NodeNumber)
        /// ``Traceroute/id``: it was asked for, or answered.
        case traceroute(Int64)
        case waypoint(UInt32)
        /// It is gone, and had come on this channel; nil: nobody knows.
        case waypointDeleted(UInt32, channel: Int?)
        /// A token (``Token/id``; 0: users of this machine) has moved its read mark in a conversation, forth or back.
        case read(Conversation, by: Int64)
        /// A slot of the radio's channels.
        case channel(Int)
        /// ``Happening``: something happened to a link, a key or the gateway itself; the row may have counted on.
        case happened(row: Int64)
        /// ``FeedRow/id``: a rule has told something.
        case notification(row: Int64)
    }

    /// Where a change comes from. The numbers are stored.
    public enum Origin: Int, CaseIterable, Sendable {
        /// It was heard, or happened, just now.
        case live
        /// The radio listed what it knows, in its handshake.
        case listed
        /// Firmware 2.8 repeated an old value to its host.
        case replayed
        /// It was heard long ago, and comes only now: out of the radio's queue, or from a store-and-forward server. A text that
        /// comes late is news all the same; one that is known already is no change.
        case late
        /// It was heard before its key was known.
        case decryptedLater
        /// Others speak of a node that was never heard itself.
        case mentioned
        /// Rows were put right: the clock was set, or two nodes turned out to be one.
        case corrected
        /// Somebody here did it.
        case ours
    }

    /// Listeners choose by these; the numbers are stored.
    public enum Kind: Int, CaseIterable, Sendable {
        case message = 1
        case delivery, node, position, telemetry, status, traceroute, waypoint, channel
        case messageChanged, messageDeleted, nodeDeleted, waypointDeleted, read, paxcount, nodeHeard, happened,
            notification, nodeIntroduced
    }

    public var kind: Kind { what.kind }
}

extension StoredChange.Kind {
    public var bit: UInt32 { 1 << rawValue }
}

extension Set<StoredChange.Kind> {
    /// A bit for each: to ask a set for every change of every commit costs more than the rest of what is done with it.
    public var bits: UInt32 { reduce(0) { $0 | $1.bit } }
}

extension StoredChange.What {
    public var kind: StoredChange.Kind {
        switch self {
        case .message: .message
        case .delivery: .delivery
        case .messageChanged: .messageChanged
        case .messageDeleted: .messageDeleted
        case .nodeDeleted: .nodeDeleted
        case .paxcount: .paxcount
        case .waypointDeleted: .waypointDeleted
        case .read: .read
        case .node: .node
        case .nodeHeard: .nodeHeard
        case .nodeIntroduced: .nodeIntroduced
        case .happened: .happened
        case .notification: .notification
        case .position: .position
        case .telemetry: .telemetry
        case .status: .status
        case .traceroute: .traceroute
        case .waypoint: .waypoint
        case .channel: .channel
        }
    }
}

extension Store {
    /// Tells of changes from now on, each when it is committed, in their order. There is one observer, and without it
    /// nothing gets a number.
    ///
    /// - Parameter observer: called on the writer thread. Must not wait for the store.
    public func observe(_ observer: @escaping @Sendable ([StoredChange]) -> Void) {
        queue.withLock { $0.observer = observer }
    }

    /// Tells which topics each commit has changed, from now on. There is one observer.
    ///
    /// - Parameter observer: called on the writer thread, behind the one of the changes. Must not wait for the store.
    public func observeTopics(_ observer: @escaping @Sendable (Topic.Several) -> Void) {
        queue.withLock { $0.topicObserver = observer }
    }
}
