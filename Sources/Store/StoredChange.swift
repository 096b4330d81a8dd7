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
        case node(NodeNumber, NodeChange)
        /// A report of its place has come from a node.
        case position(NodeNumber)
        case telemetry(NodeNumber)
        /// A status text has come from a node.
        case status(NodeNumber)
        /// ``Traceroute/id``: it was asked for, or answered.
        case traceroute(Int64)
        case waypoint(UInt32)
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
    }

    public var kind: Kind { what.kind }
}

extension StoredChange.What {
    public var kind: StoredChange.Kind {
        switch self {
        case .message: .message
        case .delivery: .delivery
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
}
