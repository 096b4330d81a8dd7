import MeshModel
import MeshProtocol

// The one timer of all clients. While nobody is connected there is none.
//
// Some clients leave when nothing has come for a minute, and do not ask. So something is said at least every 55
// seconds, and at once to every client to which it is due soon: many clients cost no more wake-ups than one.

/// Nanoseconds.
struct ShareTimes: Sendable {
    /// After so much silence a client is sent something.
    var silence: UInt64 = 55_000_000_000
    /// A client that takes nothing for so long, while there is something for it, is disconnected.
    var stall: UInt64 = 60_000_000_000
    /// A client that has said nothing by then is disconnected.
    var patience: UInt64 = 30_000_000_000
    /// How often a waiting client's radio is looked up again.
    var look: UInt64 = 5_000_000_000
    /// For so long a client that must leave is answered what it has ordered before.
    var answers: UInt64 = 2_000_000_000
    /// For so long a client's refusals have one line in the log, and a reason is told to it once.
    var refusalLog: UInt64 = 60_000_000_000
    var refusalWords: UInt64 = 3_600_000_000_000
}

extension ShareLoop {
    func deadline(of client: ShareClient) -> UInt64 {
        var deadline = client.leavesBy ?? .max
        if !client.output.isEmpty {
            deadline = min(deadline, client.lastTaken + times.stall)
        } else if client.isLive {
            deadline = min(deadline, client.lastSaid + times.silence)
        }
        if client.output.isEmpty, let last = client.mustLeaveBy { deadline = min(deadline, last) }
        if client.isWaiting { deadline = min(deadline, now + times.look) }
        if !client.hasSpoken { deadline = min(deadline, client.lastSaid + times.patience) }
        return deadline
    }

    func tick() {
        endHeld()
        for line in refused.takeOverdue(at: now) { logger.notice(line) }
        var isDue = false
        for client in clients {
            if client.output.isEmpty { client.lastTaken = now }
            if let leavesBy = client.leavesBy, leavesBy <= now { client.end = client.end ?? .left }
            if client.lastTaken + times.stall <= now { client.end = client.end ?? .stalled }
            if !client.hasSpoken, client.lastSaid + times.patience <= now { client.end = client.end ?? .mute }
            if client.isLive, client.lastSaid + times.silence <= now { isDue = true }
        }
        for client in clients where client.isWaiting || isDue && client.isLive { followSource(client) }
        guard isDue else { return }
        for client in clients where client.isLive && client.output.isEmpty && client.lastSaid + times.silence / 2 <= now
        {
            client.answer(queueStatus(for: client, about: 0))
        }
    }

    /// A queue status as a radio of the client's own would say it. `free` is never 0: some clients then wait for ever.
    func queueStatus(for client: ShareClient, about id: PacketID, free: Int? = nil) -> [UInt8] {
        let places = free ?? gateway.places(for: client.sender, of: client.radio.source)
        let status = QueueStatus(result: 0, free: UInt32(clamping: min(16, max(1, places))), capacity: 16, packetID: id)
        return FromRadio.queueStatus(status).encoded()
    }
}
