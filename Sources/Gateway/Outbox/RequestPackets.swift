import MeshModel
import MeshProtocol
import RadioLink
import Store

// The packets with which nodes are asked (SerialReference 3.2, 4.3, 4.7 and 4.8).

extension AttachedRadio {
    func packet(
        _ request: NodeRequest, of node: NodeNumber, _ wanted: Int?, from radio: RadioSnapshot, at now: Int64,
        _ writer: Writer, in source: SourceID
    ) throws -> MeshPacket {
        let channel = try wanted ?? radio.usualChannel(for: request, of: node, writer, in: source)
        let payload: [UInt8]
        switch request {
        case .traceroute: payload = []
        case .position:
            payload = radio.position(of: try writer.node(radio.number, in: source), on: channel, at: now).encoded()
        case .nodeInfo:
            // Never without our names: the node believes what it gets.
            guard let user = radio.ownNode?.user else { throw RequestRefusal.notConnected }
            payload = user.encoded()
        case .neighbors:
            payload = NeighborInfo(
                number: radio.number, lastSentBy: radio.number, broadcastInterval: 0, neighbors: []
            ).encoded()
        // The kind that is asked for, empty: what we measure is for nobody to believe (SerialReference 14.9).
        case .telemetry, .environment, .airQuality, .power, .localStats:
            payload = Telemetry(kind: request.telemetry ?? .device, values: []).encoded()
        }
        var used: Set<PacketID> = []
        // Everybody must not answer at once, and a traceroute to all may not be relayed (SerialReference 4.7).
        let isForAll = node.isBroadcast
        let hopLimit = try radio.hopLimit(for: request, to: node, writer, in: source)
        return MeshPacket(
            from: radio.number, to: node, channel: UInt32(channel),
            id: try unusedID(from: radio.number, writer, in: source, besides: &used),
            payload: .decoded(
                MeshData(
                    port: request.port, payload: payload, wantResponse: !isForAll || request == .traceroute)),
            hopLimit: hopLimit, wantAck: !isForAll)
    }

    /// Where we are: no answer is wanted.
    func positionPacket(
        to node: NodeNumber, _ wanted: Int?, from radio: RadioSnapshot, at now: Int64, _ writer: Writer,
        in source: SourceID
    ) throws -> MeshPacket {
        let channel = try wanted ?? radio.usualChannel(for: .position, of: node, writer, in: source)
        let position = radio.position(of: try writer.node(radio.number, in: source), on: channel, at: now)
        guard position.hasFix else { throw RequestRefusal.noPosition }
        var used: Set<PacketID> = []
        return MeshPacket(
            from: radio.number, to: node, channel: UInt32(channel),
            id: try unusedID(from: radio.number, writer, in: source, besides: &used),
            payload: .decoded(MeshData(port: .position, payload: position.encoded())),
            hopLimit: radio.lora?.effectiveHopLimit ?? 3, wantAck: !node.isBroadcast)
    }
}

extension RadioSnapshot {
    /// Our position as precise as the channel shares it. Firmware 2.7 sends what a client gives it unchanged, so that
    /// this is up to us. Without one there is only the time: an empty position would blank ours in the node's memory.
    ///
    /// - Parameter own: the radio's node, as it is stored.
    func position(of own: Node?, on channel: Int, at now: Int64) -> Position {
        let seconds = now / 1000
        let time = seconds >= PlausibleTime.earliest ? UInt32(exactly: seconds) : nil
        let bits = channels.first { $0.index == channel }?.positionPrecision ?? 0
        guard bits > 0, let latitude = own?.latitude, let longitude = own?.longitude else {
            return Position(time: time)
        }
        return Position(
            latitudeI: Position.fixed(latitude, bits: bits), longitudeI: Position.fixed(longitude, bits: bits),
            altitude: own?.altitude.flatMap { Int32(exactly: $0) }, time: time, precisionBits: min(bits, 32))
    }
}

extension Position {
    /// 1e-7 degrees, cut to so many bits and moved to the middle of the cell (SerialReference 4.3).
    fileprivate static func fixed(_ degrees: Double, bits: UInt32) -> Int32 {
        let value = Int32((degrees * 1e7).rounded())
        guard bits < 32 else { return value }
        return (value & Int32(bitPattern: UInt32.max << (32 - bits))) &+ (1 << Int32(31 - bits))
    }
}

extension RadioSnapshot {
    /// How far a request goes: as far as the radio's packets do, but a traceroute to where its node is, and one hop more
    /// for a way that has become longer. Where nobody knows how far that is, it goes as far as any packet can: one that
    /// ends on the way costs nearly as much of the air and tells nothing.
    fileprivate func hopLimit(
        for request: NodeRequest, to node: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws -> UInt32 {
        let usual = lora?.effectiveHopLimit ?? 3
        guard request == .traceroute else { return usual }
        // To everybody the radio takes it for the next ones alone.
        if node.isBroadcast { return 0 }
        guard let hops = try writer.node(node, in: source, \.hopsAway) else { return Self.mostHops }
        return min(max(usual, hops + 1), Self.mostHops)
    }

    /// Three bits of each packet's header.
    private static let mostHops: UInt32 = 7

    /// A traceroute needs every relay to read it, so it takes the channel that all share; the rest takes the one on which
    /// the node was heard (Contract 3.12).
    fileprivate func usualChannel(
        for request: NodeRequest, of node: NodeNumber, _ writer: Writer, in source: SourceID
    ) throws -> Int {
        let enabled = channels.filter { $0.role != .disabled }
        if request != .traceroute {
            let heardOn = try writer.node(node, in: source)?.channel ?? 0
            return enabled.contains { $0.index == heardOn } ? heardOn : 0
        }
        let shared = enabled.first { $0.psk == [1] || $0.psk == Self.wellKnownKey }
        return (shared ?? enabled.first { $0.role == .primary })?.index ?? 0
    }

    /// The key that everybody has, written as one byte or in full (SerialReference 7.3).
    private static let wellKnownKey: [UInt8] = [
        0xD4, 0xF1, 0xBB, 0x3A, 0x20, 0x29, 0x07, 0x59, 0xF0, 0xBC, 0xFF, 0xAB, 0xCF, 0x4E, 0x69, 0x01,
    ]
}
