/// How long to wait before reconnecting to a broker. It has no clock, so that tests pass a day in no time.
struct Retries {
    /// Milliseconds.
    static let longest: Int64 = 60_000
    /// A connection that lasted this long was a good one, in milliseconds.
    static let lasting: Int64 = 10_000

    /// Delays since the last good connection.
    private var count = 0

    /// - Parameters:
    ///   - lasted: milliseconds since the broker accepted the connection that has ended; nil if it never did.
    ///   - draw: random, from 0 to below 1: many gateways may have lost one broker at the same moment.
    /// - Returns: milliseconds.
    mutating func delay(afterLasting lasted: Int64?, draw: Double) -> Int64 {
        if let lasted, lasted >= Self.lasting { count = 0 }
        let doubled = 1_000 << Int64(min(count, 6))
        count += 1
        return min(Self.longest, Int64(Double(doubled) * (0.5 + draw)))
    }
}

/// Which version of MQTT to speak to a broker.
struct ProtocolChoice {
    enum Version: Int32, Sendable { case mqtt311 = 4, mqtt5 = 5 }

    private(set) var version = Version.mqtt5
    /// The broker has accepted this version.
    private var isKnown = false
    /// 3.1.1 was tried because a connection ended unanswered, not because the broker has refused 5.
    private var isGuess = false
    /// Refusals since the broker last accepted a version.
    private var refusals = 0

    mutating func accepted() { (isKnown, refusals) = (true, 0) }

    /// The broker has refused this version of the protocol.
    ///
    /// - Returns: whether to try the other one at once, because it was not refused just before.
    mutating func refused() -> Bool {
        version = version == .mqtt5 ? .mqtt311 : .mqtt5
        (isKnown, isGuess) = (false, false)
        refusals += 1
        return refusals % 2 == 1
    }

    /// The connection ended without an answer to our CONNECT: some brokers without MQTT 5 do that (RabbitMQ 3.10), and so does
    /// every broker that goes down.
    mutating func endedUnanswered() {
        guard !isKnown else { return }
        version = version == .mqtt5 ? .mqtt311 : .mqtt5
        isGuess = version == .mqtt311
    }

    /// A connection that the broker had accepted has ended. What was guessed holds for one: it may just have been starting.
    mutating func ended() {
        if isGuess { (version, isKnown, isGuess) = (.mqtt5, false, false) }
    }
}

/// What to do about a CONNACK that refuses us.
enum Refusal: Hashable, Sendable {
    /// Do not try again until the broker's file changes.
    case final
    /// Busy, unavailable, over its quota.
    case passing
    /// Try the other version of MQTT.
    case version

    /// - Parameter code: from the CONNACK, other than 0.
    init(_ code: Int, _ version: ProtocolChoice.Version) {
        switch (version, code) {
        case (.mqtt5, 0x84), (.mqtt311, 1): self = .version
        // Client id, user or password, not authorised, banned.
        case (.mqtt5, 0x85), (.mqtt5, 0x86), (.mqtt5, 0x87), (.mqtt5, 0x8A): self = .final
        case (.mqtt311, 2), (.mqtt311, 4), (.mqtt311, 5): self = .final
        default: self = .passing
        }
    }
}
