import MeshModel
import MeshProtocol

extension MeshPacket {
    /// A packet that came over LoRa, directly from its sender.
    static func heard(
        _ port: PortNumber, _ payload: [UInt8], from: NodeNumber = alice, to: NodeNumber = .broadcast,
        id: PacketID = 77,
        _ change: (inout MeshPacket, inout MeshData) -> Void = { _, _ in }
    ) -> MeshPacket {
        var data = MeshData(port: port, payload: payload, bitfield: 1)
        var packet = MeshPacket(
            from: from, to: to, id: id, payload: .none, rxTime: noonSeconds, rxSNR: 6.25, rxRSSI: -81, hopLimit: 3,
            hopStart: 3, transport: .lora)
        change(&packet, &data)
        packet.payload = .decoded(data)
        return packet
    }

    static func text(
        _ text: String, from: NodeNumber = alice, to: NodeNumber = .broadcast, id: PacketID = 77,
        _ change: (inout MeshPacket, inout MeshData) -> Void = { _, _ in }
    ) -> MeshPacket {
        heard(.textMessage, Array(text.utf8), from: from, to: to, id: id, change)
    }

    /// ROUTING about one of our packets; without a signal strength when it comes from the radio itself.
    static func report(_ error: RoutingError, on id: PacketID, from: NodeNumber) -> MeshPacket {
        heard(.routing, Routing.error(error).encoded(), from: from, to: own, id: 0x5EED ^ id) { packet, data in
            data.requestID = id
            if from == own {
                packet.rxRSSI = nil
                packet.transport = .internal
            }
        }
    }

    /// A value of the radio's memory that firmware 2.8 repeats after a handshake.
    static func replay(_ port: PortNumber, _ payload: [UInt8], from: NodeNumber = alice, id: PacketID) -> MeshPacket {
        heard(port, payload, from: from, id: id) { packet, _ in
            packet.priority = 10
            packet.rxRSSI = nil
            packet.rxSNR = 0
            packet.rxTime = noonSeconds - 60
        }
    }
}

/// StoreAndForward: request_response 1, text 5, original_id 6, at most 127.
func storeForwardText(_ text: String, isBroadcast: Bool, original: UInt8? = nil) -> [UInt8] {
    [0x08, isBroadcast ? 9 : 8, 0x2A, UInt8(text.utf8.count)] + Array(text.utf8) + (original.map { [0x30, $0] } ?? [])
}

func device(_ values: (String, Double)...) -> [UInt8] {
    Telemetry(kind: .device, values: values.map { Telemetry.Value($0.0, $0.1) }).encoded()
}

func key(_ byte: UInt8) -> PublicKey { PublicKey([UInt8](repeating: byte, count: 32))! }
