// Whose answer is made next.
//
// 1. A listener has one thread, and a round is one loop of it: select(2), then every connection that has something for us.
//    Turns by connection would give one client as many as it has connections.
// 2. So a network whose answers have taken its share of a round waits for the next one: its connections are suspended in the
//    handler. Many small answers fit into a share; of those that take longer, one is made in each round.
// 3. Between two rounds the first of each line are resumed, one address after the other, so that within a network, too, nobody
//    has more turns than others. While a network has a line, its newcomers join it.
// 4. For a client that is alone, or asks for little, all of this is one look into a table.

import CMicroHTTPD
import Platform

/// The turns of one listener. `@unchecked Sendable`: used by the listener's thread alone.
final class Turns: @unchecked Sendable {
    /// Nanoseconds of a round that one network's answers may begin in.
    static let share: UInt64 = 4_000_000
    /// At most so many of a line are resumed for one round.
    private static let atOnce: UInt64 = 16

    private struct Waiting {
        let connection: HTTPConnection
        let address: IPAddress
        let handle: OpaquePointer
        var isResumed = false
    }

    private struct Network {
        /// Nanoseconds that its answers have taken in this round.
        var used: UInt64 = 0
        var lastAnswer: UInt64 = 0
        /// In the order in which they came.
        var line: [Waiting] = []
        /// Of each address that waits: when it had a turn, by a count of turns.
        var lastTurns: [IPAddress: Int] = [:]
        var turns = 0

        /// The places in the line that come first: of each address the first, then of each the second, and so on.
        func next(_ count: Int) -> [Int] {
            var seen: [IPAddress: Int] = [:]
            let order = line.indices.map { place -> (rank: Int, lastTurn: Int, place: Int) in
                let address = line[place].address
                defer { seen[address, default: 0] += 1 }
                return (seen[address, default: 0], lastTurns[address] ?? 0, place)
            }
            return order.sorted { ($0.rank, $0.lastTurn, $0.place) < ($1.rank, $1.lastTurn, $1.place) }.prefix(count)
                .map(\.place)
        }
    }

    private var networks: [IPAddress: Network] = [:]
    /// The server stops, and nobody waits any more.
    private var isOver = false

    /// Whether its answer may be made now.
    func admits(_ requester: Requester, on connection: HTTPConnection) -> Bool {
        guard !isOver, let network = networks[requester.network] else { return true }
        guard !network.line.isEmpty else { return network.used < Self.share }
        guard let place = network.line.firstIndex(where: { $0.connection === connection }), network.used < Self.share
        else {
            return false
        }
        networks[requester.network]?.turns += 1
        networks[requester.network]?.lastTurns[requester.address] = network.turns + 1
        networks[requester.network]?.line.remove(at: place)
        return true
    }

    /// Suspends the connection until its turn comes, when its handler is called again.
    func wait(_ requester: Requester, on connection: HTTPConnection, _ handle: OpaquePointer) {
        MHD_suspend_connection(handle)
        guard !isOver else { return MHD_resume_connection(handle) }
        var network = networks[requester.network] ?? Network()
        if let place = network.line.firstIndex(where: { $0.connection === connection }) {
            network.line[place].isResumed = false
        } else {
            network.line.append(Waiting(connection: connection, address: requester.address, handle: handle))
        }
        networks[requester.network] = network
    }

    /// An answer was made, in so many nanoseconds.
    func count(_ time: UInt64, of requester: Requester) {
        networks[requester.network, default: Network()].used += time
        networks[requester.network]?.lastAnswer = time
    }

    /// Takes the connection out of its line, and lets libmicrohttpd look at it again.
    func drop(_ connection: HTTPConnection) {
        for (key, network) in networks {
            guard let place = network.line.firstIndex(where: { $0.connection === connection }) else { continue }
            let waiting = network.line[place]
            networks[key]?.line.remove(at: place)
            if !waiting.isResumed { MHD_resume_connection(waiting.handle) }
        }
    }

    /// Between two rounds: resumes those whose turn it is.
    /// - Returns: whether there are any.
    @discardableResult
    func endRound(isStopping: Bool) -> Bool {
        isOver = isOver || isStopping
        guard !networks.isEmpty else { return false }
        for (key, network) in networks where !network.line.isEmpty {
            let fitting = network.lastAnswer > 0 ? Self.share / network.lastAnswer : Self.atOnce
            let count = isOver ? network.line.count : Int(min(max(fitting, 1), Self.atOnce))
            for place in network.next(count) where !network.line[place].isResumed {
                networks[key]?.line[place].isResumed = true
                MHD_resume_connection(network.line[place].handle)
            }
            networks[key]?.used = 0
        }
        if networks.values.allSatisfy({ $0.line.isEmpty }) {
            networks.removeAll(keepingCapacity: true)
            return false
        }
        networks = networks.filter { !$0.value.line.isEmpty }
        return true
    }
}
