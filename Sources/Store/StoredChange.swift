import MeshModel

/// Something that a commit has brought and that somebody may wait for (``Store/observe(_:)``).
public struct StoredChange: Hashable, Sendable {
    /// Grows from change to change, over restarts too. 1 at first.
    public var number: Int64
    public var source: SourceID
    public var what: What

    public enum What: Hashable, Sendable {
        /// A message was stored, under this id (``Message/id``), with its receipt time in host milliseconds.
        case message(id: String, at: Int64)
        /// It is known anew how far an own message has come.
        case delivery(id: String, Delivery)
        /// Something else has become known of a message, such as the radio's time.
        case messageChanged(id: String)
        /// A message was deleted here: as it was, without its text. What has become too old goes without a word.
        case messageDeleted(Message)
        case node(NodeNumber, NodeChange)
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
    }

    public enum NodeChange: Hashable, Sendable {
        /// It has got a row.
        case new
        /// It has got a row by the list that a radio sends in its handshake: no reception, and a thousand at once.
        case listed
        case changed
    }

    /// Listeners choose by these; the numbers are stored.
    public enum Kind: Int, CaseIterable, Sendable {
        case message = 1
        case delivery, node, position, telemetry, status, traceroute, waypoint, channel
        case messageChanged, messageDeleted, nodeDeleted, waypointDeleted, read, paxcount
    }

    public var kind: Kind { what.kind }
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
