/// What the gateway works out itself from what it hears, and shows as telemetry beside what nodes measure, under
/// MeshMonitor's names (Contract 3.7).
public enum DerivedMetric: String, CaseIterable, Sendable {
    /// Relays that a received packet came over.
    case messageHops
    /// How steadily a node is heard, 0 to 10.
    case linkQuality
    /// Of a NodeInfo that was heard directly, in dB.
    case snrLocal = "snr_local"
    /// The same, in dBm.
    case rssi
    /// The signal of a node's last packet as the radio remembers it at a handshake, in dB.
    case snrRemote = "snr_remote"
    /// Nodes that were heard within a day, the radio itself among them.
    case systemNodeCount
    /// Those of them that are heard without a relay.
    case systemDirectNodeCount
    /// By how many seconds the radio's clock is behind that of the host.
    case timeOffset

    public var name: String { rawValue }

    /// Nil for a number of nodes.
    public var unit: String? {
        switch self {
        case .messageHops: "hops"
        case .linkQuality: "quality"
        case .snrLocal, .snrRemote: "dB"
        case .rssi: "dBm"
        case .timeOffset: "s"
        case .systemNodeCount, .systemDirectNodeCount: nil
        }
    }
}

extension Telemetry.Value {
    public init(_ metric: DerivedMetric, _ value: Double) { self.init(metric.name, value) }
}
