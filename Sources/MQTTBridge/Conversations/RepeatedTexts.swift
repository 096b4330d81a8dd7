import Store

// Texts without an id that come more than once. With MQTT 5 a broker says which subscription brings a message, and does
// not send us our own (No Local). With 3.1.1 it does neither, and some brokers of MQTT 5 know no subscription
// identifiers.

/// Copies of a message that several filters bring. They follow each other within a second.
struct Copies {
    private struct Key: Hashable {
        let source: SourceID
        let topic: String
        let payload: [UInt8]
    }

    private struct Seen {
        var at: Int64
        var left: Int
    }

    /// Milliseconds.
    private static let time: Int64 = 1_000
    private var seen: [Key: Seen] = [:]

    /// - Parameters:
    ///   - count: how many filters may bring it.
    ///   - now: steady milliseconds.
    /// - Returns: whether it is a copy of one that was taken.
    mutating func take(_ message: IncomingMessage, in source: SourceID, by count: Int, at now: Int64) -> Bool {
        guard count > 1 else { return false }
        seen = seen.filter { now - $0.value.at <= Self.time }
        let key = Key(source: source, topic: message.topic, payload: message.payload)
        if let known = seen[key], known.left > 0 {
            seen[key]!.left -= 1
            return true
        }
        seen[key] = Seen(at: now, left: count - 1)
        return false
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
