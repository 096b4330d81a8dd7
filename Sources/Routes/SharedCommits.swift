import Platform
import Store
import Synchronization

// Small changes that come often: what a client has read, muted or seen, and texts for brokers.
//
// Each by itself would be a sync of the disk, and a client that marks as fast as it can would write gigabytes a day to
// a card. So those that come within a fifth of a second are one transaction, of all clients together. The thread is
// there only while there is something to commit.

/// Commits changes together.
public final class SharedCommits: Sendable {
    /// Nanoseconds between the beginnings of two commits.
    static let interval: UInt64 = 200_000_000

    typealias Change = @Sendable (Writer) throws -> Void
    typealias Done = @Sendable (Result<Void, any Error>) -> Void

    private struct State {
        var waiting: [(change: Change, done: Done)] = []
        var isRunning = false
        /// Changes that were taken and are not on disk yet.
        var committing = 0
        /// When the last commit began, in nanoseconds of ``MonotonicClock``.
        var last: UInt64?
    }

    private let store: Store
    private let state = Monitor(State())

    init(store: Store) { self.store = store }

    /// - Parameter done: called when it is on disk, or failed with all others of its commit. It must return at once.
    func add(_ change: @escaping Change, _ done: @escaping Done) {
        let isFirst = state.withLock { state in
            state.waiting.append((change, done))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst, !Thread.detach(named: "marks", { self.run() }) { run() }
    }

    /// Changes that are not on disk yet. While there are some, what is there does not say whether another one is news.
    var pendingCount: Int { state.withLock { $0.committing + $0.waiting.count } }

    private func run() {
        while let batch = next() {
            let result: Result<Void, any Error>
            do {
                try store.commit { writer in
                    for (change, _) in batch { try change(writer) }
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            state.withLock { $0.committing = 0 }
            for (_, done) in batch { done(result) }
        }
    }

    /// What has come since the last commit, when it is time for the next one; nil: nothing has.
    private func next() -> [(change: Change, done: Done)]? {
        let due = state.withLock { $0.last.map { $0 + Self.interval } }
        // Nobody ends this wait earlier.
        if let due, due > MonotonicClock.nanoseconds() { _ = state.wait(until: due) { _, _ in nil as Void? } }
        return state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            state.last = MonotonicClock.nanoseconds()
            state.committing = state.waiting.count
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
