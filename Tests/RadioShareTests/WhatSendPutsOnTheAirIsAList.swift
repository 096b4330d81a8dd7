import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// A program with the right `send` says what people say, and asks what people ask. It does not speak as the radio, and `admin`
/// speaks as the radio in little. What is refused is an answer, and counted.
@Suite struct WhatSendPutsOnTheAirIsAList {
    private enum To { case everybody, friend }
    private struct Row {
        var port: UInt32
        var to = To.everybody
        var payload: [UInt8] = [8, 65]
        var asks = false
        /// With a `request_id`, as some clients write one into a request, and answers have one.
        var isAnswer = false
        /// The least right; nil: nobody.
        var right: ClientRight?

        init(_ port: UInt32, _ right: ClientRight?, _ to: To = .everybody, asks: Bool = false, isAnswer: Bool = false) {
            (self.port, self.right, self.to, self.asks, self.isAnswer) = (port, right, to, asks, isAnswer)
        }

        init(_ port: UInt32, _ right: ClientRight?, _ payload: [UInt8]) {
            (self.port, self.right, self.payload) = (port, right, payload)
        }
    }

    private static let rows: [Row] =
        [1, 7, 8, 9, 10, 11, 32, 33, 64, 66, 72, 76, 77, 78, 112, 256, 257, 400, 511].map { Row($0, .send) }
        + [3, 4, 67, 70, 71].flatMap {
            [Row($0, .send, .friend, asks: true), Row($0, .send, .friend, asks: true, isAnswer: true)]
        }
        + [2, 3, 12, 13, 34, 35, 36, 37, 67, 68, 71, 75].flatMap {
            [Row($0, .admin), Row($0, .admin, .friend, isAnswer: true)]
        } + [
            // Store and forward: a client's word, with and without rr, and a server's.
            Row(65, .send, [8, 64]), Row(65, .send, [8, 106]), Row(65, nil, [8, 63]), Row(65, nil, [8, 8]),
            Row(65, nil, []),
            Row(65, nil, [8, 65, 8, 8]), Row(65, nil, [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            Row(65, nil, [8]),
            // A name to everybody, and to one who has not been asked; everybody asked for what only one is to tell.
            Row(4, nil), Row(4, nil, .friend), Row(4, nil, .friend, isAnswer: true), Row(4, nil, asks: true),
            Row(3, nil, asks: true), Row(67, nil, asks: true), Row(70, nil, asks: true), Row(70, nil),
            Row(70, nil, .friend, isAnswer: true), Row(71, .admin, asks: true),
            Row(5, nil), Row(5, nil, .friend, isAnswer: true), Row(5, nil, .friend, asks: true), Row(69, nil),
            Row(73, nil),
            Row(73, nil, .friend, asks: true), Row(0, nil), Row(14, nil), Row(38, nil),
            Row(74, nil),
            Row(79, nil), Row(255, nil), Row(512, nil), Row(70_000, nil),
        ]

    private func packet(_ id: PacketID, _ row: Row, _ house: SharedHouse) throws -> [UInt8] {
        let friend = try #require(house.simulated.nodes.first { $0.number != house.number }).number
        let data =
            [0x08] + varint(row.port) + [0x12, UInt8(row.payload.count)] + row.payload + (row.asks ? [0x18, 1] : [])
            + (row.isAnswer ? [0x35, 1, 2, 3, 4] : [])
        return [0x15] + App.bytes(row.to == .friend ? friend.rawValue : NodeNumber.broadcast.rawValue)
            + [0x22, UInt8(data.count)] + data + [0x35] + App.bytes(id)
    }

    @Test(arguments: [ClientRight.read, .send, .admin]) func byRight(_ right: ClientRight) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        var refused: UInt64 = 0
        for (place, row) in Self.rows.enumerated() {
            let id = PacketID(0x1000 + place)
            app.send(packet: try packet(id, row, house))
            _ = try #require(app.wait { $0.contains { $0.status?.packetID == id } }, "\(row)")
            let isDone = row.right.map { right >= $0 } ?? false
            if isDone {
                // Nothing else fills the radio's queue meanwhile.
                #expect(eventually { !house.written(id).isEmpty }, "\(row)")
                continue
            }
            refused += 1
            _ = try #require(app.wait { $0.contains { $0.routing(id) != nil } }, "\(row)")
            try app.settle()
            #expect(app.frames.compactMap { $0.routing(id) } == [.notAuthorized], "\(row)")
            #expect(app.frames.count { $0.status?.packetID == id } == 1, "\(row)")
            #expect(house.written(id).isEmpty, "\(row)")
        }
        #expect(house.share.status[0].refusedPackets == refused && refused > 0)
    }

    /// A request tells who asks. That is the radio, whatever the client wrote there: another name and key, another place.
    @Test(arguments: [ClientRight.send, .admin]) func aRequestTellsOfTheRadioItself(_ right: ClientRight) throws {
        let house = try SharedHouse([right]) { $0.firmware = .v2_7 }
        let app = try house.connected()
        let friend = try #require(house.simulated.nodes.first { $0.number != house.number }).number
        let own = try #require(house.gateway.snapshot(of: house.source)?.ownNode?.user)
        // User { id, long_name, public_key }, Position { latitude_i, longitude_i }, NeighborInfo { node_id }, two fields more.
        let user: [UInt8] = [0x12, 3] + Array("Eve".utf8) + [0x42, 32] + [UInt8](repeating: 0xe7, count: 32)
        let place: [UInt8] = [0x0d, 0xd1, 0xd2, 0xd3, 0x11, 0x15, 0xd5, 0xd6, 0xd7, 0x11]
        for (port, payload) in [(4, user), (3, place), (71, [8, 0xd1, 0xd2, 0x53])] as [(UInt8, [UInt8])] {
            let id = PacketID(port)
            let packet = app.packet(id, port: port, payload, to: friend, wantsResponse: true, wantsAck: true)
            app.send(packet: packet + [0x98, 6, 7])
            #expect(eventually { !house.written(id).isEmpty })
            let frame = try #require(house.written(id).first)
            let written = try #require(ClientPacket(inToRadio: frame))
            #expect(written.wantsAck && written.content?.wantsResponse == true && written.to == friend)
            #expect(!frame.contains(payload) && frame.contains([0x98, 6, 7]))
            let content = PacketContent(
                MeshData(port: PortNumber(rawValue: UInt32(port)), payload: written.content!.payload))
            switch content {
            case .nodeInfo(let user): #expect(user == own && !user.longName.isEmpty)
            case .position(let position): #expect(position.hasFix || position.time != nil)
            default: #expect(port == 71 && written.content?.payload == [])
            }
        }
    }

    /// The table has each port once for each form, and says nothing of administration.
    @Test func theTableIsInOrder() {
        let ports = AirRule.all.map(\.ports.lowerBound)
        #expect(ports == ports.sorted() && !ports.contains(6))
        #expect(AirRule.all.allSatisfy { $0.right >= .send })
    }
}
