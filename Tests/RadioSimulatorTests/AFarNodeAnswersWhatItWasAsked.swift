import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

/// Recordings 06-traceroute and 12-admin.
@Suite struct AFarNodeAnswersWhatItWasAsked {
    private func ask(
        _ node: SimulatedNode, _ port: PortNumber, _ payload: [UInt8], id: PacketID, _ radio: SimulatedRadio,
        _ host: Host
    ) {
        let data = MeshData(port: port, payload: payload, wantResponse: true)
        host.send(
            .packet(
                MeshPacket(
                    from: radio.number, to: node.number, id: id, payload: .decoded(data), hopLimit: 7, wantAck: true)))
    }

    private func answer(_ id: PacketID, _ host: Host) -> MeshPacket? {
        host.wait { frame in
            guard case .packet(let packet) = frame, packet.decoded?.requestID == id,
                Host.routing(frame, id)?.error != 0
            else { return nil }
            return packet
        }
    }

    @Test func theKindOfReadingsThatWasAskedFor() throws {
        try withRadio({ ($0.limitsRates, $0.nodes) = (false, 40) }) { radio, host in
            host.handshake()
            let willing = radio.nodes.filter {
                $0.behaviour == .acknowledges && $0.publicKey != nil && $0.announcedKey == nil && $0.metrics != nil
            }
            let sensor = try #require(willing.first { $0.hasWeatherSensor })
            let plain = try #require(willing.first { !$0.hasWeatherSensor })
            let rows: [(SimulatedNode, Telemetry.Kind, Bool)] = [
                (plain, .device, true), (plain, .localStats, true), (sensor, .environment, true),
                (plain, .environment, false), (plain, .airQuality, false), (plain, .power, false),
            ]
            for (index, (node, kind, hasIt)) in rows.enumerated() {
                let id = PacketID(100 + index)
                ask(node, .telemetry, Telemetry(kind: kind, values: []).encoded(), id: id, radio, host)
                let packet = try #require(answer(id, host), "\(kind)")
                #expect(packet.from == node.number)
                guard hasIt else {
                    #expect(host.routing(id).last?.error == 8)
                    continue
                }
                #expect(packet.wantAck && packet.hopStart == max(min(3, node.hopsAway + 2), node.hopsAway))
                guard case .telemetry(let told) = PacketContent(try #require(packet.decoded)) else {
                    Issue.record("no telemetry")
                    continue
                }
                #expect(told.kind == kind && !told.values.isEmpty)
            }
        }
    }

    /// ADMIN_PUBLIC_KEY_UNAUTHORIZED.
    @Test func itObeysNobody() throws {
        try withRadio { radio, host in
            host.handshake()
            ask(radio.nodes[0], .admin, [0x18, 1], id: 5, radio, host)
            #expect(answer(5, host) != nil)
            host.settle(radio)
            #expect(host.routing(5).map(\.error) == [37])
        }
    }

    /// What all can read is repeated by another neighbour before a direct neighbour has answered; a message is not.
    @Test func aRequestToANeighbourIsRepeated() throws {
        try withRadio { radio, host in
            host.handshake()
            let friend = radio.nodes[0]
            ask(friend, .position, [], id: 5, radio, host)
            #expect(answer(5, host)?.from == friend.number)
            #expect(host.routing(5).map(\.from) == [radio.number])
            host.send(text("hello", to: friend.number, id: 6, from: radio))
            #expect(host.waitForRouting(6, from: friend.number) == 0)
            #expect(host.routing(6).count == 1)
        }
    }

    @Test func theRadioHasNoHopsToSpendOnItsOwnWord() throws {
        try withRadio { radio, host in
            host.handshake()
            host.send(text("to all", to: .broadcast, id: 5, from: radio))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
            let word = host.frames.compactMap { frame -> MeshPacket? in
                if case .packet(let packet) = frame, packet.decoded?.requestID == 5 { packet } else { nil }
            }
            #expect(word.map(\.hopLimit) == [0] && word.map(\.priority) == [120])
        }
    }

    /// Its module neighbor_info is what lets neighbours' reports through.
    @Test func reportsOfNeighboursNeedTheOwnModule() throws {
        // The order has the radio restart after seven seconds; on a busy machine all is answered by then.
        try withRadio({ $0.timeScale = 2 }) { radio, host in
            host.handshake()
            // set_module_config: neighbor_info, empty.
            let order: [UInt8] = [0x9A, 0x02, 2, 0x52, 0]
            host.send(
                .packet(
                    MeshPacket(
                        from: radio.number, to: radio.number, id: 5,
                        payload: .decoded(MeshData(port: .admin, payload: order, wantResponse: true)))))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
            ask(radio.nodes[1], .neighborInfo, [], id: 6, radio, host)
            #expect(host.waitForRouting(6, from: radio.number) == 0)
            ask(radio.nodes[1], .position, [], id: 7, radio, host)
            #expect(answer(7, host)?.from == radio.nodes[1].number)
            #expect(!host.meshPackets.contains { $0.decoded?.port == .neighborInfo })
        }
    }
}
