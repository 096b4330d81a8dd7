import Platform
import Store
import Synchronization

// How a room of this program follows what changes, goes on after a restart where it was, and acts once.
//
//     commit --wake--> next() -> changes since its place -> act(upTo:): what follows and the new place, in one commit
//
// 1. What follows from a change and the reader's place are one transaction: after a kill both are there, or neither.
// 2. Changes from which nothing follows move the place in memory only; on disk it moves every 1,000 changes, hourly, and at an
//    orderly stop, because a page in each group would be as much as the packet itself. After a kill some changes are looked
//    at twice: whatever acts outside of the database needs a key of its own against doubles.
// 3. Commits without a change of its kinds move the place of a reader that has seen everything before, and do not wake it. What
//    the last commits have changed it gets from memory; only who comes back, or falls behind, reads the log.
// 4. A full disk moves nothing: `act` throws, as every change does that a caller waits for, and the reader is woken when the disk
//    is well. It needs no timer to try again.

/// An internal reader of the change log, with a name and a place in the database. Its place and its row are guarded by a lock;
/// ``next(limit:)`` and ``act(upTo:_:)`` are for one thread at a time.
public final class ChangeReader: Sendable {
    public enum Step: Equatable, Sendable {
        /// Changes of its kinds, oldest first; none: there are no more for now. `upTo` is the place behind them.
        case changes([StoredChange], upTo: Int64)
        /// So many changes after `from` are no longer kept; nil: nobody knows how many, as after a restoration. Reading goes on
        /// behind `upTo`, which is also where ``ChangeReader/pass(_:)`` has to move the place.
        case missed(Int64?, from: Int64, upTo: Int64)
    }

    /// Changes after which the place is stored although nothing followed from them.
    static let storedAfter: Int64 = 1_000
    /// Milliseconds.
    static let storedEvery: Int64 = 3_600_000

    private struct State {
        var kinds: Set<StoredChange.Kind> { didSet { bits = kinds.bits } }
        /// The same as bits.
        private(set) var bits: UInt32
        /// The last change that was seen.
        var place: Int64
        /// What is on disk, or on its way there, and since when: host milliseconds.
        var stored: Int64
        var storedAt: Int64
        /// It has seen everything of its kinds.
        var isThrough = false
        /// Counts commits of its kinds.
        var commits: UInt64 = 0
        /// The newest change when it read last, and how many commits there were.
        var end: (place: Int64, commits: UInt64)?
        /// The disk has failed under what it did: it is to try again.
        var hasFailed = false
        var isForgotten = false

        init(_ kinds: Set<StoredChange.Kind>, at place: Int64, storedAt: Int64) {
            (self.kinds, bits, self.place, stored, self.storedAt) = (kinds, kinds.bits, place, place, storedAt)
        }

        mutating func move(to change: Int64) {
            place = change
            if let end, end == (change, commits) { isThrough = true }
        }
    }

    public let name: String
    private let store: Store
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    fileprivate init(
        _ name: String, kinds: Set<StoredChange.Kind>, at place: Int64, in store: Store,
        clock: @escaping @Sendable () -> Int64, wake: @escaping @Sendable () -> Void
    ) {
        (self.name, self.store, self.clock, self.wake) = (name, store, clock, wake)
        state = Mutex(State(kinds, at: place, storedAt: clock()))
        store.beginStandingReads()
    }

    deinit { store.endStandingReads() }

    /// The last change that it has seen.
    public var place: Int64 { state.withLock { $0.place } }

    /// From its place on it reads changes of these kinds.
    public func follow(_ kinds: Set<StoredChange.Kind>) {
        state.withLock { ($0.kinds, $0.isThrough, $0.end) = (kinds, false, nil) }
    }

    /// What has changed since its place, which stays where it is. Commits no group of changes.
    ///
    /// - Parameters:
    ///   - limit: how many changes are looked at.
    ///   - read: called with the changes, inside a transaction that finds them committed. `isAll`: there are no more for now.
    public func next(
        limit: Int = 500, _ read: (Reader, [StoredChange], _ isAll: Bool) throws -> Void = { _, _, _ in }
    ) throws -> Step {
        let (kinds, place, commits) = state.withLock { ($0.kinds, $0.place, $0.commits) }
        // Before the transaction begins, which therefore finds all of it.
        let recent = store.recentChanges(after: place, kinds: kinds, limit: limit)
        let (step, isAll) = try store.readCommitted { reader -> (Step, isAll: Bool) in
            if let recent {
                if !recent.changes.isEmpty || recent.isAll { try read(reader, recent.changes, recent.isAll) }
                return (.changes(recent.changes, upTo: recent.last), recent.isAll)
            }
            let forgotten = try reader.forgottenChanges(after: place)
            let newest = try reader.newestChange()
            guard forgotten == 0 else { return (.missed(forgotten, from: place, upTo: newest), false) }
            let (changes, last, _) = try reader.changes(after: place, kinds: kinds, limit: limit)
            if !changes.isEmpty || last == newest { try read(reader, changes, last == newest) }
            return (.changes(changes, upTo: last), last == newest)
        }
        guard case .changes(let changes, let last) = step else { return step }
        if isAll { state.withLock { $0.end = (last, commits) } }
        guard changes.isEmpty else { return step }
        pass(last)
        // Nothing for it here; there may be further on.
        return isAll ? step : try next(limit: limit, read)
    }

