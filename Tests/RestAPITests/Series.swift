import MeshModel
import Store

@testable import RestAPI

// Telemetry and positions as a gateway has stored them.

extension TestGateway {
    func insert(
        _ telemetry: Telemetry, from node: NodeNumber = TestGateway.peer, packetID: PacketID, channel: UInt32 = 0,
        at time: Int64
    ) throws {
        let (id, packet) = (id, Self.packet(packetID, from: node, channel: channel))
        try store.commit { try $0.insertTelemetry(telemetry, from: node, packet: packet, in: id, at: time) }
    }

    func insert(
        _ position: Position, from node: NodeNumber = TestGateway.peer, packetID: PacketID, channel: UInt32 = 0,
        at time: Int64
    ) throws {
        let (id, packet) = (id, Self.packet(packetID, from: node, channel: channel))
        try store.commit { try $0.insertPosition(position, from: node, packet: packet, in: id, at: time) }
    }

    /// What was worked out about the peer, from a packet or not.
    func insert(
        _ values: [Telemetry.Value], packetID: PacketID? = nil, channel: UInt32 = 0,
        at time: Int64
    ) throws {
        let (id, node) = (id, TestGateway.peer)
        let packet = packetID.map { number in
            var packet = Self.packet(number, from: node, channel: channel)
            packet.payload = .decoded(MeshData(port: .textMessage, payload: [65]))
            return packet
        }
        try store.commit { try $0.insertDerived(values, of: node, from: packet, in: id, at: time) }
    }

    private static func packet(_ id: PacketID, from node: NodeNumber, channel: UInt32) -> MeshPacket {
        MeshPacket(
            from: node, to: .broadcast, channel: channel, id: id, payload: .none, rxSNR: 4.5, rxRSSI: -97, hopLimit: 2,
            hopStart: 3)
    }

    /// A node that has sent a voltage of 3.7 V and a charge in each of some minutes, the first one at ``now``.
    func insertReports(_ count: Int, from node: NodeNumber = TestGateway.peer) throws {
        try update(node) { _ in }
        for minute in 0..<count {
            let values = [Telemetry.Value("batteryLevel", Double(minute)), Telemetry.Value("voltage", 3.7)]
            try insert(
                Telemetry(kind: .device, values: values), from: node, packetID: PacketID(1 + minute),
                at: Self.now + Int64(minute) * 60_000)
        }
    }
}

/// Bern, give or take.
func place(_ east: Int32, altitude: Int32? = 540) -> Position {
    Position(latitudeI: 469_480_000, longitudeI: 74_470_000 + east, altitude: altitude)
}
