/// One stored message: a text, or what is shown like one (alert, detection sensor, range test).
public struct Message: Hashable, Sendable {
    /// The row's id for its whole life: `<source uuid>_<from number>_<packet id>` (Contract 3.5).
    public var id: String
    public var from: NodeNumber
    public var to: NodeNumber
    /// Never empty of meaning: invalid bytes and control characters but newline and tab are U+FFFD, and BEL is left out.
    public var text: String
    /// Its sender put a BEL into it, by which receivers ring.
    public var hasBell = false
    /// 0 to 7, or -1 for a direct message, or ``ChannelEntry/channel(of:)`` for what only the gateway could read.
    public var channel: Int
    public var port: PortNumber
    public var packetID: PacketID
    /// True: sent from here.
    public var isOwn: Bool
    /// Host milliseconds: received, or accepted for sending. Never moves.
    public var timestamp: Int64
    /// Milliseconds by the radio's clock; nil when that was not plausible. For own messages the time of sending.
    public var rxTime: Int64?
    public var hopStart: UInt32?
    public var hopLimit: UInt32?
    public var relayNode: UInt32?
    public var replyID: PacketID?
    /// A reaction to ``replyID``.
    public var isTapback: Bool
    public var viaMQTT: Bool?
    public var viaStoreForward: Bool
    public var xeddsaSigned: Bool?
    public var rxSNR: Double?
    public var rxRSSI: Int?
    public var pkiEncrypted: Bool
    /// The entry of the channel database that decrypted it; nil when the radio did.
    public var decryptedWith: Int64?
    /// Claims our own number, but came in over the air.
    public var spoofSuspected: Bool
    /// Nil for received messages.
    public var delivery: Delivery?
    /// Who had it sent; nil for received messages, and for own ones from before that was kept.
    public var sender: Sender?
    /// Of an own text that was too long for one packet. Known of single messages only, not in lists.
    public var part: Part?
    /// Host milliseconds of insertion.
    public var createdAt: Int64
    /// Host milliseconds of the last change of the delivery state.
    public var updatedAt: Int64

