import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// A gateway that has heard the same things in the same order on every run, one after the other.
///
/// The mesh is a seeded one of four nodes that say nothing by themselves. What they say here has packet ids, signal
/// strengths and senders' times of its own; only the gateway's clock and the packet ids that it draws differ.
struct SeededMesh {
    let mesh: Mesh
    /// Reads, and nothing else.
    let reader: Client
    /// Reads which channels are decrypted here, and nothing else.
    let keeper: Client
    let source: String
    /// The gateway's.
    let version: String

    /// In 2026, and always the same.
    private static let sendersTime: UInt32 = 1_787_300_040

    init() throws {
        mesh = try Mesh(scopes: ["admin"]) {
            $0.seed = 7
            $0.nodes = 4
            $0.firmware = .v2_7
        }
        var other = mesh.gateway
        try other.authorize(as: "reader", scopes: ["read"])
        reader = other.client
        try other.authorize(as: "keeper", scopes: ["channel_database:read"])
        keeper = other.client
        version = try #require(try mesh.client.get("/api/health").strict["version"]?.string)
        source = try #require(try mesh.client.get("/api/v1/sources").strict["data"]?.rows.first?["id"]?.string)
        // The radio's word that its clock was set.
        try waitForOwnRouting(1)
        try tell()
        try act()
    }

    var own: NodeNumber { mesh.radio.number }
    /// Heard directly.
    var hiker: NodeNumber { mesh.cast(0) }
    /// One hop away.
    var hut: NodeNumber { mesh.cast(1) }
    /// Switched off.
    var silent: NodeNumber { mesh.cast(2) }

    /// A chart shows means of three minutes. What is told over the end of such a span would be two rows of it, so that it
    /// is told again then, on a slow machine a few times.
    static func toldWithinThreeMinutes() throws -> SeededMesh {
        for _ in 0..<4 {
            let mesh = try SeededMesh()
            let chart = "/api/telemetry/\(mesh.hiker.id)?sourceId=\(mesh.source)&hours=24"
            // The radio knows from before how loud it has heard the node.
            let told = try mesh.mesh.client.get(chart).strict.rows.filter {
                $0["telemetryType"]?.string != "snr_remote"
            }
            if Set(told.map { $0["timestamp"]?.integer }).count == 1 { return mesh }
        }
        return try SeededMesh()
    }

    /// The ids of packets that differ from run to run: those that the gateway sent, and the answers to them.
    func drawnIDs() throws -> Set<Int> {
        let packets = try mesh.client.get("/api/v1/packets?limit=1000").strict["data"]?.rows ?? []
        // Acknowledgements are in no list of packets.
        let telemetry = try mesh.client.get("/api/v1/telemetry?limit=1000").strict["data"]?.rows ?? []
        let shown = packets.map { $0["packet_id"] } + telemetry.map { $0["packetId"] }
        let logged = shown.compactMap { $0?.integer }.filter { !(Int(id(0))...Int(id(100))).contains($0) }
        return Set(logged + mesh.radio.received.map { Int($0.id) })
    }

    private func tell() throws {
        try hear(1, .textMessage, Array("Good morning mesh".utf8), from: hiker)
        try hear(2, .textMessage, Array("Good \"morning\" \\ \u{1F44B}\nall".utf8), from: hut, replyID: id(1))
        try hear(3, .textMessage, Array("👍".utf8), from: hiker, replyID: id(2), emoji: 1)
        try hear(4, .textMessage, Array("Who is on the ridge?".utf8), from: hut, channel: 1)
        try hear(5, .textMessage, Array("Only for you".utf8), from: hiker, to: own)
        let device = Telemetry(
            time: Self.sendersTime, kind: .device,
            values: [
                .init("batteryLevel", 87), .init("voltage", 4.05), .init("channelUtilization", 6.3),
                .init("airUtilTx", 1.2), .init("uptimeSeconds", 345_600),
            ])
        try hear(6, .telemetry, device.encoded(), from: hiker)
        let weather = Telemetry(
            time: Self.sendersTime + 1, kind: .environment,
            values: [.init("temperature", -3.7), .init("humidity", 81), .init("pressure", 861.2)])
        try hear(7, .telemetry, weather.encoded(), from: hut)
        for step in 0..<2 as Range<Int32> {
            let position = Position(
                latitudeI: 462_044_000 + step * 3000, longitudeI: 61_432_000, altitude: 810 + step,
                time: Self.sendersTime + UInt32(step), locationSource: 1, groundSpeed: step == 0 ? nil : 4,
                groundTrack: step == 0 ? nil : 9_200_000, satsInView: 9, precisionBits: 32)
            try hear(8 + UInt32(step), .position, position.encoded(), from: hiker)
        }
        let neighbours = NeighborInfo(
            number: hut, lastSentBy: hut, broadcastInterval: 14_400,
            neighbors: [.init(number: hiker, snr: 5.25), .init(number: own, snr: -7.5)])
        try hear(10, .neighborInfo, neighbours.encoded(), from: hut)
        try hear(11, .paxcounter, Paxcount(wifi: 12, ble: 30, uptime: 600).encoded(), from: hut)
        let route = RouteDiscovery(
            route: [hiker, .broadcast], snrTowards: [24, -128, -13], routeBack: [hiker], snrBack: [-8, 31])
        try hear(12, .traceroute, route.encoded(), from: hut, to: own, answering: id(99))
        try hear(13, payload: .encrypted(Array(0x40..<0x60)), from: hut, channel: 0x5C)
    }

