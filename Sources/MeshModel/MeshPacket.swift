/// One packet of the mesh as the radio hands it over or takes it (MeshPacket).
///
/// Optional fields are nil when they were absent on the wire: absent means unknown.
public struct MeshPacket: Hashable, Sendable {
    public var from: NodeNumber
    public var to: NodeNumber
    /// The local channel index for a decoded packet, the 8-bit channel hash for an encrypted one, 0 under PKC.
    public var channel: UInt32
    public var id: PacketID
    public var payload: Payload
    /// Seconds since 1970 by the radio's clock; nil or 0 while it has no good one.
    public var rxTime: UInt32?
    /// dB, of the last hop; 0 when the packet did not come over LoRa.
    public var rxSNR: Float
    /// dBm, of the last hop; nil when unknown.
    public var rxRSSI: Int32?
    /// 0 to 7. What is left of ``hopStart``.
    public var hopLimit: UInt32
    /// 0 to 7. The hop limit that the sender began with; 0 also from firmware before 2.3.
    public var hopStart: UInt32
    public var wantAck: Bool
    public var priority: UInt32
    /// Crossed an MQTT broker anywhere on its way.
    public var viaMQTT: Bool
    /// The sender's key, on a packet that came under PKC.
    public var publicKey: PublicKey?
    public var pkiEncrypted: Bool
    /// Last byte of the intended next relay; 0 none.
    public var nextHop: UInt32
    /// Last byte of the node that we heard it from; 0 unknown.
    public var relayNode: UInt32
    public var transport: Transport
    /// The broadcast carried a valid XEdDSA signature (firmware 2.8).
    public var xeddsaSigned: Bool
    /// What the radio made of the proof in an acknowledgement (firmware 2.8.1).
    public var ackProof: AckProof
    /// Deprecated on the wire (MeshPacket.Delayed), used by store-and-forward history.
    public var delayed: UInt32

    public enum Payload: Hashable, Sendable {
        case decoded(MeshData)
        /// A packet that the radio could not decrypt; 2.8 no longer hands those on.
        case encrypted([UInt8])
        case none
    }

    /// Whether the recipient itself made an acknowledgement (MeshPacket.AckProofStatus). Channels are not authenticated,
    /// so that anybody who has a channel's key can make one without a proof in another node's name.
    public enum AckProof: UInt32, Sendable {
        /// Usual: the recipient has older firmware, or the message was not encrypted for its key.
        case absent
        /// Only the recipient's key can have made it.
        case valid
        case invalid
        /// The radio has lost the recipient's key.
        case noKey
    }

    /// How a packet reached the radio (MeshPacket.TransportMechanism).
    public struct Transport: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let `internal` = Transport(rawValue: 0)
        public static let lora = Transport(rawValue: 1)
        public static let mqtt = Transport(rawValue: 5)
        public static let multicastUDP = Transport(rawValue: 6)
        public static let api = Transport(rawValue: 7)
    }

    public init(
        from: NodeNumber, to: NodeNumber, channel: UInt32 = 0, id: PacketID, payload: Payload, rxTime: UInt32? = nil,
        rxSNR: Float = 0, rxRSSI: Int32? = nil, hopLimit: UInt32 = 0, hopStart: UInt32 = 0, wantAck: Bool = false,
        priority: UInt32 = 0, viaMQTT: Bool = false, publicKey: PublicKey? = nil, pkiEncrypted: Bool = false,
        nextHop: UInt32 = 0, relayNode: UInt32 = 0, transport: Transport = .internal, xeddsaSigned: Bool = false,
        ackProof: AckProof = .absent, delayed: UInt32 = 0
    ) {
        self.from = from
        self.to = to
        self.channel = channel
        self.id = id
        self.payload = payload
        self.rxTime = rxTime
        self.rxSNR = rxSNR
        self.rxRSSI = rxRSSI
        self.hopLimit = hopLimit
        self.hopStart = hopStart
        self.wantAck = wantAck
        self.priority = priority
        self.viaMQTT = viaMQTT
        self.publicKey = publicKey
        self.pkiEncrypted = pkiEncrypted
        self.nextHop = nextHop
        self.relayNode = relayNode
        self.transport = transport
        self.xeddsaSigned = xeddsaSigned
        self.ackProof = ackProof
        self.delayed = delayed
    }

    public var decoded: MeshData? {
        if case .decoded(let data) = payload { data } else { nil }
    }

    /// Hops between the sender and us, 0 when heard directly; nil when the packet does not tell.
    public var hopsAway: UInt32? {
        Self.hopsAway(start: hopStart, limit: hopLimit, hasBitfield: decoded?.bitfield != nil)
    }

    /// Firmware NodeDB::getHopsAway: unknown without hop_start and bitfield, which old senders leave out, and with a
    /// hop_limit above hop_start.
    static func hopsAway(start: UInt32, limit: UInt32, hasBitfield: Bool) -> UInt32? {
        if start == 0, !hasBitfield { return nil }
        return start < limit ? nil : start - limit
    }

    /// A cached satellite value that firmware 2.8 replays after a handshake: it looks like LoRa but carries the
    /// priority that no received packet has, and no signal strength. It is not a new reception.
    public var isReplay: Bool {
        transport == .lora && priority == 10 && rxRSSI == nil
    }
}

/// The decoded part of a packet (Data).
public struct MeshData: Hashable, Sendable {
    public var port: PortNumber
    /// At most 233 bytes on the air.
    public var payload: [UInt8]
    public var wantResponse: Bool
    public var dest: UInt32
    public var source: UInt32
    /// The packet that this one answers or acknowledges; 0 none.
    public var requestID: PacketID
    /// The message that this one replies to; 0 none.
    public var replyID: PacketID
    /// Not 0: the payload is a reaction (tapback). A flag, not a code point.
    public var emoji: UInt32
    /// Bit 0: may go to MQTT. Its presence alone says that the sender runs 2.5 or newer.
    public var bitfield: UInt32?
    public var xeddsaSignature: [UInt8]

    public init(
        port: PortNumber, payload: [UInt8], wantResponse: Bool = false, dest: UInt32 = 0, source: UInt32 = 0,
        requestID: PacketID = 0, replyID: PacketID = 0, emoji: UInt32 = 0, bitfield: UInt32? = nil,
        xeddsaSignature: [UInt8] = []
    ) {
        self.port = port
        self.payload = payload
        self.wantResponse = wantResponse
        self.dest = dest
        self.source = source
        self.requestID = requestID
        self.replyID = replyID
        self.emoji = emoji
        self.bitfield = bitfield
        self.xeddsaSignature = xeddsaSignature
    }
}
