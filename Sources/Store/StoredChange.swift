import MeshModel

/// Something that a commit has brought and that somebody may wait for (``Store/observe(_:)``).
public enum StoredChange: Sendable {
    /// A message was stored, under this id (``Message/id``).
    case message(SourceID, id: String)
    /// It is known anew how far an own message has come.
    case delivery(SourceID, id: String, Delivery)
    /// A node has got a row.
    case node(SourceID, NodeNumber)
}

extension Store {
    /// Tells of changes from now on, each when it is committed, in their order. There is one observer.
    ///
    /// - Parameter observer: called on the writer thread. Must not wait for the store.
    public func observe(_ observer: @escaping @Sendable ([StoredChange]) -> Void) {
        queue.withLock { $0.observer = observer }
    }
}
