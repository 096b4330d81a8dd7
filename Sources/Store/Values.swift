import MeshModel

/// The database's number of a source. Never sent anywhere: outside, a source is known by its UUID.
public struct SourceID: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The key of a node's rows.
    func key(_ number: NodeNumber) -> Int64 { rawValue << 32 | Int64(number.rawValue) }
}

/// What can change. Each topic has a revision (``Store/revision(_:)``).
public enum Topic: Int, CaseIterable, Sendable {
    case sources, channels, nodes, messages, packets, telemetry, positions, traceroutes, neighbors, waypoints
    case paxcounts, nodeStatuses, notifications, outbox, tokens, readMarks, channelDatabase, happened, feed

    /// Some of them, a bit for each.
    public struct Several: Sendable {
        private var bits: UInt32 = 0

        public var isEmpty: Bool { bits == 0 }

        mutating func insert(_ topic: Topic) { bits |= 1 << topic.rawValue }
        mutating func formUnion(_ other: Several) { bits |= other.bits }
        public func contains(_ topic: Topic) -> Bool { bits & 1 << topic.rawValue != 0 }
    }
}

public enum PacketDirection: Int, Sendable {
    case rx = 0
    case tx = 1
}

/// Something that was heard, and what is known of the packet that brought it.
public struct Record<Value: Hashable & Sendable>: Hashable, Sendable {
    public var id: Int64
    public var node: NodeNumber
    /// Host milliseconds of the reception.
    public var at: Int64
    /// Nil when it did not come in a packet, as for all the following.
    public var packetID: PacketID?
    public var channel: UInt32?
    /// dB; nil also when the packet did not come over LoRa.
    public var rxSNR: Double?
    public var hopStart: UInt32?
    public var hopLimit: UInt32?
    public var value: Value

    public init(
        id: Int64, node: NodeNumber, at time: Int64, packetID: PacketID? = nil, channel: UInt32? = nil,
        rxSNR: Double? = nil, hopStart: UInt32? = nil, hopLimit: UInt32? = nil, value: Value
    ) {
        (self.id, self.node, at, self.packetID, self.channel) = (id, node, time, packetID, channel)
        (self.rxSNR, self.hopStart, self.hopLimit, self.value) = (rxSNR, hopStart, hopLimit, value)
    }
}

/// A row of the packet log.
public struct LoggedPacket: Hashable, Sendable {
    public var id: Int64
    /// Host milliseconds.
    public var at: Int64
    public var direction: PacketDirection
    /// The entry of the channel database that decrypted it; nil when the radio did, or nobody.
    public var decryptedWith: Int64?
    public var packet: MeshPacket
}

/// Which packets of the log. Every filter that is set must hold.
public struct PacketQuery: Hashable, Sendable {
    /// What a client may read. A packet that nobody here can decrypt tells nothing, and needs no permission.
    public struct Readable: Hashable, Sendable {
        /// 0 to 7.
        public var channels: Set<Int>
        /// Texts to one node, and everything that is encrypted for one.
        public var directMessages: Bool
        /// What was decrypted with an entry of the channel database.
        public var channelDatabase: Bool

        public init(channels: Set<Int>, directMessages: Bool, channelDatabase: Bool) {
            self.channels = channels
            self.directMessages = directMessages
            self.channelDatabase = channelDatabase
        }
    }

    public var source: SourceID
    public var from: NodeNumber?
    public var to: NodeNumber?
    /// ``PortNumber/unknown`` finds what is not decoded.
    public var port: PortNumber?
    /// The channel index of a decoded packet, the hash of another one.
    public var channel: UInt32?
    public var isDecoded: Bool?
    /// Host milliseconds, inclusive.
    public var since: Int64?
    /// Nil: everything.
    public var readable: Readable?
    /// Our own number, to leave out what is no traffic of the mesh (``LoggedPacket/isTraffic(_:)``); nil: everything.
    public var trafficOf: NodeNumber?
    public var limit: Int
    public var offset: Int

    public init(
        in source: SourceID, from: NodeNumber? = nil, to: NodeNumber? = nil, port: PortNumber? = nil,
        channel: UInt32? = nil, isDecoded: Bool? = nil, since: Int64? = nil, readable: Readable? = nil,
        trafficOf own: NodeNumber? = nil, limit: Int = 100, offset: Int = 0
    ) {
        self.source = source
        self.from = from
        self.to = to
        self.port = port
        self.channel = channel
        self.isDecoded = isDecoded
        self.since = since
        self.readable = readable
        trafficOf = own
        self.limit = limit
        self.offset = offset
    }
}

/// How a node was received without a relay.
public struct DirectNeighbor: Hashable, Sendable {
    public var number: NodeNumber
    /// dBm.
    public var averageRSSI: Double
    public var packets: Int
    /// Host milliseconds.
    public var lastHeard: Int64
}

/// One node's word that it hears another one.
public struct NeighborLink: Hashable, Sendable {
    public var node: NodeNumber
    /// Its place in the node's report.
    public var place: Int
    public var neighbor: NodeNumber
    /// dB.
    public var snr: Double
    /// Seconds since 1970 by the node's clock; 0 unknown.
    public var lastRxTime: UInt32
    /// Host milliseconds of the report.
    public var at: Int64
    /// The neighbour reports the node too.
    public var isBidirectional: Bool
}

/// A traceroute that was asked for, and its answer once there is one.
public struct Traceroute: Hashable, Sendable {
    public var id: Int64
    public var from: NodeNumber
    public var to: NodeNumber
    /// Of the request; of the answer when nobody here had asked.
    public var packetID: PacketID?
    /// Nil while no answer has come.
    public var route: RouteDiscovery?
    /// Host milliseconds of the request.
    public var at: Int64
    public var answeredAt: Int64?
    /// Packet id of the answer to a request of ours.
    public var answerID: PacketID?
}

