import MeshModel

/// A node of the simulated mesh.
///
/// The first twelve are a fixed cast, so that a test can name what it needs; those after them are mixed from the seed.
///
/// | index | who | a direct message to it ends in |
/// |--:|---|---|
/// | 0 | hiker, heard directly | acknowledgement from it |
/// | 1 | hut, one hop | implicit acknowledgement, then its own |
/// | 2 | switched off, two hops | MAX_RETRANSMIT |
/// | 3 | has lost our key, one hop | refusal PKI_UNKNOWN_PUBKEY from it |
/// | 4 | old device without a key | refused here: PKI_SEND_FAIL_PUBLIC_KEY |
/// | 5 | licensed amateur without a key | refused here: PKI_SEND_FAIL_PUBLIC_KEY |
/// | 6 | router on the summit, no messages please | acknowledgement from it |
/// | 7 | known over MQTT | implicit acknowledgement, then its own |
/// | 8 | switched off, but a neighbour repeats for it | implicit acknowledgement only |
/// | 9 | has not introduced itself (no user, no key) | refused here: PKI_SEND_FAIL_PUBLIC_KEY |
/// | 10 | store-and-forward server | acknowledgement from it |
/// | 11 | announces another key than the radio knows | implicit acknowledgement, then its own |
public struct SimulatedNode: Hashable, Sendable {
    /// How many nodes the fixed cast has.
    public static let castSize = 12

    /// What becomes of a packet for this node that asks for an acknowledgement.
    public enum Behaviour: Hashable, Sendable {
        case acknowledges
        /// Answers with this error.
        case refuses(RoutingError)
        /// Somebody repeats the packet; the node itself never answers.
        case isOnlyRelayed
        /// Nobody confirms anything: MAX_RETRANSMIT after three transmissions.
        case isSilent
    }

    public internal(set) var number: NodeNumber
    /// Nil: it has not introduced itself.
    public internal(set) var user: User?
    public internal(set) var behaviour: Behaviour
    /// 0: heard directly.
    public internal(set) var hopsAway: UInt32
    public internal(set) var viaMQTT: Bool
    public internal(set) var position: Position?
    public internal(set) var metrics: Telemetry?
    public internal(set) var isStoreForwardServer: Bool
    /// The key in its own NodeInfo packets, when it is not the one that the radio has stored.
    public internal(set) var announcedKey: PublicKey?
    /// The key that it has itself, when the radio has stored another one: neither can read what the other encrypts.
    public internal(set) var ownKey: PublicKey?
    /// The radio has forgotten it.
    public internal(set) var isForgotten = false
    public internal(set) var isFavorite = false
    public internal(set) var isIgnored = false
    public internal(set) var isMuted = false
    public internal(set) var isKeyManuallyVerified = false

    /// It answers when it is asked for the weather.
    public var hasWeatherSensor: Bool { number.rawValue % 3 == 0 }
    public var longName: String { user?.longName ?? "" }
    public var shortName: String { user?.shortName ?? "" }
    /// As the radio knows it; without it direct messages to the node are refused.
    public var publicKey: PublicKey? { isForgotten ? nil : user?.publicKey }

    /// dB and dBm of the last hop to us.
    var snr: Float
    var rssi: Int32
    /// Simulated seconds before the radio's start, then of the last packet.
    var lastHeard: Double
    var channel: UInt32 = 0
    /// Signs its broadcasts (firmware 2.8).
    var signs: Bool
    /// The last byte of the node through which it is heard.
    var relayByte: UInt8
}
