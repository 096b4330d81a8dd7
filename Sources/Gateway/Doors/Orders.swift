import Platform
import Synchronization

/// What is to be done one after the other, in a thread that is there while there is something.
final class Orders: Sendable {
    private static let capacity = 32

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// There is nothing to be done.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// - Returns: false: too much is waiting already.
    func add(_ order: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count < Self.capacity else { return (false, false) }
            state.waiting.append(order)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        guard isFirst else { return isTaken }
        // Without a thread whoever has an order has to wait for it.
        if !Thread.detach({ self.run() }) { run() }
        return true
    }

    private func run() {
        while true {
            let order = state.withLock { state -> (@Sendable () -> Void)? in
                state.isRunning = !state.waiting.isEmpty
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            guard let order else { return }
            order()
        }
    }
}
