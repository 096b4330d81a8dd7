import MeshModel
import MeshProtocol

extension MeshPacket {
    /// What the packet says, in one line for a person, in MeshMonitor's words (Contract 3.10). Texts are as their
    /// senders wrote them. Where MeshMonitor has only the port's name, a text or a status is shown; a place that is
    /// none is not.
    ///
    /// - Parameters:
    ///   - time: host milliseconds of the packet: a waypoint that had expired then was deleted.
    ///   - isOwn: it was sent by us.
    ///   - showsPosition: the reader may see where nodes are.
    public func preview(at time: Int64, isOwn: Bool, showsPosition: Bool) -> String {
        guard let data = decoded else { return "🔒 <ENCRYPTED>" }
        let port = "[\(data.port.name ?? "UNKNOWN_\(data.port.rawValue)")]"
        switch PacketContent(data) {
        case .text where data.payload.isEmpty: return port
        case .text(let text):
            let words = text.withoutBell.text
            return isOwn ? "\"" + words.prefix(50) + "\"" : String(words.prefix(100))
        case .position(let position):
            guard showsPosition, position.hasFix, let latitude = position.latitudeI, let longitude = position.longitudeI
            else { return "[Position]" }
            return "[Position: \(degrees(latitude))°, \(degrees(longitude))°]"
        case .nodeInfo(let user):
            let name = user.longName.isEmpty ? user.shortName : user.longName
            return name.isEmpty ? "[NodeInfo update]" : "[NodeInfo: \(name)]"
        case .routing(.error(.none)): return "[Routing: ACK]"
        case .routing(.error(let error)): return "[Routing: \(error.explanation)]"
        case .routing: return "[Routing]"
        case .admin: return "[Admin]"
        case .waypoint where !showsPosition: return "[Waypoint]"
        case .waypoint(let waypoint):
            return waypoint.isExpired(at: time)
                ? "[Waypoint delete: id=\(waypoint.id)]" : "[Waypoint: id=\(waypoint.id) \(waypoint.name)]"
        case .telemetry(let telemetry): return "[Telemetry: \(telemetry.kind.title)]"
        case .traceroute: return "[Traceroute]"
        case .neighborInfo: return "[NeighborInfo]"
        case .paxcounter(let count): return "[Paxcounter: WiFi=\(count.wifi), BLE=\(count.ble)]"
        case .nodeStatus(let text): return "[Status: \(text)]"
        case .storeForward(let said): return said.preview
        case .raw where data.port == .telemetry: return "[Telemetry: Unknown]"
        case .raw where data.port == .atak:
            return "[ATAK packet, \(data.payload.count) bytes (undecodable)]"
        case .raw, .undecodable: return port
        }
    }
}

extension StoreForward {
    fileprivate var preview: String {
        switch self {
        case .text(let text, let isBroadcast, _):
            "[S&F ROUTER_TEXT_\(isBroadcast ? "BROADCAST" : "DIRECT"): \"\(text.withoutBell.text)\"]"
        case .heartbeat(.some(let period)): "[S&F Heartbeat: period=\(period)s]"
        case .heartbeat(.none): "[S&F ROUTER_HEARTBEAT]"
        case .stats(let saved, let most): "[S&F Stats: saved=\(saved)/\(most)]"
        case .history(let count): "[S&F History: \(count) msgs]"
        case .other(let number): "[S&F \(EnumNames.storeForward(number) ?? "\(number)")]"
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
        case .airQuality: "Air Quality"
        case .power: "Power"
        case .localStats: "Local Stats"
        case .health: "Health"
        case .host: "Host"
        case .trafficManagement: "TrafficManagement"
        case .soilWater: "SoilWater"
        }
    }
}
