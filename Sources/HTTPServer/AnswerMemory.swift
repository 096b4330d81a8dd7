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
        return bytes <= free && (own == 0 || own + network + bytes <= free)
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

    /// What was taken is free again; the first in the line who may have it now are told.
    func giveBack(_ bytes: Int, of requester: Requester) {
        let told = state.withLock { state -> [LaterAnswer] in
            add(-bytes, requester, &state)
            guard !state.line.isEmpty else { return [] }
            state.line.removeAll { $0.signal.isUnwanted }
            var rest = limit - total.load(ordering: .relaxed)
            var told: [LaterAnswer] = []
            for waiting in state.line where rest > 0 && fits(waiting.bytes, waiting.requester, state) {
                rest -= max(waiting.bytes, Self.stream)
                told.append(waiting.signal)
            }
            state.line.removeAll { waiting in told.contains { $0 === waiting.signal } }
            return told
        }
        for signal in told { signal.give(Response()) }
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
