import MeshModel
import MeshProtocol

/// What a module of the radio makes of a packet from the host to the radio itself.
enum LocalAnswer {
    /// The value that was asked for.
    case reply(PortNumber, [UInt8])
    /// ROUTING: done, or refused.
    case word(RoutingError)
    /// It was for a module, and that has nothing to say.
    case silence
    /// No module knew what to do with it.
    case nobody

    static let done = LocalAnswer.word(.none)
}

/// The radio's own node: what its modules answer to its host, and what they say by themselves (SerialReference 3.3).
extension Radio {
    /// Of the host, to the radio itself. What is only told and not asked is nobody's business but admin's.
    mutating func answer(toOwn data: MeshData, channel index: UInt32, frame: [UInt8]) -> LocalAnswer {
        switch data.port {
        case .admin: return answer(toAdmin: data.payload, frame: frame)
        case .telemetry:
            guard case .telemetry(let asked) = PacketContent(data) else { return .nobody }
            switch asked.kind {
            case .device: return .reply(.telemetry, ownMetrics.encoded())
            case .localStats: return .reply(.telemetry, ownStats.encoded())
            default: return .nobody
            }
        case .nodeInfo: return .reply(.nodeInfo, user.encoded())
        case .position:
            if case .position(let place) = PacketContent(data) { takePosition(of: place) }
            return place(for: channel(Int(min(index, 7)))).map { .reply(.position, $0.encoded()) } ?? .nobody
        case .neighborInfo: return .reply(.neighborInfo, ownNeighbors.encoded())
        // A way to oneself has no hops.
        case .traceroute: return .reply(.traceroute, RouteDiscovery().encoded())
        case .textMessage: return .silence
        default: return .nobody
        }
    }

    var ownMetrics: Telemetry {
        Telemetry(
            time: epoch(at: now), kind: .device,
            values: [
                .init("batteryLevel", 101), .init("voltage", 4.25), .init("channelUtilization", 6.5),
                .init("airUtilTx", 1.25), .init("uptimeSeconds", Double(Int(uptime))),
            ])
    }

    var ownStats: Telemetry {
        let online = nodes.count { !$0.isForgotten && $0.lastHeard > now - 7200 }
        return Telemetry(
            time: epoch(at: now), kind: .localStats,
            values: [
                .init("uptimeSeconds", Double(Int(uptime))), .init("channelUtilization", 6.5),
                .init("airUtilTx", 1.25), .init("numPacketsTx", Double(packetsFromHost)),
                .init("numPacketsRx", Double(Int(uptime / 5))), .init("numOnlineNodes", Double(online)),
                .init("numTotalNodes", Double(nodes.count { !$0.isForgotten } + 1)), .init("noiseFloor", -120),
            ])
    }

    private var ownNeighbors: NeighborInfo {
        NeighborInfo(
            number: number, lastSentBy: number, broadcastInterval: 14_400,
            neighbors: nodes.filter { $0.hopsAway == 0 && !$0.viaMQTT && !$0.isForgotten }.prefix(10)
                .map { .init(number: $0.number, snr: $0.snr) })
    }

    // MARK: By itself

    /// The firmware's sendToPhoneIntervalMs.
    private static let tellingInterval = 60.0

    mutating func scheduleOwnTelemetry() {
        guard options.tellsOwnTelemetry else { return }
        agenda.add(.ownTelemetry, at: now + Self.tellingInterval)
    }

    /// To the host alone, and only when nothing else is waiting for it; what all packets came to every 15 minutes.
    mutating func tellOwnTelemetry() {
        scheduleOwnTelemetry()
        guard !api.hasPackets else { return }
        let count = UInt64(uptime / Self.tellingInterval)
        tell(ownMetrics, id: ids(for: UInt64(rebootCount) << 40 | count << 8 | 2))
        if count % 15 == 1 { tell(ownStats, id: ids(for: UInt64(rebootCount) << 40 | count << 8 | 6)) }
    }

    mutating func tell(_ telemetry: Telemetry, id: PacketID) {
        deliver(
            MeshPacket(
                from: number, to: .broadcast, id: id,
                payload: .decoded(MeshData(port: .telemetry, payload: telemetry.encoded())), hopLimit: 3, priority: 10))
    }
}