/// An own packet whose way is not at its end: it has still to be given to the radio, or a word about it is awaited.
public struct OutboxItem: Hashable, Sendable {
    public enum State: Int, Sendable {
        case waiting = 0
        /// About to be written to the radio, or written; the radio has not said yet that it took it.
        case handed = 1
        case accepted = 2
    }

    /// What it waits for, although the radio is there.
    public enum Hold: Int, Sendable {
        /// Until its recipient is heard.
        case unheard = 1
        /// Until somebody has decided which key of its recipient is the right one.
        case keyInDoubt = 2
    }

    /// 0 before it is stored.
    public var id: Int64
    public var packet: MeshPacket
    /// ``Message/id`` of the message that it carries.
    public var messageID: String?
    /// What it is, for pacing: `text`, …
    public var kind: String
    public var state: State
    /// How often it was given to the radio under its present packet id, or was about to be.
    public var attempts: Int
    /// Host milliseconds.
    public var notBefore: Int64
    /// Host milliseconds; nil never.
    public var expiresAt: Int64?
    public var hold: Hold?
    /// When it was last given to the radio, by the host's clock (milliseconds) and by the one that nobody sets
    /// (nanoseconds since the host's start).
    public var handedAt: Int64?
    public var handedClock: UInt64?
    /// How often it was taken up again by itself under another packet id.
    public var resends: Int
    /// Who had it sent; nil: the gateway itself.
    public var sender: Sender?
    /// Host milliseconds.
    public var createdAt: Int64

    public var packetID: PacketID { packet.id }

    public init(
        packet: MeshPacket, messageID: String? = nil, kind: String = "text", state: State = .waiting,
        attempts: Int = 0, notBefore: Int64 = 0, expiresAt: Int64? = nil, hold: Hold? = nil, handedAt: Int64? = nil,
        handedClock: UInt64? = nil, resends: Int = 0, sender: Sender? = nil, createdAt: Int64
    ) {
        id = 0
        self.packet = packet
        self.messageID = messageID
        self.kind = kind
        self.state = state
        self.attempts = attempts
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.hold = hold
        self.handedAt = handedAt
        self.handedClock = handedClock
        self.resends = resends
        self.sender = sender
        self.createdAt = createdAt
    }
}

/// An API token. The token itself is not stored.
public struct Token: Hashable, Sendable {
    public var id: Int64
    public var name: String
    /// SHA-256, 32 bytes.
    public var hash: [UInt8]
    /// The first characters, for people to recognise it by.
    public var prefix: String
    public var scopes: String
    /// Host milliseconds, as all the following.
    public var createdAt: Int64
    public var expiresAt: Int64?
    public var lastUsedAt: Int64?
    public var revokedAt: Int64?
    /// ``id`` of the token that made it; nil: a command did. Names are used again, numbers are not.
    public var madeBy: Int64?
}

/// Which messages, and in which order. Every filter that is set must hold.
public struct MessageQuery: Hashable, Sendable {
    public enum Order: Sendable { case newestFirst, oldestFirst }

    public var source: SourceID
    /// As ``Message/channel``.
    public var channel: Int?
    /// Only messages of these channels; nil: of all.
    public var channels: [Int]?
    public var from: NodeNumber?
    public var to: NodeNumber?
    /// Only direct messages with this node, to it and from it.
    public var peer: NodeNumber?
    /// Host milliseconds, exclusive: messages that were created, or whose delivery state changed, later.
    public var since: Int64?
    /// Host milliseconds, exclusive: messages that were created earlier.
    public var before: Int64?
    /// Exclusive: messages that stand before this place, newest first, or behind this one, oldest first. At most one.
    public var older: MessagePosition?
    public var newer: MessagePosition?
    /// By ``Message/createdAt``, then by insertion.
    public var order: Order
    /// At most so many: the first ones in this order.
    public var limit: Int

    public init(
        source: SourceID, channel: Int? = nil, channels: [Int]? = nil, from: NodeNumber? = nil, to: NodeNumber? = nil,
        since: Int64? = nil, before: Int64? = nil, order: Order = .newestFirst, limit: Int = 100
    ) {
        self.source = source
        self.channel = channel
        self.channels = channels
        self.from = from
        self.to = to
        self.since = since
        self.before = before
        self.order = order
        self.limit = limit
    }
}

/// What to look for in messages. Every filter that is set must hold.
public struct SearchQuery: Hashable, Sendable {
    public enum Scope: Sendable { case all, channels, directMessages }

    public var source: SourceID
    /// Found anywhere in the text. Empty: all texts, if there is a sender, a date or another node.
    public var text: String
    public var isCaseSensitive: Bool
    public var scope: Scope
    public var channels: [Int]?
    public var from: NodeNumber?
    /// Only direct messages with this node.
    public var peer: NodeNumber?
    /// Milliseconds, inclusive; compared with the radio's time, or else with the host's. Without a text with the host's.
    public var start: Int64?
    public var end: Int64?
    public var limit: Int
    public var offset: Int

    public init(
        source: SourceID, text: String, isCaseSensitive: Bool = false, scope: Scope = .all, channels: [Int]? = nil,
        from: NodeNumber? = nil, peer: NodeNumber? = nil, start: Int64? = nil, end: Int64? = nil, limit: Int = 50,
        offset: Int = 0
    ) {
        self.source = source
        self.text = text
        self.isCaseSensitive = isCaseSensitive
        self.scope = scope
        self.channels = channels
        self.from = from
        self.peer = peer
        self.start = start
        self.end = end
        self.limit = limit
        self.offset = offset
    }
}
