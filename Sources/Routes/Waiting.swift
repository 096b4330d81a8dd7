import Gateway
import JSON

/// Whether a text may wait, for what, and for how long: keys of its request that MeshMonitor does not have.
///
///     "queue": true       for the radio, when it is away; false: not even if the gateway is set to
///     "queue": "heard"    besides, until the recipient is next heard
///     "expiresIn": 3600   seconds after which it is no longer sent
public struct Waiting: Equatable {
    public var waits: Bool
    public var untilHeard = false
    /// Milliseconds.
    public var lifetime: Int64

    /// Thirty days.
    private static let longest = 2_592_000.0

    public init(standard: Queueing) {
        waits = standard.isOn
        lifetime = standard.lifetime
    }

    /// - Parameters:
    ///   - standard: what counts where the request is silent.
    ///   - isDirect: the text is for one node.
    public init(_ body: JSONValue, standard: Queueing, isDirect: Bool) throws(APIError) {
        self.init(standard: standard)
        switch body["queue"] {
        case nil: break
        case .bool(let flag): waits = flag
        case .string("heard"):
            guard isDirect else { throw .badRequest("\"queue\": \"heard\" needs toNodeId") }
            (waits, untilHeard) = (true, true)
        default: throw .badRequest("queue must be true, false or \"heard\"")
        }
        switch body["expiresIn"] {
        case nil: break
        case .number(let seconds) where seconds >= 1 && seconds <= Self.longest: lifetime = Int64(seconds * 1000)
        default: throw .badRequest("expiresIn must be a number of seconds between 1 and 2592000")
        }
    }
}

/// How texts wait that say nothing about it.
public struct Queueing: Hashable, Sendable {
    /// They are also accepted while the radio is away.
    public var isOn: Bool
    /// Milliseconds after which a text is no longer to be sent.
    public var lifetime: Int64

    public init(isOn: Bool = false, lifetime: Int64 = OutgoingText.standardLifetime) {
        self.isOn = isOn
        self.lifetime = lifetime
    }
}
