import Platform
import Synchronization

/// Work that takes too long for a thread that others wait for: one after the other on a thread of its own, in turns by client, so
/// that a client that asks for much waits for its own. The thread is there only while there is something to do.
public final class WorkAside: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Client: [Work]] = [:]
        /// Clients with something waiting, whose turn is next first.
        var turns: [Client] = []
        /// Whose turn it is.
        var current: Client?
        var isRunning = false
        var count = 0
    }

    private let name: String
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - thread: what `top -H` shows; at most 15 bytes.
    ///   - capacity: so much may wait.
    public init(named thread: String, capacity: Int = .max) {
        name = thread
        self.capacity = capacity
    }

    /// Nothing is done or waits.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// What has not had its turn yet.
    var waitingCount: Int { state.withLock { $0.count } }

    /// Something of this client is done or waits.
    func isBusy(with client: @autoclosure () -> Client) -> Bool {
        state.withLock { state in
            guard state.isRunning, case let client = client() else { return false }
            return state.current == client || state.waiting[client] != nil
        }
    }

    /// Whether more may wait of this client: as much as is left for the others.
    func hasPlace(for client: Client) -> Bool {
        state.withLock { ($0.waiting[client]?.count ?? 0) < capacity - $0.count }
    }

    func add(_ client: Client, _ work: @escaping Work) {
        let isFirst = state.withLock { state in
            if state.waiting[client, default: []].isEmpty { state.turns.append(client) }
            state.waiting[client, default: []].append(work)
            state.count += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread everybody has to wait for it.
        if isFirst, !Thread.detach(named: name, { self.run() }) { run() }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> Work? {
        state.withLock { state in
            state.current = state.turns.first
            guard let client = state.current else {
                state.isRunning = false
                return nil
            }
            state.turns.removeFirst()
            state.count -= 1
            let work = state.waiting[client]?.removeFirst()
            if state.waiting[client]?.isEmpty ?? true {
                state.waiting[client] = nil
            } else {
                state.turns.append(client)
            }
            return work
        }
    }
}