    /// - Parameter text: as a row keeps it (``storedText``).
    public init(
        id: String, from: NodeNumber, to: NodeNumber, text: String, channel: Int, port: PortNumber = .textMessage,
        packetID: PacketID, isOwn: Bool = false, timestamp: Int64, rxTime: Int64? = nil, hopStart: UInt32? = nil,
        hopLimit: UInt32? = nil, relayNode: UInt32? = nil, replyID: PacketID? = nil, isTapback: Bool = false,
        viaMQTT: Bool? = nil, viaStoreForward: Bool = false, xeddsaSigned: Bool? = nil, rxSNR: Double? = nil,
        rxRSSI: Int? = nil, pkiEncrypted: Bool = false, decryptedWith: Int64? = nil,
        spoofSuspected: Bool = false, delivery: Delivery? = nil,
        createdAt: Int64, updatedAt: Int64
    ) {
        self.id = id
        self.from = from
        self.to = to
        (self.text, hasBell) = text.withoutBell
        self.channel = channel
        self.port = port
        self.packetID = packetID
        self.isOwn = isOwn
        self.timestamp = timestamp
        self.rxTime = rxTime
        self.hopStart = hopStart
        self.hopLimit = hopLimit
        self.relayNode = relayNode
        self.replyID = replyID
        self.isTapback = isTapback
        self.viaMQTT = viaMQTT
        self.viaStoreForward = viaStoreForward
        self.xeddsaSigned = xeddsaSigned
        self.rxSNR = rxSNR
        self.rxRSSI = rxRSSI
        self.pkiEncrypted = pkiEncrypted
        self.decryptedWith = decryptedWith
        self.spoofSuspected = spoofSuspected
        self.delivery = delivery
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension String {
    /// BEL.
    public static let bell = "\u{7}"

    /// The text without the BEL at its end, which a text has there when its sender wants it to ring.
    public var withoutBell: (text: String, hasBell: Bool) {
        hasSuffix(Self.bell) ? (String(dropLast()), true) : (self, false)
    }
}

extension Message {
    /// It is meant to ring: by its port, or by the BEL in it.
    public var isAlert: Bool { port == .alert || hasBell }

    /// As its row keeps it: with BEL at its end. An alert needs none, whose port says it.
    public var storedText: String { hasBell && port != .alert ? text + String.bell : text }

    /// As ``MeshPacket/hopsAway``; nil for own messages. No row keeps the bitfield, so that a hop start of 0 tells nothing.
    public var hopsAway: UInt32? {
        guard !isOwn, let hopStart, let hopLimit else { return nil }
        return MeshPacket.hopsAway(start: hopStart, limit: hopLimit, hasBitfield: false)
    }

    /// One of the packets that a long text was cut into.
    public struct Part: Hashable, Sendable {
        /// The packet id of the first part.
        public var first: PacketID
        /// 1 to ``count``.
        public var number: Int
        public var count: Int

        public init(first: PacketID, number: Int, count: Int) {
            self.first = first
            self.number = number
            self.count = count
        }
    }
}

/// How far an own message has come.
public struct Delivery: Hashable, Sendable {
    /// In order; the number is stored. A message never goes back, but a late acknowledgement lifts it out of `failed`.
    public enum State: Int, Sendable, Comparable {
        /// On disk, not yet given to the radio.
        case queued = 0
        /// Written to the radio.
        case handed = 1
        /// The radio's queue took it.
        case accepted = 2
        /// Refused, or nobody confirmed it: see ``Delivery/error``.
        case failed = 3
        /// Somebody was heard repeating it (implicit acknowledgement).
        case relayed = 4
        /// The recipient acknowledged it.
        case confirmed = 5

        public static func < (a: State, b: State) -> Bool { a.rawValue < b.rawValue }
    }

    /// Why the gateway itself gave a message up; the number is stored.
    public enum Cause: Int, Sendable {
        /// The radio took it, and nobody has said a word about it in time.
        case noAnswer = 1
        /// It was given to the radio, whose word about it was lost with the connection; too late to give it again.
        case uncertain = 2
        /// It waited too long.
        case expired = 3
        /// Somebody took it back.
        case cancelled = 4
        /// The radio refused an earlier part of the same text.
        case earlierPart = 5
    }

    public var state: State
    /// Its sender wants to know whether it arrives. Otherwise nobody says so, and what the radio has taken is final.
    public var wantsAck: Bool
    /// Routing.Error of a failed message, and what was learnt on the way otherwise.
    public var error: RoutingError?
    public var ackFrom: NodeNumber?
    /// Of a failed message. Known of single messages only, not in lists, like ``ackedAt``.
    public var cause: Cause?
    /// Host milliseconds of the first word that somebody has it.
    public var ackedAt: Int64?
    /// What the radio made of the proof in the recipient's acknowledgement; nil before there is one. Known of single
    /// messages only, like ``ackedAt``.
    public var ackProof: MeshPacket.AckProof?

    public init(
        state: State = .queued, wantsAck: Bool = true, error: RoutingError? = nil, ackFrom: NodeNumber? = nil
    ) {
        self.state = state
        self.wantsAck = wantsAck
        self.error = error
        self.ackFrom = ackFrom
    }
}

extension Delivery {
    /// The radio has taken it, and nobody has asked for more.
    public var isSentUnasked: Bool { state == .accepted && !wantsAck }

    /// The four states that clients know (Contract 3.6).
    public var publicName: String {
        switch state {
        case .accepted where !wantsAck: "delivered"
        case .queued, .handed, .accepted: "pending"
        case .relayed: "delivered"
        case .confirmed: "confirmed"
        case .failed: "failed"
        }
    }
}

/// Why a packet was not delivered (Routing.Error).
public struct RoutingError: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let none = RoutingError(rawValue: 0)
    public static let timeout = RoutingError(rawValue: 3)
    public static let noInterface = RoutingError(rawValue: 4)
    public static let maxRetransmit = RoutingError(rawValue: 5)
    public static let noChannel = RoutingError(rawValue: 6)
    public static let tooLarge = RoutingError(rawValue: 7)
    public static let noResponse = RoutingError(rawValue: 8)
    public static let dutyCycleLimit = RoutingError(rawValue: 9)
    public static let badRequest = RoutingError(rawValue: 32)
    public static let notAuthorized = RoutingError(rawValue: 33)
    public static let pkiFailed = RoutingError(rawValue: 34)
    public static let pkiUnknownPublicKey = RoutingError(rawValue: 35)
    public static let rateLimitExceeded = RoutingError(rawValue: 38)
    public static let pkiSendFailPublicKey = RoutingError(rawValue: 39)

    /// One of the errors that say that a key is wrong or missing on one side.
    public var concernsKey: Bool { [.pkiFailed, .pkiUnknownPublicKey, .pkiSendFailPublicKey].contains(self) }

    /// What it means, for a person.
    public var explanation: String {
        switch rawValue {
        case 0: "delivered"
        case 1: "no route to the recipient"
        case 2: "a relay reported that it could not be delivered"
        case 3: "no answer in time"
        case 4: "the radio has no working LoRa interface"
        case 5: "nobody confirmed it after three transmissions; the recipient may also not know this radio's key"
        case 6: "the channel is disabled here, or the recipient does not have it"
        case 7: "too long for one packet"
        case 8: "the recipient did not answer the request"
        case 9: "the duty cycle limit of the region is reached; try again later"
        case 32: "the radio refused the request"
        case 33: "not authorized on the recipient"
        case 34: "encryption with the recipient's key failed"
        case 35: "the recipient does not know this radio's key"
        case 36: "the admin session key is stale"
        case 37: "the recipient does not accept this radio's admin key"
        case 38: "sent too soon after the previous packet"
        case 39: "this radio does not know the recipient's key"
        default: "unknown error \(rawValue)"
        }
    }
}
