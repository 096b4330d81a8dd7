import MeshModel
import RadioLink

/// When each port is due, and whose turn it is there.
///
/// Several clients share the radio. Within a port their packets take turns: who was served longest ago comes next, and of
/// one client's packets the oldest. All rules together are one client.
struct OutboxTurns {
    /// Clients that are remembered for a port. Beyond that the memory of the port starts empty.
    private static let remembered = 64

    let pace: SendingPace
    /// When the next one on a port may go.
    private var due: [PortNumber: MonotonicTime] = [:]
    /// When each client was served last on each port, counted in packets.
    private var turns: [PortNumber: [Sender?: UInt64]] = [:]
    private var served: UInt64 = 0

    init(pace: SendingPace) { self.pace = pace }

    /// Before then nothing may go on this port.
    func due(on port: PortNumber) -> MonotonicTime { due[port] ?? 0 }

    mutating func take(_ entry: OutboxQueue.Entry, at now: MonotonicTime) {
        let port = entry.packet.port
        due[port] = now + pace.interval(after: entry.packet)
        served += 1
        if turns[port]?.count ?? 0 >= Self.remembered { turns[port] = nil }
        turns[port, default: [:]][entry.turn] = served
    }

    /// The packet of each port whose turn it is, by its place, in the order in which they came.
    ///
    /// - Parameter earliest: the time before which no other one may go.
    func firsts(
        of entries: [OutboxQueue.Entry], at now: MonotonicTime, else earliest: inout MonotonicTime
    ) -> [Int] {
        var firsts: [PortNumber: (place: Int, turn: UInt64)] = [:]
        for place in entries.indices where entries[place].isUnwritten && entries[place].hold == nil {
            let (entry, port) = (entries[place], entries[place].packet.port)
            if case .offered = entry.state { continue }
            let time = max(due(on: port), entry.notBefore)
            guard time <= now else {
                earliest = min(earliest, time)
                continue
            }
            // Whose note is on its way to the disk, or there, has begun its turn.
            let turn = entry.state == .waiting ? turns[port]?[entry.turn] ?? 0 : 0
            let hasBegun = firsts[port].map { entries[$0.place].state != .waiting } ?? false
            if hasBegun { continue }
            if entry.state != .waiting || firsts[port].map({ turn < $0.turn }) ?? true { firsts[port] = (place, turn) }
        }
        return firsts.values.map(\.place).sorted()
    }
}
