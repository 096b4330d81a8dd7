import Platform

/// A moment on two clocks, in milliseconds.
public struct HostTime: Hashable, Sendable {
    /// Since 1970, as in rows. Jumps when the clock is set.
    public var wall: Int64
    /// On the monotonic clock, for waiting.
    public var steady: Int64

    public init(wall: Int64, steady: Int64) { (self.wall, self.steady) = (wall, steady) }

    public static var now: HostTime {
        HostTime(wall: WallClock.milliseconds(), steady: MonotonicClock.milliseconds())
    }
}

/// A message to be published, with QoS 1.
struct Publication: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    var isRetained = true
    /// Seconds; nil for ever. MQTT 5 only.
    var expiry: UInt32?

    /// Clears the retained message of a topic.
    static func clearing(_ topic: String) -> Publication { Publication(topic: topic, payload: []) }
}

/// What became of a publication.
enum Outcome: Hashable, Sendable {
    case acknowledged
    /// Refused by the broker, or over one of its limits; trying again at once would fail again.
    case refused
    /// The broker's quota is used up for now.
    case postponed
}

/// The user of a connection to a broker. All calls come on the broker's thread.
protocol BrokerUser: AnyObject {
    /// The broker has accepted us.
    ///
    /// - Returns: filters to subscribe to; `isLocal` includes what we publish ourselves.
    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, at now: HostTime
    ) -> [(filter: String, isLocal: Bool)]

    func received(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: HostTime)

    /// All subscriptions were answered; `isAllowed` is false if any was refused.
    func subscribed(isAllowed: Bool, at now: HostTime)

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime)

    /// The connection has ended, and what was in flight is lost.
    func ended(at now: HostTime)

    /// The next messages, at most `room` of them.
    func next(_ room: Int, at now: HostTime) -> [Publication]

    /// When to call ``next(_:at:)`` although nothing has happened, in steady milliseconds; nil for never.
    var deadline: Int64? { get }

    /// Asks for an orderly end: what ``next(_:at:)`` returns from now on is the last.
    ///
    /// - Parameter isForGood: the broker is no longer configured, so nothing of ours may stay there. If it is away, this is called
    ///   before the next connection, which is made only to clear it.
    func sayGoodbye(isForGood: Bool, at now: HostTime)
}
