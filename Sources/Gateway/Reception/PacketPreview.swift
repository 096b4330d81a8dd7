import MeshModel
import MeshProtocol

extension MeshPacket {
    /// What the packet says, in one line for a person (contract 3.10). Texts are as their senders wrote them.
    ///
    /// - Parameters:
    ///   - isOwn: it was sent by us.
    ///   - showsPosition: the reader may see where nodes are.
    public func preview(isOwn: Bool, showsPosition: Bool) -> String {
        guard let data = decoded else { return "🔒 <ENCRYPTED>" }
        switch PacketContent(data) {
        case .text(let text):
            return isOwn ? "\"" + text.prefix(50) + "\"" : String(text.prefix(100))
        case .position(let position):
            guard showsPosition, position.hasFix, let latitude = position.latitudeI, let longitude = position.longitudeI
            else { return "[Position]" }
            return "[Position: \(degrees(latitude))°, \(degrees(longitude))°]"
        case .nodeInfo(let user): return "[NodeInfo: \(user.longName)]"
        case .routing(.error(.none)): return "[Routing: ACK]"
        case .routing(.error(let error)): return "[Routing: \(error.explanation)]"
        case .routing: return "[Routing]"
        case .admin: return "[Admin]"
        case .waypoint(let waypoint): return "[Waypoint: \(waypoint.name)]"
        case .telemetry(let telemetry): return "[Telemetry: \(telemetry.kind.title)]"
        case .traceroute: return "[Traceroute]"
        case .neighborInfo: return "[NeighborInfo]"
        case .paxcounter: return "[Paxcounter]"
        case .nodeStatus(let text): return "[Status: \(text)]"
        case .storeForward: return "[Store and Forward]"
        case .raw, .undecodable: return "[\(data.port.name ?? "Port \(data.port.rawValue)")]"
        }
    }
}

/// 1e-7 degrees as degrees with five decimals, about a metre.
private func degrees(_ value: Int32) -> String {
    let rounded = (value.magnitude + 50) / 100
    let fraction = String(rounded % 100_000)
    return "\(value < 0 ? "-" : "")\(rounded / 100_000)." + String(repeating: "0", count: 5 - fraction.count) + fraction
}

extension Telemetry.Kind {
    fileprivate var title: String {
        switch self {
        case .device: "Device"
        case .environment: "Environment"
        case .airQuality: "AirQuality"
        case .power: "Power"
        case .localStats: "LocalStats"
        case .health: "Health"
        case .host: "Host"
        case .trafficManagement: "TrafficManagement"
        }
    }
}