    /// What people at this gateway do.
    private func act() throws {
        let answer = try mesh.gateway.post(["text": "On my way", "channel": 0, "replyId": .integer(Int(id(1)))])
        _ = try mesh.gateway.message(answer["messageId"], becoming: "delivered")
        let direct = try mesh.gateway.post(["text": "See you", "toNodeId": .string(hiker.id)])
        _ = try mesh.gateway.message(direct["messageId"], becoming: "confirmed")
        let lost = try mesh.gateway.post(["text": "Anybody there?", "toNodeId": .string(silent.id)])
        _ = try mesh.gateway.message(lost["messageId"], becoming: "failed")
        let traced = try mesh.client.post("/api/v1/actions/traceroute", ["destination": .string(silent.id)])
        try #require(traced.status == 200, "\(traced.text)")
        // The radio is locked while it looks for the packet.
        let target = silent
        let request = mesh.radio.waitForPacket(timeout: Program.patience) {
            $0.to == target && $0.decoded?.port == .traceroute
        }
        try #require(request != nil)
        // The clock, the text to all, and what nobody answered.
        try waitForOwnRouting(4)
        let device = Telemetry(
            kind: .device, values: [.init("batteryLevel", 101), .init("voltage", 4.25), .init("uptimeSeconds", 86_400)])
        try hear(15, .telemetry, device.encoded(), from: own)
        // The node that was touched last leads the list.
        let stats = Telemetry(kind: .localStats, values: [.init("numPacketsRx", 120), .init("numOnlineNodes", 3)])
        try hear(14, .telemetry, stats.encoded(), from: own)
    }

    /// Waits until the radio has told so often what became of a packet.
    private func waitForOwnRouting(_ count: Int) throws {
        // The API does not show what is no traffic of the mesh; the command line does.
        try mesh.gateway.eventually("the radio has acknowledged \(count) packets") {
            let log = try Program.run(
                "packets", "--json", "--limit", "1", "--port", "routing", "--from", own.id, in: mesh.gateway.folders)
            return try JSONDecoder().decode(JSON.self, from: Data(log.output.utf8))["matching"] == .integer(count)
        }
    }

    /// The id of a packet that the mesh sends here.
    func id(_ number: UInt32) -> PacketID { 0x1000_0000 + number }

    private func hear(
        _ number: UInt32, _ port: PortNumber, _ payload: [UInt8], from sender: NodeNumber,
        to recipient: NodeNumber = .broadcast, channel: UInt32 = 0, answering requestID: PacketID = 0,
        replyID: PacketID = 0, emoji: UInt32 = 0
    ) throws {
        let data = MeshData(
            port: port, payload: payload, requestID: requestID, replyID: replyID, emoji: emoji, bitfield: 1)
        try hear(number, payload: .decoded(data), from: sender, to: recipient, channel: channel)
    }

    /// Hands a packet to the gateway and waits until it is in the log, so that the next one is a millisecond later.
    private func hear(
        _ number: UInt32, payload: MeshPacket.Payload, from sender: NodeNumber, to recipient: NodeNumber = .broadcast,
        channel: UInt32 = 0
    ) throws {
        var packet = MeshPacket(
            from: sender, to: recipient, channel: channel, id: id(number), payload: payload,
            rxTime: UInt32(Date().timeIntervalSince1970), rxSNR: 5.25, rxRSSI: -97, hopLimit: 3, hopStart: 3,
            priority: 64, transport: .lora)
        if sender == hut { (packet.hopLimit, packet.relayNode) = (2, 18) }
        if sender == own { (packet.rxTime, packet.rxRSSI, packet.transport) = (nil, nil, .internal) }
        mesh.radio.inject(packet)
        let query = "/api/v1/packets?limit=1&from_node=\(sender.rawValue)"
        try mesh.gateway.eventually("packet \(number) is in the log") {
            let row = try mesh.client.get(query).strict["data"]?.rows.first
            return row?["packet_id"]?.integer == Int(packet.id)
        }
        usleep(2000)
    }
}
