import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// A node takes any packet with its own packet's number for an acknowledgement. So a program with the right `send` names no
/// packet that it answers: acknowledging is the radio's. Requests are left as they are, because some clients write a random number
/// there.
@Suite struct WhatSendSaysAnswersNothing {
    private func packet(_ id: PacketID, port: UInt32, asks: Bool, to node: NodeNumber) -> [UInt8] {
        // A reply to a message stays one.
        let data: [UInt8] =
            [0x08] + varint(port) + [0x12, 2, 0x68, 0x69] + (asks ? [0x18, 1] : [])
            + [0x35, 9, 3, 0, 0, 0x3d, 7, 0, 0, 0]
        return [0x15] + App.bytes(node.rawValue) + [0x22, UInt8(data.count)] + data + [0x35] + App.bytes(id)
    }

    @Test(arguments: [(ClientRight.send, PacketID(0)), (.admin, 0x309)])
    func byRight(_ right: ClientRight, _ expected: PacketID) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        let friend = try #require(house.simulated.nodes.first { $0.number != house.number }).number
        for (place, port) in ([1, 11, 32, 76, 256, 511] as [UInt32]).enumerated() {
            let id = PacketID(0x800 + place)
            app.send(packet: packet(id, port: port, asks: false, to: friend))
            #expect(eventually { !house.written(id).isEmpty }, "\(port)")
            let content = try #require(house.written(id).first.flatMap { ClientPacket(inToRadio: $0)?.content })
            #expect(content.requestID == expected && content.replyID == 7, "\(port)")
            #expect(content.payload == [0x68, 0x69], "\(port)")
        }
        app.send(packet: packet(0x900, port: 67, asks: true, to: friend))
        #expect(eventually { !house.written(0x900).isEmpty })
        let request = try #require(house.written(0x900).first.flatMap { ClientPacket(inToRadio: $0)?.content })
        #expect(request.requestID == 0x309)
    }
}
