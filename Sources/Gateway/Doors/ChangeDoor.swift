import Store
import Synchronization

// What was stored, for those who show it as it changes. Nothing is handed over: a listener that is woken asks the store for
// the changes since the last number that it saw (``Reader/changes(after:kinds:limit:)``), and can do so after a restart, too.

/// Is woken by changes of some kinds, or of topics whose changes have no numbers, for as long as it is kept.
public final class ChangeListener: Sendable {
    fileprivate let kinds: Set<StoredChange.Kind>
    fileprivate let topics: [Topic]
    fileprivate let wake: @Sendable () -> Void
    private let registry: ChangeListeners

    fileprivate init(
        _ registry: ChangeListeners, kinds: Set<StoredChange.Kind>, topics: [Topic],
        wake: @escaping @Sendable () -> Void
    ) {
        self.registry = registry
        self.kinds = kinds
        self.topics = topics
        self.wake = wake
    }

    deinit { registry.remove(ObjectIdentifier(self)) }
}

final class ChangeListeners: Sendable {
    private struct Reference: Sendable { weak let listener: ChangeListener? }

    private let list = Mutex<[ObjectIdentifier: Reference]>([:])

    func add(
        to kinds: Set<StoredChange.Kind>, topics: [Topic], wake: @escaping @Sendable () -> Void
    ) -> ChangeListener {
        let listener = ChangeListener(self, kinds: kinds, topics: topics, wake: wake)
        list.withLock { $0[ObjectIdentifier(listener)] = Reference(listener: listener) }
        return listener
    }

    fileprivate func remove(_ id: ObjectIdentifier) { list.withLock { _ = $0.removeValue(forKey: id) } }

    func tell(_ changes: [StoredChange]) {
        let listeners = list.withLock { $0.values.compactMap(\.listener) }
        guard !listeners.isEmpty else { return }
        let kinds = Set(changes.map(\.kind))
        for listener in listeners where !listener.kinds.isDisjoint(with: kinds) { listener.wake() }
    }

    func tell(_ topics: Topic.Several) {
        let listeners = list.withLock { $0.values.compactMap(\.listener) }
        for listener in listeners where listener.topics.contains(where: topics.contains) { listener.wake() }
    }
}

extension Gateway {
    /// - Parameters:
    ///   - topics: what has no numbers, such as packets and tokens.
    ///   - wake: called after each commit that has brought changes of these kinds or topics, on the writer thread. Must
    ///     return at once.
    public func changes(
        of kinds: Set<StoredChange.Kind>, topics: [Topic] = [], wake: @escaping @Sendable () -> Void
    ) -> ChangeListener {
        changeListeners.add(to: kinds, topics: topics, wake: wake)
    }
}
