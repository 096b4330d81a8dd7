import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct RequestsAreAnswered {
    private func request(
        _ port: PortNumber, to: NodeNumber, id: PacketID, payload: [UInt8] = [], radio: SimulatedRadio
    ) -> ToRadio {
        .packet(
            MeshPacket(
                from: radio.number, to: to, id: id,
                payload: .decoded(MeshData(port: port, payload: payload, wantResponse: true)), hopLimit: 5))
    }

    private func answer(_ host: Host, _ id: PacketID, _ port: PortNumber) -> MeshPacket? {
        host.wait { frame in
            guard case .packet(let packet) = frame, let data = packet.decoded, data.requestID == id, data.port == port
            else { return nil }
            return packet
        }
    }

    @Test func tracerouteThroughRelays() throws {
        try withRadio { radio, host in
            host.handshake()
            let target = radio.nodes[11]
            host.send(request(.traceroute, to: target.number, id: 5, radio: radio))
            let reply = try #require(answer(host, 5, .traceroute))
            #expect(reply.from == target.number)
            #expect(reply.hopsAway == 2)
            guard case .traceroute(let route) = PacketContent(try #require(reply.decoded)) else {
                Issue.record("not a route")
                return
            }
            #expect(route.route.count == 2)
            #expect(route.snrTowards.count == 3)
            #expect(route.routeBack.count == 2)
            #expect(route.snrBack.count == 3)
        }
    }

    /// With no hop to go it is a question to the neighbours, and each of them answers for itself.
    @Test func aTracerouteToEverybodyReachesTheNeighbours() throws {
        try withRadio { radio, host in
            host.handshake()
            let neighbours = Set(
                radio.nodes.filter { $0.hopsAway == 0 && !$0.viaMQTT && $0.behaviour == .acknowledges }.map(\.number))
            try #require(neighbours.count > 1)
            host.send(
                .packet(
                    MeshPacket(
                        from: radio.number, to: .broadcast, id: 5,
                        payload: .decoded(MeshData(port: .traceroute, payload: [], wantResponse: true)))))
            var answers: [MeshPacket] = []
            while Set(answers.map(\.from)) != neighbours {
                answers.append(
                    try #require(
                        host.wait { frame in
                            guard case .packet(let packet) = frame, packet.decoded?.port == .traceroute,
                                packet.decoded?.requestID == 5, !answers.contains(where: { $0.from == packet.from })
                            else { return nil }
                            return packet
                        }, "\(answers.count) of \(neighbours.count) have answered"))
            }
            #expect(Set(answers.map(\.id)).count == answers.count && answers.allSatisfy { $0.hopsAway == 0 })
        }
    }

    @Test func positionNodeInfoAndTelemetry() throws {
        try withRadio { radio, host in
            host.handshake()
            let target = radio.nodes[0]
            host.send(request(.position, to: target.number, id: 5, radio: radio))
            host.send(request(.nodeInfo, to: target.number, id: 6, radio: radio))
            let asked = Telemetry(kind: .device, values: []).encoded()
            host.send(request(.telemetry, to: target.number, id: 7, payload: asked, radio: radio))
            let position = try #require(answer(host, 5, .position)?.decoded)
            #expect(PacketContent(position) == .position(try #require(target.position)))
            let info = try #require(answer(host, 6, .nodeInfo)?.decoded)
            #expect(PacketContent(info) == .nodeInfo(try #require(target.user)))
            let metrics = try #require(answer(host, 7, .telemetry))
            #expect(metrics.pkiEncrypted && metrics.publicKey == target.publicKey)
        }
    }

    /// A node that has no position acknowledges the question, and then has no response (SerialReference 14.8).
    @Test func whatANodeDoesNotHave() throws {
        try withRadio({ $0.nodes = 40 }) { radio, host in
            host.handshake()
            let nodes = radio.nodes
            let target = try #require(nodes.first { $0.position == nil && $0.behaviour == .acknowledges })
            host.send(request(.position, to: target.number, id: 5, radio: radio))
            #expect(host.waitForRouting(5, from: target.number) == 0)
            #expect(
                host.wait { Host.routing($0, 5).flatMap { $0.error == 8 && $0.from == target.number ? true : nil } }
                    == true)
        }
    }

    @Test func localAdmin() throws {
        try withRadio({ $0.hasClock = false }) { radio, host in
            host.handshake()
            let node = radio.nodes[1].number
            let setTime: UInt32 = 1_800_000_000
            for (index, message) in [AdminMessage.setTimeOnly(setTime), .setFavorite(node), .setIgnored(node)]
                .enumerated()
            {
                let id = PacketID(50 + index)
                host.send(request(.admin, to: radio.number, id: id, payload: message.encoded(), radio: radio))
                #expect(host.waitForRouting(id, from: radio.number) == 0)
            }
            #expect(radio.nodes[1].isFavorite && radio.nodes[1].isIgnored)
            radio.sendText(from: node, "nobody hears me")
            let heard = radio.sendText(from: radio.nodes[0].number, "but me")
            let packet = host.wait { if case .packet(let packet) = $0, packet.id == heard { packet } else { nil } }
            #expect((packet?.rxTime ?? 0) >= setTime && (packet?.rxTime ?? 0) < setTime + 3600)
            #expect(!host.meshPackets.contains { $0.from == node && $0.decoded?.port == .textMessage })
            // What it cannot read, here a name of 40 bytes, it does not claim to have done.
            let name: [UInt8] = [0x82, 0x02, 42, 0x12, 40] + [UInt8](repeating: 0x61, count: 40)
            host.send(request(.admin, to: radio.number, id: 60, payload: name, radio: radio))
            #expect(host.waitForRouting(60, from: radio.number) == 8)
        }
    }

    /// get_config_request for the security section; get_owner_request; get_channel_request for index 1.
    @Test(arguments: [[0x28, 7], [0x18, 1], [0x08, 2], [0x60, 1], [0x38, 0]] as [[UInt8]])
    func getters(_ payload: [UInt8]) throws {
        try withRadio { radio, host in
            host.handshake()
            host.send(request(.admin, to: radio.number, id: 5, payload: payload, radio: radio))
            let reply = try #require(answer(host, 5, .admin)?.decoded)
            guard case .admin(.other(let field)) = PacketContent(reply) else {
                Issue.record("no admin message")
                return
            }
            // A response's field follows its request's.
            #expect(field == UInt32(payload[0] >> 3) + 1)
        }
    }

    @Test func whatTheHostSaysCanBeAwaited() throws {
        try withRadio { radio, host in
            host.handshake()
            host.send(text("hello", to: radio.nodes[0].number, id: 77, from: radio))
            let packet = radio.waitForPacket(timeout: Host.patience) { $0.id == 77 }
            #expect(packet?.decoded?.payload == Array("hello".utf8))
            #expect(packet?.wantAck == true)
            #expect(radio.waitForPacket(timeout: 0.05) { $0.id == 78 } == nil)
            #expect(radio.completedHandshakes == 1)
        }
    }
}
