import MeshModel
import Store

/// A text that a client wants to have sent.
public struct OutgoingText: Sendable {
    public enum Destination: Hashable, Sendable {
        /// A channel index, 0 to 7.
        case channel(Int)
        case node(NodeNumber)
    }

    /// One packet each, at most 200 bytes of UTF-8; more than three are refused, and of an alert more than one.
    public private(set) var parts: [String]
    public var destination: Destination
    /// Carried by the first part only.
    public var replyID: PacketID?
    public var isTapback: Bool
    /// ``PortNumber/textMessage``, or ``PortNumber/alert``: a text that rings, in one packet.
    public var port: PortNumber
    /// Is accepted also while the radio is away, and goes out when it is back.
    public var waits: Bool
    /// Goes out only when its recipient is next heard.
    public var untilHeard: Bool
    /// Milliseconds after which it is no longer to be sent.
    public var lifetime: Int64

    /// A day.
    public static let standardLifetime: Int64 = 86_400_000

    /// - Parameter text: trimmed; is cut into parts (``MessageSplitter``).
    public init(
        text: String, destination: Destination, replyID: PacketID? = nil, isTapback: Bool = false,
        port: PortNumber = .textMessage, waits: Bool = false, untilHeard: Bool = false,
        lifetime: Int64 = standardLifetime
    ) {
        self.init(
            parts: MessageSplitter.split(text), destination: destination, replyID: replyID, isTapback: isTapback,
            port: port, waits: waits, untilHeard: untilHeard, lifetime: lifetime)
    }

    /// A text that was cut before.
    package init(
        parts: [String], destination: Destination, replyID: PacketID? = nil, isTapback: Bool = false,
        port: PortNumber = .textMessage, waits: Bool = false, untilHeard: Bool = false,
        lifetime: Int64 = standardLifetime
    ) {
        self.parts = parts
        self.destination = destination
        self.replyID = replyID
        self.isTapback = isTapback
        self.port = port
        self.waits = waits
        self.untilHeard = untilHeard
        self.lifetime = lifetime
    }
}

/// A text that its client has given an id: however often it is handed over, it goes out once.
public struct SendOnce: Sendable {
    /// The client's id.
    var key: String
    /// ``Token/id``; 0 for users of this machine.
    var token: Int64
    /// What the client is told of the messages. It is asked on the writer thread.
    var answer: @Sendable ([Message]) -> AcceptedSend

    public init(key: String, token: Int64, answer: @escaping @Sendable ([Message]) -> AcceptedSend) {
        (self.key, self.token, self.answer) = (key, token, answer)
    }
}

/// Why a text was not accepted.
public enum SendRefusal: Error, Equatable {
    case notConnected
    case transmitDisabled
    /// It would take so many packets.
    case tooLong(parts: Int)
    /// Another key than the known one was seen for the recipient, and nobody has decided yet which is the right one.
    case keyInDoubt(NodeNumber)
    /// It could not be written to disk; the text says why.
    case storage(String)
}
