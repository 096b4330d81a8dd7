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

/// What a broker sends again because our acknowledgement has not left, or has not reached it. It comes before everything
/// else, and in the same order (MQTT 3.1.1, 4.4 and 4.6). A text with an id is known by it, the others by their place; and
/// what the broker may have forgotten meanwhile by its packet id, too.
struct BroughtAgain {
    private struct Taken {
        /// Topic and payload.
        let words: Int
        let packetID: UInt16
        /// In steady milliseconds; nil: the answer has certainly not left.
        var answeredAt: Int64?

        init(_ message: IncomingMessage) {
            var hasher = Hasher()
            hasher.combine(message.topic)
            hasher.combine(message.payload)
            (words, packetID) = (hasher.finalize(), message.packetID)
        }

        /// A broker that has our answer may give the packet id away again, but not the place.
        func isSame(as other: Taken) -> Bool {
            words == other.words && (answeredAt == nil || packetID == other.packetID)
        }
    }

    /// Milliseconds. An answer may be lost if it left this long before the connection ended, because that is how long we
    /// may take to notice that nobody reads; the message may come again this long after the next connection began.
    private static let doubtfulTime: Int64 = 120_000
    /// Messages.
    private static let mostDoubtful = 64

    /// Of the batch that is read.
    private var batch: [Taken] = []
    /// Of batches that are on disk, in their order, and how many of the last batch.
    private var answered: [Taken] = []
    private var lastCount = 0
    /// What may come again, and what of it is in the batch that is read.
    private var awaited: ArraySlice<Taken> = []
    private var met: [Taken] = []
    /// Until when what is doubtful may come again, in steady milliseconds.
    private var doubtfulUntil: Int64 = 0

    /// - Returns: whether it was taken before.
    mutating func take(_ message: IncomingMessage, at now: HostTime) -> Bool {
        guard message.quality != .atMostOnce else { return false }
        if now.steady > doubtfulUntil { awaited.removeAll { $0.answeredAt != nil } }
        let this = Taken(message)
        batch.append(this)
        while let next = awaited.popFirst() {
            if next.isSame(as: this) {
                met.append(next)
                return true
            }
            // What the broker has our answer to does not come.
            if next.answeredAt == nil { awaited = [] }
        }
        return false
    }

    /// A new connection: what is doubtful comes soon or not at all.
    mutating func connected(at now: HostTime) { doubtfulUntil = now.steady + Self.doubtfulTime }

    /// The batch is on disk, and is answered now.
    mutating func stored(at now: HostTime) {
        answered += batch.map { one in
            var one = one
            one.answeredAt = now.steady
            return one
        }
        answered.removeFirst(max(0, answered.count - max(batch.count, Self.mostDoubtful)))
        (lastCount, batch, met) = (batch.count, [], [])
    }

    /// - Parameter isUnanswered: the answer to the last batch has not left.
    mutating func ended(isUnanswered: Bool, at now: HostTime) {
        if isUnanswered {
            for index in answered.indices.suffix(lastCount) { answered[index].answeredAt = nil }
        }
        let young = answered.filter { $0.answeredAt.map { now.steady - $0 <= Self.doubtfulTime } ?? true }
        awaited = young + met + awaited
        (answered, lastCount, batch, met) = ([], 0, [], [])
    }
}
