import MeshModel
import Platform
import Synchronization

/// What is to be done one after the other, in a thread that is there while there is something.
final class OrderQueue: Sendable {
    private static let capacity = 32

    private struct State {
        var waiting: [(order: @Sendable () -> Void, owner: Sender?)] = []
        var isRunning = false
        /// Whose order is being carried out.
        var current: Sender?
    }

    private let state = Mutex(State())

    /// There is nothing to be done.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Something that this client has ordered is still to be done.
    func areDue(of owner: Sender) -> Bool {
        state.withLock { $0.current == owner || $0.waiting.contains { $0.owner == owner } }
    }

    /// - Parameter owner: whose order it is.
    /// - Returns: false: too much is waiting already.
    func add(of owner: Sender? = nil, _ order: @escaping @Sendable () -> Void) -> Bool {
        add(order, of: owner, within: Self.capacity)
    }

    /// Adds what is to be done for a client that has left, however much is waiting: the end of its edit must not overtake what it
    /// has ordered in it.
    func addLast(_ order: @escaping @Sendable () -> Void) { _ = add(order, of: nil, within: .max) }

    private func add(_ order: @escaping @Sendable () -> Void, of owner: Sender?, within capacity: Int) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count < capacity else { return (false, false) }
            state.waiting.append((order, owner))
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        guard isFirst else { return isTaken }
        // There is no thread to be had: the caller carries it out.
        if !Thread.detach({ self.run() }) { run() }
        return true
    }

    private func run() {
        while true {
            let order = state.withLock { state -> (@Sendable () -> Void)? in
                state.isRunning = !state.waiting.isEmpty
                guard !state.waiting.isEmpty else {
                    state.current = nil
                    return nil
                }
                let (order, owner) = state.waiting.removeFirst()
                state.current = owner
                return order
            }
            guard let order else { return }
            order()
        }
    }
}
