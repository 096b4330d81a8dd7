/// Which radio the gateway owns.
public enum DeviceSetting: Sendable, Equatable, CustomStringConvertible {
    /// The one that is plugged in, and is none of those that are named.
    case automatic
    case path(String)
    /// A radio on the network that speaks the serial API; 4403 is its usual port.
    case tcp(host: String, port: UInt16)
    case simulated(Simulation)

    /// A simulated radio: `simulated`, `simulated:seed=7,nodes=200` or `simulated:fresh`.
    public struct Simulation: Sendable, Equatable {
        /// The same seed makes the same mesh.
        public var seed: UInt64 = 1
        /// Nodes in the mesh, 1...10000.
        public var nodes = 24
        /// As from the shop: nobody has set it up.
        public var isFresh = false

        public init() {}
    }

    public static let defaultPort: UInt16 = 4403

    /// "auto", "simulated", "tcp:HOST[:PORT]", or a path, which has a "/"; nil for anything else.
    public init?(_ text: String) {
        if text == "auto" {
            self = .automatic
        } else if text == "simulated" || text.hasPrefix("simulated:") {
            guard let simulation = Simulation(text.dropFirst("simulated:".count)) else { return nil }
            self = .simulated(simulation)
        } else if text.hasPrefix("tcp:") {
            guard let (host, port) = splitHostAndPort(text.dropFirst(4)), !host.isEmpty, port != 0 else { return nil }
            self = .tcp(host: host, port: port ?? Self.defaultPort)
        } else if text.contains("/") {
            self = .path(text)
        } else {
            return nil
        }
    }
}

extension DeviceSetting {
    /// As it is written in full: the same for every way to write it.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .path(let path): path
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .simulated(let simulation):
            "simulated:\(simulation.isFresh ? "fresh," : "")seed=\(simulation.seed),nodes=\(simulation.nodes)"
        }
    }

    /// The same seed makes the same radio, however many nodes are behind it.
    func isSameRadio(as other: DeviceSetting) -> Bool {
        if case (.simulated(let one), .simulated(let another)) = (self, other) { return one.seed == another.seed }
        return self == other
    }

    /// The values of a list with commas. A simulated radio has commas of its own.
    static func list(_ text: String) -> [String] {
        var values: [String] = []
        for part in Environment.commaList(text) {
            let isMore = part == "fresh" || part.hasPrefix("seed=") || part.hasPrefix("nodes=")
            if isMore, let last = values.last, last.hasPrefix("simulated:") {
                values[values.count - 1] = "\(last),\(part)"
            } else {
                values.append(part)
            }
        }
        return values
    }
}

extension DeviceSetting.Simulation {
    fileprivate init?(_ text: Substring) {
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch (parts[0], parts.count == 2 ? UInt64(parts[1]) : nil) {
            case ("seed", let value?): seed = value
            case ("nodes", let value?) where (1...10_000).contains(value): nodes = Int(value)
            case ("fresh", nil) where parts.count == 1: isFresh = true
            default: return nil
            }
        }
    }
}