    /// Makes what follows from the changes, and moves the place behind them, in one commit. When this returns, both are on disk.
    ///
    /// - Throws: what `effect` throws, or the ``StoreError`` of a failing disk; the place stays then. After the latter the reader
    ///   is woken as soon as the disk is well.
    public func act(upTo change: Int64, _ effect: @escaping @Sendable (Writer) throws -> Void) throws {
        do {
            try store.commit { [name] writer in
                try effect(writer)
                try writer.moveCursor(name, to: change)
            }
        } catch let error as StoreError where error.concernsStorage {
            wakeWhenWell()
            throw error
        }
        state.withLock { state in
            state.move(to: change)
            (state.stored, state.storedAt) = (change, clock())
        }
    }

    /// The end of a failure is a row of what happened, so that a commit comes that brings a change.
    private func wakeWhenWell() {
        state.withLock { $0.hasFailed = true }
        guard store.health.failingSince == nil else { return }
        // It has ended already.
        let isForIt = state.withLock { state in
            defer { state.hasFailed = false }
            return state.hasFailed
        }
        if isForIt { wake() }
    }

    /// Nothing follows from the changes up to this one.
    public func pass(_ change: Int64) {
        state.withLock { state in
            state.move(to: change)
            storeIfDue(&state)
        }
    }

    /// A commit has brought these changes, the last of them with this number. On the writer thread.
    fileprivate func passed(_ changes: [StoredChange], upTo last: Int64) {
        let isForIt = state.withLock { state in
            defer { state.hasFailed = false }
            guard !changes.contains(where: { state.bits & $0.kind.bit != 0 }) else {
                state.isThrough = false
                state.commits += 1
                return true
            }
            if state.isThrough {
                state.place = last
                storeIfDue(&state)
            }
            return state.hasFailed
        }
        if isForIt { wake() }
    }

    private func storeIfDue(_ state: inout State) {
        let isFar = state.place < state.stored || state.place - state.stored >= Self.storedAfter
        // The clock may have been set back meanwhile.
        let isLate = state.place != state.stored && abs(clock() - state.storedAt) >= Self.storedEvery
        if isFar || isLate { store(&state) }
    }

    /// In a group, in its turn with everything else.
    private func store(_ state: inout State) {
        guard !state.isForgotten, state.place != state.stored else { return }
        (state.stored, state.storedAt) = (state.place, clock())
        store.enqueue(.grouped, { [name, place = state.place] in try $0.moveCursor(name, to: place) })
    }

    /// At an orderly stop: its place is stored with the next group.
    public func storePlace() { state.withLock { store(&$0) } }

    fileprivate func forget() { state.withLock { $0.isForgotten = true } }
}

/// Those that are kept.
final class ChangeReaders: Sendable {
    private struct Reference: Sendable { weak let reader: ChangeReader? }

    private let list = Mutex<[String: Reference]>([:])

    /// The one that had the name may be gone but for the writer's thread, which is telling it of a commit.
    fileprivate func add(_ reader: ChangeReader) {
        list.withLock { $0.updateValue(Reference(reader: reader), forKey: reader.name) }?.reader?.forget()
    }

    fileprivate func remove(_ name: String) { list.withLock { $0.removeValue(forKey: name) }?.reader?.forget() }

    private var all: [ChangeReader] { list.withLock { $0.values.compactMap(\.reader) } }

    func passed(_ changes: [StoredChange]) {
        let readers = all
        guard !readers.isEmpty, let last = changes.last?.number else { return }
        for reader in readers { reader.passed(changes, upTo: last) }
    }

    /// At an orderly stop.
    func storePlaces() { for reader in all { reader.storePlace() } }
}

extension Gateway {
    /// A reader that goes on where one of this name was, for as long as it is kept. A new name begins at the newest change.
    ///
    /// - Parameters:
    ///   - name: one reader at a time has it, the newest: the one before stores no place any more.
    ///   - wake: called after each commit that has brought changes of these kinds, and after a failure of the disk, on the writer
    ///     thread or that of ``ChangeReader/act(upTo:_:)``. Must return at once.
    /// - Throws: the ``StoreError`` of a failing disk, when the name is new.
    public func reader(
        named name: String, kinds: Set<StoredChange.Kind>, wake: @escaping @Sendable () -> Void
    ) throws -> ChangeReader {
        let known = try store.readCommitted { try $0.cursor(name) }
        let place = try known ?? store.commit { try $0.openCursor(name) }
        let reader = ChangeReader(name, kinds: kinds, at: place, in: store, clock: clock, wake: wake)
        changeReaders.add(reader)
        return reader
    }

    /// Nobody reads under this name any more: its place is deleted. When this returns, that is on disk.
    public func forget(reader name: String) throws {
        changeReaders.remove(name)
        try store.commit { try $0.forgetCursor(name) }
    }
}
