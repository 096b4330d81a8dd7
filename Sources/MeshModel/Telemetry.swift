/// One telemetry packet (Telemetry): which kind of metrics, and the values that were present in it.
public struct Telemetry: Hashable, Sendable {
    /// The number of the oneof variant in the schema.
    public enum Kind: UInt32, Sendable {
        case device = 2, environment, airQuality, power, localStats, health, host, trafficManagement
        case soilWater = 11
    }

    public struct Value: Hashable, Sendable {
        /// The name under which the REST API shows it, such as `batteryLevel`.
        public var name: String
        /// Finite: NaN and infinities are dropped when a packet is read.
        public var value: Double

        public init(_ name: String, _ value: Double) {
            self.name = name
            self.value = value
        }
    }

    /// Seconds since 1970 by the sender, or a small number since its boot; nil when absent.
    public var time: UInt32?
    public var kind: Kind
    public var values: [Value]
    /// HostMetrics.user_string.
    public var text: String?

    public init(time: UInt32? = nil, kind: Kind, values: [Value], text: String? = nil) {
        self.time = time
        self.kind = kind
        self.values = values
        self.text = text
    }

    public subscript(name: String) -> Double? { values.first { $0.name == name }?.value }
}
