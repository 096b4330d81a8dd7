// The memory that bodies and answers have together.
//
// 1. A client that sends a body slowly, or reads an answer slowly, keeps it in memory for as long.
// 2. So both are counted, and a client gets more only while it leaves as much to others: what its network holds and what it
//    holds itself are together never more than what is free. However many share, something is left for the next one.
// 3. The size of an answer is known when it is made. So before that, while memory is short, as much is taken as the route's
//    answers had of late (AnswerSizes), and a client for which there is not so much waits.
// 4. A waiting request goes on when something is given back, and is refused when that takes too long (`Limits.memoryTime`).

import Platform
import Synchronization

final class AnswerMemory: Sendable {
    /// Smaller bodies and answers are not counted.
    static let smallest = 4096
    /// An answer that is produced while it is sent: libmicrohttpd's block, and a chunk; without what it is made from.
    static let stream = 96 << 10
    let sizes = AnswerSizes()

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

    /// What is kept free for an answer of this route before it is made; 0: memory is not short. Below a third no client can hold
    /// more than what is free. Even the largest answer is made when nothing else is held.
    func reservation(of route: () -> String) -> Int {
        guard total.load(ordering: .relaxed) > limit / 3 else { return 0 }
        return min(max(sizes.expected(of: route()), 1), limit / 2)
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

    /// Counts bytes that are in memory already.
    func count(_ bytes: Int, for requester: Requester) { state.withLock { add(bytes, requester, &$0) } }

    private func add(_ bytes: Int, _ requester: Requester, _ state: inout State) {
        total.add(bytes, ordering: .relaxed)
        state.networks[requester.network, default: 0] += bytes
        state.addresses[requester.address, default: 0] += bytes
        if state.networks[requester.network] == 0 { state.networks[requester.network] = nil }
        if state.addresses[requester.address] == 0 { state.addresses[requester.address] = nil }
    }

    /// The bytes are free again, and the next one in the line goes on.
    func giveBack(_ bytes: Int, of requester: Requester) {
        let next = state.withLock { state -> LaterAnswer? in
            add(-bytes, requester, &state)
            return nextInLine(&state)
        }
        next?.give(Response())
    }

    /// A client that waited has taken its bytes, or has left: the next one may try.
    func passOn() { state.withLock { nextInLine(&$0) }?.give(Response()) }

    /// The first in the line that may have its bytes now. One at a time: the size of its answer is not known yet.
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
