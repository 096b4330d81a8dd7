import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Packets to the radio's own node are answered by it, once (recordings 05-telemetry-position and 12-admin).
@Suite struct TheRadioItselfIsAsked {
    private func request(
        _ port: PortNumber, _ payload: [UInt8], id: PacketID, _ radio: SimulatedRadio, wantsAck: Bool = true
    ) -> ToRadio {
        .packet(
            MeshPacket(
                from: radio.number, to: radio.number, id: id,
                payload: .decoded(MeshData(port: port, payload: payload, wantResponse: true)), hopLimit: 3,
                wantAck: wantsAck))
    }

    /// Says it and reads all that comes of it: the ids of the queue statuses, and the packets.
    private func exchange(
        _ port: PortNumber, _ payload: [UInt8], id: PacketID, _ radio: SimulatedRadio, _ host: Host,
        wantsAck: Bool = true
    ) -> (statuses: [PacketID], answers: [MeshPacket]) {
        let mark = host.frames.count
        host.send(request(port, payload, id: id, radio, wantsAck: wantsAck))
        // The queue of statuses is small, and what is said next would push them out.
        let isAnswered = host.wait(since: mark) { frame in
            if case .packet(let packet) = frame, packet.decoded?.requestID == id { true } else { nil }
        }
        #expect(isAnswered == true)
        host.settle(radio)
        let frames = host.frames[mark...]
        let answers = frames.compactMap { frame -> MeshPacket? in
            if case .packet(let packet) = frame, packet.decoded?.requestID == id { packet } else { nil }
        }
        let ids = Set(answers.map(\.id) + [id])
        let statuses = frames.compactMap { frame -> PacketID? in
            if case .queueStatus(let status) = frame, ids.contains(status.packetID) { status.packetID } else { nil }
        }
        return (statuses, answers)
    }

    /// get_owner, set_favorite_node of nobody, a blank name, and a channel that cannot be.
    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func anOrderHasOneAnswerWithAStatusOfItsOwn(_ firmware: SimulatorOptions.Firmware) throws {
        try withRadio({ $0.firmware = firmware }) { radio, host in
            host.handshake()
            let orders: [(payload: [UInt8], port: PortNumber, error: UInt32?)] = [
                ([0x18, 1], .admin, nil), ([0xB8, 0x02, 5], .routing, 0),
                ([0x82, 0x02, 5, 0x12, 3, 0x20, 0x20, 0x20], .routing, 32), ([0x08, 99], .routing, 32),
                ([0x8A, 0x02, 4, 0x08, 8, 0x18, 2], .routing, 32),
            ]
            for (index, order) in orders.enumerated() {
                let id = PacketID(100 + index)
                let (statuses, answers) = exchange(.admin, order.payload, id: id, radio, host)
                #expect(answers.count == 1, "\(order)")
                let answer = try #require(answers.first)
                #expect(answer.decoded?.port == order.port)
                #expect(host.routing(id).map(\.error) == (order.error.map { [$0] } ?? []))
                #expect(answer.priority == (order.port == .admin ? 70 : 120) && answer.hopLimit == 3)
                #expect(statuses == (firmware == .v2_8 ? [answer.id, id] : [id, answer.id]))
            }
        }
    }

    /// Nobody can read a name of 47 bytes; with `want_ack` the packet is acknowledged all the same.
    @Test func whatNobodyCanReadHasNoResponse() throws {
        try withRadio { radio, host in
            host.handshake()
            let order: [UInt8] = [0x82, 0x02, 49, 0x12, 47] + [UInt8](repeating: 0x61, count: 47)
            #expect(exchange(.admin, order, id: 5, radio, host, wantsAck: false).statuses == [5])
            #expect(host.routing(5).map(\.error) == [8])
            #expect(exchange(.admin, order, id: 6, radio, host).answers.count == 2)
            #expect(host.routing(6).map(\.error) == [0, 8])
        }
    }

    @Test func itsReadingsPlaceNeighboursAndName() throws {
        try withRadio({ $0.limitsRates = false }) { radio, host in
            host.handshake()
            for (index, kind) in [Telemetry.Kind.device, .localStats].enumerated() {
                let asked = Telemetry(kind: kind, values: []).encoded()
                let answers = exchange(.telemetry, asked, id: PacketID(10 + index), radio, host).answers
                #expect(answers.count == 1 && answers.first?.priority == 70)
                guard case .telemetry(let told) = PacketContent(try #require(answers.first?.decoded)) else {
                    Issue.record("no telemetry")
                    continue
                }
                #expect(told.kind == kind && told["uptimeSeconds"] != nil)
            }
            for (index, port) in [PortNumber.position, .nodeInfo, .neighborInfo].enumerated() {
                let answers = exchange(port, [], id: PacketID(20 + index), radio, host).answers
                #expect(answers.map { $0.decoded?.port } == [port])
            }
            // It has no such sensor.
            let weather = Telemetry(kind: .environment, values: []).encoded()
            _ = exchange(.telemetry, weather, id: 30, radio, host, wantsAck: false)
            #expect(host.routing(30).map(\.error) == [8])
        }
    }

    @Test func aClockOlderThanTheFirmwareIsNotTaken() throws {
        try withRadio({ $0.hasClock = false }) { radio, host in
            host.handshake()
            for (index, seconds) in [1000, 1_700_000_000, 3_200_000_000].enumerated() {
                let id = PacketID(40 + index)
                let answers = exchange(.admin, AdminMessage.setTimeOnly(UInt32(seconds)).encoded(), id: id, radio, host)
                    .answers
                #expect(host.routing(id).map(\.error) == [0] && answers.first?.rxTime == nil)
            }
            _ = exchange(.admin, AdminMessage.setTimeOnly(1_800_000_000).encoded(), id: 50, radio, host)
            let answers = exchange(.admin, [0x18, 1], id: 51, radio, host).answers
            #expect(answers.first?.rxTime ?? 0 >= 1_800_000_000)
        }
    }

    /// On 2.8 a node info hides the address, get_owner does not.
    @Test func theOwnersAddressIsTold() throws {
        try withRadio { radio, host in
            let infos = host.handshake().compactMap { if case .nodeInfo(let info) = $0 { info } else { nil } }
            #expect(infos.first?.user?.macAddress == [UInt8](repeating: 0, count: 6))
            let answer = try #require(exchange(.admin, [0x18, 1], id: 5, radio, host).answers.first?.decoded)
            #expect(answer.payload.contains([0x24, 0x6F, 0x28]))
        }
    }

    @Test func whatClientsLeaveThereIsFoundAgain() throws {
        try withRadio { radio, host in
            host.handshake()
            let words = Array("ja|nein".utf8)
            // set_canned_message_module_messages and set_ringtone_message, then the questions for them.
            let written = UInt8(words.count)
            for (set, get) in [([0xA2, 0x02], 0x50), ([0xAA, 0x02], 0x70)] as [([UInt8], UInt8)] {
                #expect(exchange(.admin, set + [written] + words, id: UInt32(get) * 2, radio, host).answers.count == 1)
                let answer = exchange(.admin, [get, 1], id: UInt32(get) * 2 + 1, radio, host).answers.first?.decoded
                #expect(answer?.payload.contains(words) == true)
            }
        }
    }
}
