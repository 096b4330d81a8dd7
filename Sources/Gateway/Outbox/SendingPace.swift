import MeshModel
import RadioLink

/// Nanoseconds between two packets of one port.
public struct SendingPace: Hashable, Sendable {
    public var text: MonotonicTime
    public var traceroute: MonotonicTime
    /// Positions, waypoints, alerts, telemetry, NodeInfos, neighbours.
    public var request: MonotonicTime
    /// Ports without a limit of their own: so that they do not fill the radio's transmit queue at once.
    public var other: MonotonicTime

    public init(text: MonotonicTime, traceroute: MonotonicTime, request: MonotonicTime, other: MonotonicTime = 0) {
        self.text = text
        self.traceroute = traceroute
        self.request = request
        self.other = other
    }

    /// What real firmware takes: its limits are 2, 30 and 10 s (SerialReference 8.2), and it looks at its clock only
    /// four times a second.
    public static let radio = SendingPace(
        text: 2_500_000_000, traceroute: 30_500_000_000, request: 10_500_000_000, other: 200_000_000)

    func interval(on port: PortNumber) -> MonotonicTime {
        switch port {
        case .textMessage: text
        case .traceroute: traceroute
        case .position, .waypoint, .alert, .telemetry, .nodeInfo, .neighborInfo: request
        default: other
        }
    }

    /// From this packet to the next one on its port.
    func interval(after packet: MeshPacket) -> MonotonicTime {
        // To the radio itself: no airtime.
        packet.port == .admin && packet.to == packet.from ? 0 : interval(on: packet.port)
    }
}
