// The memory that bodies and answers have together.
//
// 1. A client that sends a body slowly, or reads an answer slowly, keeps it in memory for as long.
// 2. So both are counted, and of what is free a client is given as much as it leaves to others: what its network holds and what
//    it holds itself are never more than what is free. However many share, something is left for the next one.
// 3. An answer's size is known when it is made. So who holds too much waits before its next answer is made.
// 4. Who waits is resumed when something is given back, and is refused when that takes too long (`Limits.memoryTime`).

import Synchronization

final class AnswerMemory: Sendable {
    /// What is smaller is not counted.
    static let smallest = 4096
    /// What an answer that is produced while it is sent takes: libmicrohttpd's block, and a chunk.
    static let stream = 96 << 10

    private struct State {
        var networks: [IPAddress: Int] = [:]
        var addresses: [IPAddress: Int] = [:]
        var line: [(requester: Requester, bytes: Int, signal: LaterAnswer)] = []
    }

    private let limit: Int
    private let total = Atomic(0)
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Bytes that are held.
    var held: Int { total.load(ordering: .relaxed) }

    /// Whether one may begin to make an answer. Below a third nobody can hold more than what is free.
    func hasRoom(for requester: Requester) -> Bool {
        guard total.load(ordering: .relaxed) > limit / 3 else { return true }
        return state.withLock { fits(1, requester, $0) }
    }

    private func fits(_ bytes: Int, _ requester: Requester, _ state: State) -> Bool {
        let free = limit - total.load(ordering: .relaxed)
        let own = state.addresses[requester.address] ?? 0
        let network = state.networks[requester.network] ?? 0
        return bytes <= free && (network == 0 || own + network + bytes <= free)
    }

    /// Takes so much, if the requester may have it.
    func take(_ bytes: Int, for requester: Requester) -> Bool {
        state.withLock { state in
            guard fits(bytes, requester, state) else { return false }
            add(bytes, requester, &state)
            return true
        }
    }

    /// Takes what is there already.
    func count(_ bytes: Int, for requester: Requester) { state.withLock { add(bytes, requester, &$0) } }

    private func add(_ bytes: Int, _ requester: Requester, _ state: inout State) {
        total.add(bytes, ordering: .relaxed)
        state.networks[requester.network, default: 0] += bytes
        state.addresses[requester.address, default: 0] += bytes
        if state.networks[requester.network] == 0 { state.networks[requester.network] = nil }
        if state.addresses[requester.address] == 0 { state.addresses[requester.address] = nil }
    }

    /// What was taken is free again.
    func giveBack(_ bytes: Int, of requester: Requester) {
        let next = state.withLock { state -> LaterAnswer? in
            add(-bytes, requester, &state)
            return nextInLine(&state)
        }
        next?.give(Response())
    }

    /// One that has waited has taken what it needs, or has gone: the next one may try.
    func passOn() { state.withLock { nextInLine(&$0) }?.give(Response()) }

    /// The first in the line who may have it now. One at a time: nobody knows how much its answer will take.
    private func nextInLine(_ state: inout State) -> LaterAnswer? {
        guard !state.line.isEmpty else { return nil }
        state.line.removeAll { $0.signal.isUnwanted }
        guard let place = state.line.firstIndex(where: { fits($0.bytes, $0.requester, state) }) else { return nil }
        return state.line.remove(at: place).signal
    }

    /// Comes when it is worth trying again.
    func room(_ bytes: Int, for requester: Requester) -> LaterAnswer {
        LaterAnswer { [self] signal in
            let fitsNow = state.withLock { state in
                if fits(bytes, requester, state) { return true }
                state.line.removeAll { $0.signal.isUnwanted }
                state.line.append((requester, bytes, signal))
                return false
            }
            if fitsNow { signal.give(Response()) }
        }
    }
}
