import MeshModel

/// One measured value: what a packet brought under one name. The API shows each as a row (Contract 3.7).
public struct TelemetryPoint: Hashable, Sendable {
    /// The same for ever, unique among all points, and below 2^53, where JavaScript's integers end.
    public var id: Int64
    public var node: NodeNumber
    public var name: String
    public var value: Double
    /// Host milliseconds of the reception.
    public var at: Int64
    public var packetID: PacketID?
    /// Seconds since 1970 by the sender, or a small number since its boot; nil when it did not say.
    public var time: UInt32?
    public var channel: UInt32?
    /// Of a position only, as all the following.
    public var precisionBits: UInt32?
    /// Millimetres.
    public var gpsAccuracy: UInt32?
    /// dB.
    public var rxSNR: Double?
    public var hopStart: UInt32?
    public var hopLimit: UInt32?
}

/// Which points. Every filter that is set must hold.
public struct TelemetryQuery: Hashable, Sendable {
    public var source: SourceID
    /// Nil: all nodes of the source.
    public var node: NodeNumber?
    /// Nil: every series.
    public var name: String?
    /// Host milliseconds, inclusive.
    public var since: Int64?
    /// Host milliseconds, exclusive.
    public var before: Int64?
    /// Nil: all channels. Otherwise positions that came on others are left out, and, when no node is named, everything
    /// of nodes that were last heard on others; and everything that came on one of the gateway's own keys, unless there
    /// is one of these channels here. What names no channel belongs to the first one.
    public var channels: [Int]?

    public init(
        source: SourceID, node: NodeNumber? = nil, name: String? = nil, since: Int64? = nil, before: Int64? = nil,
        channels: [Int]? = nil
    ) {
        self.source = source
        self.node = node
        self.name = name
        self.since = since
        self.before = before
        self.channels = channels
    }

    /// A bit for each channel that may be seen; nil for all.
    var channelMask: Int64? {
        channels.map { $0.reduce(0) { (0..<63).contains($1) ? $0 | 1 << Int64($1) : $0 } }
    }

    var seesGatewayChannels: Bool { channels?.contains { Int64($0) >= ChannelEntry.channelOffset } ?? true }
}
