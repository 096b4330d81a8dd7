import MeshModel

/// What is worked out about the radio itself and the questions that went out, as time goes by. Nobody wakes up for it: it
/// is due with the next packet.
struct OwnReadings {
    struct Due {
        /// Seconds.
        var timeOffset: Double?
        var countsNodes = false
        /// Those that nobody has waited for any longer.
        var traceroutes: [Asked] = []
    }

    struct Asked: Hashable {
        let target: NodeNumber
        /// Of the request.
        let id: PacketID
        /// Host milliseconds until which an answer counts.
        let until: Int64
    }

    /// Milliseconds over which the difference of the clocks is averaged.
    private static let span: Int64 = 300_000
    /// Milliseconds after a handshake, in which nodes are told that come one by one.
    private static let settling: Int64 = 30_000
    /// Milliseconds: what is older by the radio's clock was received long ago (Contract 3.3).
    private static let oldest: Int64 = 6 * 3_600_000

    /// Host milliseconds.
    private var countsAt: Int64?
    private var spanBegan: Int64?
    /// Milliseconds by which the host's clock is ahead.
    private var offsets: (sum: Int64, count: Int64) = (0, 0)
    private var asked: [Asked] = []

    mutating func connected(at now: Int64) {
        countsAt = now + Self.settling
        spanBegan = nil
    }

    mutating func ask(_ traceroute: Asked) {
        if !asked.contains(traceroute) { asked.append(traceroute) }
    }

    mutating func heard(_ packet: MeshPacket, at now: Int64) -> Due {
        var due = Due()
        if let countsAt, now >= countsAt {
            due.countsNodes = true
            self.countsAt = nil
        }
        if !asked.isEmpty {
            due.traceroutes = asked.filter { $0.until <= now }
            asked.removeAll { $0.until <= now }
        }
        due.timeOffset = offset(by: packet, at: now)
        return due
    }

    /// The mean in seconds, when the time for it is over.
    private mutating func offset(by packet: MeshPacket, at now: Int64) -> Double? {
        var mean: Double?
        if let began = spanBegan, !(0..<Self.span).contains(now - began) {
            // When the host's clock leaps, the mean says nothing.
            if offsets.count > 0, now - began >= 0, now - began < 2 * Self.span {
                mean = (Double(offsets.sum) / Double(offsets.count) / 10).rounded() / 100
            }
            spanBegan = nil
        }
        if spanBegan == nil { (spanBegan, offsets) = (now, (0, 0)) }
        if !packet.isReplay, let seconds = packet.rxTime.map(Int64.init), seconds >= PlausibleTime.earliest,
            now - seconds * 1000 <= Self.oldest
        {
            offsets.sum += now - seconds * 1000
            offsets.count += 1
        }
        return mean
    }
}
