import MeshModel
import RadioLink

/// Nanoseconds between two packets of one port.
public struct SendingPace: Hashable, Sendable {
    public var text: MonotonicTime
    public var traceroute: MonotonicTime
    /// Positions, NodeInfos, neighbours.
    public var request: MonotonicTime

    public init(text: MonotonicTime, traceroute: MonotonicTime, request: MonotonicTime) {
        self.text = text
        self.traceroute = traceroute
        self.request = request
    }

    /// What real firmware takes: its limits are 2, 30 and 10 s (serial reference 8.2), and it looks at its clock only
    /// four times a second.
    public static let radio = SendingPace(text: 2_500_000_000, traceroute: 30_500_000_000, request: 10_500_000_000)

    func interval(on port: PortNumber) -> MonotonicTime {
        switch port {
        case .textMessage: text
        case .traceroute: traceroute
        // To the radio itself: no airtime.
        case .admin: 0
        default: request
        }
    }
}
