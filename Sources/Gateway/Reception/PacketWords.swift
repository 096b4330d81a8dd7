import MeshModel
import MeshProtocol

extension MeshPacket {
    /// Bytes of its payload, decoded or not.
    public var payloadSize: Int {
        switch payload {
        case .decoded(let data): data.payload.count
        case .encrypted(let bytes): bytes.count
        case .none: 0
        }
    }

    /// What the packet says, in one line for a person at the box. Texts are as their senders wrote them.
    public func words(_ name: (NodeNumber) -> String) -> String {
        guard let data = decoded else {
            if case .encrypted(let bytes) = payload { return "encrypted, \(bytes.count) bytes" }
            return "nothing"
        }
        switch PacketContent(data) {
        case .text(let text): return text
        case .position(let position): return position.words
        case .nodeInfo(let user): return user.words
        case .routing(.error(.none)): return "acknowledges \(data.requestID)"
        case .routing(.error(let error)): return "\(data.requestID) failed: \(error.explanation)"
        case .routing: return "a route"
        case .admin: return "settings"
        case .waypoint(let waypoint):
            return [waypoint.name, waypoint.description].filter { !$0.isEmpty }.joined(separator: ": ")
        case .telemetry(let telemetry): return telemetry.words
        case .traceroute(let route):
            // Without a request id it is the question, which nodes on the way add themselves to.
            let way = data.requestID == 0 ? [from] + route.route : [to] + route.route + [from]
            return (data.requestID == 0 ? "asks for the route: " : "") + way.map(name).joined(separator: " > ")
        case .neighborInfo(let info):
            let list = info.neighbors.map { "\(name($0.number)) \(decimal(Double($0.snr), digits: 2)) dB" }
            return list.isEmpty ? "asks for neighbours" : "hears " + list.joined(separator: ", ")
        case .paxcounter(let count): return "\(count.wifi) WiFi, \(count.ble) Bluetooth devices"
        case .nodeStatus(let text): return text
        case .storeForward(.heartbeat): return "is a store-and-forward server"
        case .storeForward(.text(let text, _, _)): return text
        case .storeForward(.stats(let saved, let most)): return "has saved \(saved) of \(most) texts"
        case .storeForward(.history(let count)): return "repeats \(count) texts"
        case .storeForward(.other(let number)): return "store and forward \(number)"
        case .raw: return "\(data.payload.count) bytes"
        case .undecodable: return "\(data.payload.count) bytes that do not decode"
        }
    }
}

extension Position {
    fileprivate var words: String {
        guard let latitude, let longitude else { return "asks for the position" }
        let height = altitude.map { ", \($0) m" } ?? ""
        return "\(decimal(latitude, digits: 5)), \(decimal(longitude, digits: 5))\(height)"
    }
}

extension User {
    fileprivate var words: String {
        let role = EnumNames.deviceRole(role) ?? "\(role)"
        return "\(longName) (\(shortName)), \(EnumNames.hardwareModel(hardwareModel) ?? "\(hardwareModel)"), \(role)"
    }
}

extension Telemetry {
    /// `battery level 87 %, voltage 3.94 V`.
    fileprivate var words: String {
        guard !values.isEmpty else { return text ?? "asks for telemetry" }
        return values.map { value in
            let number = decimal(value.value, digits: 2)
            switch value.name {
            case "numOnlineNodes": return "\(number) nodes online"
            case "numTotalNodes": return "\(number) nodes known"
            case "uptimeSeconds": return "uptime \(number) s"
            default: break
            }
            let unit = Telemetry.unit(of: value.name).map { " \($0)" } ?? ""
            return "\(Self.words(value.name)) \(number)\(unit)"
        }
        .joined(separator: ", ")
    }

    /// `batteryLevel` as people write it.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
    }
}

/// A number with at most so many digits behind its point.
private func decimal(_ number: Double, digits: Int) -> String {
    guard number.magnitude < 1e12 else { return "\(number)" }
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let whole = Int64((number.magnitude * scale).rounded())
    let (before, behind) = whole.quotientAndRemainder(dividingBy: Int64(scale))
    let sign = number < 0 && whole != 0 ? "-" : ""
    guard behind > 0 else { return "\(sign)\(before)" }
    var text = String(behind)
    text = String(repeating: "0", count: digits - text.count) + text
    while text.hasSuffix("0") { text.removeLast() }
    return "\(sign)\(before).\(text)"
}
