import Platform

/// A moment, in milliseconds of two clocks.
public struct HostTime: Hashable, Sendable {
    /// Since 1970, as rows have it. It leaps when somebody sets it.
    public var wall: Int64
    /// Of a clock that nobody sets: for waiting.
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
    /// Seconds; nil: for ever. MQTT 5 only.
    var expiry: UInt32?

    /// Takes what is retained there away.
    static func clearing(_ topic: String) -> Publication { Publication(topic: topic, payload: []) }
}

/// What became of a publication.
enum Outcome: Hashable, Sendable {
    case acknowledged
    /// The broker, or a limit of its own, does not let us; trying it again at once changes nothing.
    case refused
    /// The broker has no room for it now: its quota is used up.
    case postponed
}

/// What uses the connection to a broker. Everything is called on the broker's thread.
protocol BrokerUser: AnyObject {
    /// The broker has accepted us.
    ///
    /// - Returns: filters to be subscribed to; `isLocal`: also what we publish ourselves.
    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, at now: HostTime
    ) -> [(filter: String, isLocal: Bool)]

    func received(_ topic: String, _ payload: [UInt8], isRetained: Bool, at now: HostTime)

    /// All subscriptions are confirmed, or refused: `isAllowed` is false when one is.
    func subscribed(isAllowed: Bool, at now: HostTime)

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime)

    /// What was in flight is forgotten.
    func ended(at now: HostTime)

    /// The next messages, at most so many.
    func next(_ room: Int, at now: HostTime) -> [Publication]

    /// Steady milliseconds at which ``next(_:at:)`` is to be asked although nothing has happened; nil: never.
    var deadline: Int64? { get }

    /// An orderly end is wanted: what ``next(_:at:)`` gives from now on is the last.
    ///
    /// - Parameter isForGood: the broker is no longer configured: nothing of ours is to stay there. Where it is away, this is
    ///   asked before the next connection, which is made for that alone.
    func sayGoodbye(isForGood: Bool, at now: HostTime)
}
