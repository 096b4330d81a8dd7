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

/// A message to be published.
struct Publication: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    var quality = Quality.atLeastOnce
    var isRetained = true
    /// Seconds; nil for ever. MQTT 5 only, as the properties.
    var expiry: UInt32?
    var properties: [UserProperty] = []
    /// The number of the row, or of the event, that it says; nil: it says none.
    var row: Int64?

    /// Clears the retained message of a topic.
    static func clearing(_ topic: String) -> Publication { Publication(topic: topic, payload: []) }
}

/// What became of a publication.
enum Outcome: Hashable, Sendable {
    case acknowledged
    /// Refused by the broker, with its reason code, or over one of its limits; trying again at once would fail again.
    case refused(Int)
    /// The broker's quota is used up for now.
    case postponed

    var isRefused: Bool { if case .refused = self { true } else { false } }
}

/// As whom a connection is made.
struct Session: Hashable, Sendable {
    /// Behind the client id of the broker's file, or our own.
    var suffix = ""
    /// The broker forgets an earlier session of this client id.
    var isClean = true
    /// Seconds that it keeps the session after the connection; MQTT 5 only. A session of 3.1.1 that is not clean is
    /// kept for as long as the broker likes.
    var expiry: UInt32 = 0
    /// The broker publishes `offline` as our status if the connection breaks.
    var hasWill = true
    /// Bytes of a packet that a broker may send us; MQTT 5 only.
    var largestPacket: UInt32 = 64 << 10
}

/// How a connection has ended.
struct Ending: Hashable, Sendable {
    /// Because of a message that is too large for us.
    var isTooLarge = false
    /// What ``BrokerUser/keepReceived(at:)`` kept last was not acknowledged to the broker all the same: it comes again.
    var isUnanswered = false
}

/// What is to change of the subscriptions of a connection.
enum SubscriptionChange: Hashable, Sendable {
    case subscribe(Subscription)
    case unsubscribe(String)
}

/// The user of a connection to a broker. All calls come on the broker's thread.
protocol BrokerUser: AnyObject {
    /// As whom the next connection is made.
    var session: Session { get }

    /// A connection is about to be made, as ``session`` says.
    func connecting(at now: HostTime)

    /// The loop has woken, connected or not.
    func look(at now: HostTime)

    /// The broker has accepted us.
    ///
    /// - Parameter isSessionPresent: it has kept our session.
    /// - Returns: what to subscribe to.
    func connected(
        _ version: ProtocolChoice.Version, _ limits: BrokerLimits, isSessionPresent: Bool, at now: HostTime
    ) throws -> [Subscription]

    func received(_ message: IncomingMessage, at now: HostTime)

    /// What was received last is about to be acknowledged, in one batch. If this throws, the connection ends, and the broker sends it
    /// again.
    func keepReceived(at now: HostTime) throws

    /// All subscriptions were answered; `isAllowed` is false if any was refused.
    func subscribed(isAllowed: Bool, at now: HostTime)

    /// Whether it logs by itself what the broker does not let us read.
    var logsRefusals: Bool { get }

    /// One was answered, of those when the connection was made or of later ones.
    func answered(_ change: SubscriptionChange, code: Int, at now: HostTime)

    func settled(_ publication: Publication, _ outcome: Outcome, at now: HostTime)

    /// The connection has ended, and what was in flight is lost.
    func ended(_ ending: Ending, at now: HostTime)

    /// The next messages, at most `room` of them.
    func next(_ room: Int, at now: HostTime) -> [Publication]

    /// What is to change of the subscriptions now.
    func subscriptionChanges(at now: HostTime) throws -> [SubscriptionChange]

    /// When to call ``next(_:at:)`` although nothing has happened, in steady milliseconds; nil for never.
    var deadline: Int64? { get }

    /// When to call ``ring(at:)``, with or without a connection, in steady milliseconds; nil for never.
    var alarm: Int64? { get }
    func ring(at now: HostTime)

    /// The connection is to be made anew, because ``session`` is another one.
    var wantsNewConnection: Bool { get }

    /// There is nothing left to be done at this broker, ever.
    var isDone: Bool { get }

    /// Asks for an orderly end: what ``next(_:at:)`` returns from now on is the last.
    ///
    /// - Parameter isForGood: the broker is no longer configured, so nothing of ours may stay there. If it is away, this is called
    ///   before the next connection, which is made only to clear it.
    func sayGoodbye(isForGood: Bool, at now: HostTime)
}

/// Of a user that keeps nothing of what it receives, and whose subscriptions stay as they are.
extension BrokerUser {
    var session: Session { Session() }
    func connecting(at now: HostTime) {}
    func look(at now: HostTime) {}
    var logsRefusals: Bool { false }
    func keepReceived(at now: HostTime) {}
    func answered(_ change: SubscriptionChange, code: Int, at now: HostTime) {}
    func subscriptionChanges(at now: HostTime) -> [SubscriptionChange] { [] }
    var alarm: Int64? { nil }
    func ring(at now: HostTime) {}
    var wantsNewConnection: Bool { false }
    var isDone: Bool { false }
}
