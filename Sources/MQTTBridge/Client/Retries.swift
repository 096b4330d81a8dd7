/// How long to wait before a broker is tried again: without a clock, so that a day of it is tested in no time.
struct Retries {
    /// Milliseconds.
    static let longest: Int64 = 60_000
    /// A connection that has lasted so long was a good one: milliseconds.
    static let lasting: Int64 = 10_000

    /// How often it was tried since a good one.
    private var count = 0

    /// - Parameters:
    ///   - lasted: milliseconds since the broker accepted the connection that has ended; nil: it never did.
    ///   - draw: from 0 to below 1, at random: many gateways have lost one broker at the same moment.
    /// - Returns: milliseconds.
    mutating func delay(afterLasting lasted: Int64?, draw: Double) -> Int64 {
        if let lasted, lasted >= Self.lasting { count = 0 }
        let doubled = 1_000 << Int64(min(count, 6))
        count += 1
        return min(Self.longest, Int64(Double(doubled) * (0.5 + draw)))
    }
}

/// Which version of MQTT a broker is spoken to in.
struct ProtocolChoice {
    enum Version: Int32, Sendable { case mqtt311 = 4, mqtt5 = 5 }

    private(set) var version = Version.mqtt5
    /// The broker has accepted it once.
    private var isKnown = false
    /// 3.1.1 was tried because a connection ended unanswered, not because the broker has refused 5.
    private var isGuess = false
    /// Refusals since it has accepted one.
    private var refusals = 0

    mutating func accepted() { (isKnown, refusals) = (true, 0) }

    /// The broker refuses this version by its number.
    ///
    /// - Returns: whether the other one is worth trying at once: it was not refused just before.
    mutating func refused() -> Bool {
        version = version == .mqtt5 ? .mqtt311 : .mqtt5
        (isKnown, isGuess) = (false, false)
        refusals += 1
        return refusals % 2 == 1
    }

    /// The connection ended after our CONNECT without an answer: some brokers that know no MQTT 5 do so (RabbitMQ 3.10), and so
    /// does every broker that goes down.
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

/// What a CONNACK that is no welcome asks for.
enum Refusal: Hashable, Sendable {
    /// Trying again changes nothing: the file of the broker has to.
    case final
    /// Busy, unavailable, over its quota.
    case passing
    /// Another version of MQTT.
    case version

    /// - Parameter code: of the CONNACK, other than 0.
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
