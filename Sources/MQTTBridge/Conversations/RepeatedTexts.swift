import Store

// Texts without an id that come more than once. With MQTT 5 a broker says which subscription brings a message, and does
// not send us our own (No Local). With 3.1.1 it does neither, and some brokers of MQTT 5 know no subscription
// identifiers.

/// Copies of a message that several filters bring.
///
/// Where a broker names the filter, a copy is what another filter brings; where it names none, what follows within a second,
/// once for each filter that names the topic.
struct Copies {
    private struct Seen {
        let at: Int64
        /// Subscription identifiers.
        var filters: Set<UInt32>
        /// How many copies may follow.
        var left: Int
    }

    /// Milliseconds, without names and with them.
    private static let time: Int64 = 1_000
    private static let longestTime: Int64 = 60_000
    /// Messages that are remembered, and of those the ones that are the same.
    private static let most = 4_096
    private static let mostOfOne = 64

    /// By source, topic and payload, of which a number is kept.
    private var seen: [Int: [Seen]] = [:]
    private var count = 0
    private var tidiedAt: Int64 = 0

    /// - Parameters:
    ///   - count: how many filters of the session bring it, in one message or in several.
    ///   - now: steady milliseconds.
    /// - Returns: whether it is a copy of one that was taken.
    mutating func take(_ message: IncomingMessage, in source: SourceID, of count: Int, at now: Int64) -> Bool {
        guard count > 1 else { return false }
        let filters = Set(message.identifiers)
        tidy(at: now)
        var hasher = Hasher()
        hasher.combine(source)
        hasher.combine(message.topic)
        hasher.combine(message.payload)
        let key = hasher.finalize()
        var known = seen[key] ?? []
        let first = known.firstIndex { one in
            one.left > 0 && (filters.isEmpty ? now - one.at <= Self.time : one.filters.isDisjoint(with: filters))
        }
        let brings = max(1, filters.count)
        if let first {
            known[first].filters.formUnion(filters)
            known[first].left -= brings
        } else {
            known.append(Seen(at: now, filters: filters, left: count - brings))
            self.count += 1
            if known.count > Self.mostOfOne { known.removeFirst() }
        }
        seen[key] = known
        return first != nil
    }

    private mutating func tidy(at now: Int64) {
        guard count >= Self.most || now - tidiedAt > Self.time else { return }
        tidiedAt = now
        // So many at once are a flood, of which most is dropped anyway.
        seen =
            count >= Self.most
            ? [:]
            : seen.compactMapValues { known in
                let young = known.filter { now - $0.at <= Self.longestTime }
                return young.isEmpty ? nil : young
            }
        count = seen.values.reduce(0) { $0 + $1.count }
    }
}

/// Own texts, which a broker of 3.1.1 sends back as if somebody else had written them.
struct Echoes {
    private struct Own: Hashable {
        let topic: String
        let payload: [UInt8]
    }

    /// For so many milliseconds one may come back after the broker has taken it.
    static let time: Int64 = 60_000

    /// Until when each may come back, in steady milliseconds; `.max`: the broker has not taken it yet.
    private var own: [Own: Int64] = [:]

    mutating func published(_ topic: String, _ payload: [UInt8]) { own[Own(topic: topic, payload: payload)] = .max }

    mutating func taken(_ topic: String, _ payload: [UInt8], at now: Int64) {
        own = own.filter { $0.value > now }
        own[Own(topic: topic, payload: payload)] = now + Self.time
    }

    func contains(_ message: IncomingMessage, at now: Int64) -> Bool {
        own[Own(topic: message.topic, payload: message.payload)].map { $0 > now } ?? false
    }
}

/// What a broker brings once more, because our acknowledgement of it has not left: first of all, and in the same order
/// (MQTT 3.1.1, 4.4 and 4.6). A text with an id is known by it; the others are known by their place.
struct BroughtAgain {
    /// Of the batch that is read, and of the one that was stored last.
    private var batch: [IncomingMessage] = []
    private var lastBatch: [IncomingMessage] = []
    /// What is to come again, and what of it is in the batch that is read.
    private var awaited: ArraySlice<IncomingMessage> = []
    private var met: [IncomingMessage] = []

    /// - Returns: whether it was taken before.
    mutating func take(_ message: IncomingMessage) -> Bool {
        guard message.quality != .atMostOnce else { return false }
        batch.append(message)
        guard let next = awaited.popFirst() else { return false }
        guard next.topic == message.topic, next.payload == message.payload else {
            awaited = []
            return false
        }
        met.append(message)
        return true
    }

    /// The batch is on disk, and is answered now.
    mutating func stored() { (lastBatch, batch, met) = (batch, [], []) }

    /// - Parameter isUnanswered: the answer to the last batch has not left.
    mutating func ended(isUnanswered: Bool) {
        awaited = (isUnanswered ? lastBatch : []) + met + awaited
        (lastBatch, batch, met) = ([], [], [])
    }
}
