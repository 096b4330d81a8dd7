import MeshModel
import Store
import Synchronization

// The feed as clients read it.
//
//     rules --insert, in their transaction--> feed, table --\
//     the disk fails --tell--> the last rows, in memory -----+--> GET, stream
//                                  \--when the disk is back--> feed, table
//
// While the disk fails nothing can be stored. A notification then goes out from memory, with the id that its row will have, so
// that clients recognise it when the row appears.

/// The notifications of rules, in the database and on their way there.
public final class NotificationFeed: Sendable {
    /// How many rows are kept in memory while the disk fails: the newest.
    public static let unstoredRows = 20
    /// How many rows are read at once.
    private static let page = 200

    private struct State {
        var unstored: [FeedRow] = []
        /// How many were sent from memory before they were stored.
        var told: UInt64 = 0
        var listeners: [ObjectIdentifier: Reference] = [:]
    }

    private struct Reference { weak let listener: FeedListener? }

    private let store: Store
    private let state = Mutex(State())

    public init(store: Store) { self.store = store }

    /// Changes whenever a row is added or acknowledged, also from one run to the next. Below 2^53, where JavaScript's exact
    /// integers end. Does not read the disk: rules write their rows in commits of their own.
    public var version: UInt64 {
        (store.committedRevision(.feed) &+ state.withLock { $0.told }) & (1 << 52 - 1)
    }

    /// Sends a notification from memory while the disk fails. It is stored under the same id when the disk is back.
    public func tell(_ row: FeedRow) {
        var told = row
        let listeners = state.withLock { state -> [FeedListener] in
            told.createdAt = max(row.createdAt, state.unstored.last.map { $0.createdAt + 1 } ?? .min)
            state.unstored = (state.unstored + [told]).suffix(Self.unstoredRows)
            state.told &+= 1
            return state.listeners.values.compactMap(\.listener)
        }
        let stored = told
        store.enqueue(
            .immediate, { try $0.insert(stored) },
            done: { [weak self] _ in self?.state.withLock { $0.unstored.removeAll { $0.uuid == stored.uuid } } })
        for listener in listeners { listener.wake() }
    }

    /// Notifications that were sent and are not stored yet, oldest first.
    public func unstored(_ reader: Reader) throws -> [FeedRow] {
        try state.withLock { $0.unstored }.compactMap { try reader.settled($0) }
    }

    /// The feed, oldest first.
    ///
    /// - Parameters:
    ///   - time: ``FeedRow/createdAt`` of the last row that the client has, or any time.
    ///   - limit: the most rows, counting only visible ones.
    public func rows(
        after time: Int64, limit: Int, _ reader: Reader, where isVisible: (FeedRow) throws -> Bool
    ) throws -> [FeedRow] {
        var (found, last, isThrough) = ([FeedRow](), time, false)
        while found.count < limit, !isThrough {
            let rows = try reader.feed(after: last, limit: Self.page)
            isThrough = rows.count < Self.page
            last = rows.last?.createdAt ?? last
            found += try rows.filter(isVisible)
        }
        let waiting = try unstored(reader).filter { $0.createdAt > time }.filter(isVisible)
        guard !waiting.isEmpty else { return Array(found.prefix(limit)) }
        return Array((found + waiting).sorted { $0.createdAt < $1.createdAt }.prefix(limit))
    }

    /// Where a client continues whose last row is this one; nil if there is no such row.
    ///
    /// - Parameter uuid: ``FeedRow/uuid``, in any letter case.
    public func time(of uuid: String, _ reader: Reader) throws -> Int64? {
        let uuid = uuid.lowercased()
        return try reader.feedRow(uuid: uuid)?.createdAt
            ?? state.withLock { $0.unstored.first { $0.uuid == uuid }?.createdAt }
    }

    /// - Parameter wake: called for notifications sent from memory, on the thread that sends them; stored ones are in the change
    ///   log. Must return at once.
    public func observe(_ wake: @escaping @Sendable () -> Void) -> FeedListener {
        let listener = FeedListener(self, wake: wake)
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = Reference(listener: listener) }
        return listener
    }

    fileprivate func remove(_ id: ObjectIdentifier) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
}

/// Its `wake` is called until it is released.
public final class FeedListener: Sendable {
    fileprivate let wake: @Sendable () -> Void
    private let feed: NotificationFeed

    fileprivate init(_ feed: NotificationFeed, wake: @escaping @Sendable () -> Void) {
        (self.feed, self.wake) = (feed, wake)
    }

    deinit { feed.remove(ObjectIdentifier(self)) }
}
