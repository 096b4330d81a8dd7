import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@Suite struct AnOrderedRestartLeavesNobodyWaiting {
    private func admin(_ payload: [UInt8], id: PacketID, _ radio: SimulatedRadio) -> ToRadio {
        .packet(
            MeshPacket(
                from: radio.number, to: radio.number, id: id,
                payload: .decoded(MeshData(port: .admin, payload: payload, wantResponse: true))))
    }

    /// set_owner restarts the radio after seven seconds, three times earlier than it would give up on a node that is
    /// switched off.
    @Test(arguments: [SimulatorOptions.Firmware.v2_7, .v2_8])
    func aMessageUnderWayEndsBeforeIt(_ firmware: SimulatorOptions.Firmware) throws {
        // On a busy machine the message goes out before the restart all the same.
        try withRadio({ ($0.firmware, $0.timeScale) = (firmware, 2) }) { radio, _ in
            let host = try Host(tcp: try radio.listen())
            host.handshake()
            host.send(admin([0x82, 0x02, 5, 0x12, 3, 0x4E, 0x65, 0x75], id: 5, radio))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
            host.send(text("are you there?", to: radio.nodes[2].number, id: 6, from: radio))
            #expect(host.waitForRouting(6, from: radio.number) == 5)
            #expect(host.waitForEnd(), "the restart cuts the connection")
        }
    }

    /// Words that the mesh has ready one after the other, with the restart between them.
    @Test(arguments: 4...9 as ClosedRange<Int32>) func aMessageHasOneLastWord(_ seconds: Int32) throws {
        try withRadio({ ($0.limitsRates, $0.timeScale) = (false, 5) }) { radio, _ in
            let host = try Host(tcp: try radio.listen())
            host.handshake()
            let ids = 100..<114 as Range<PacketID>
            let texts = ids.map { text("word", to: .broadcast, id: $0, from: radio) }
            host.write(
                (texts + [admin(AdminRequest.reboot(seconds).encoded(), id: 5, radio)])
                    .flatMap { StreamFrame.encode($0.encoded()) })
            #expect(host.waitForEnd())
            for id in ids { #expect(host.routing(id).count == 1, "\(id)") }
        }
    }

    /// Here both become due at once, as they do for a simulator that a busy machine leaves no time.
    @Test func whatTheMeshAnsweredBeforeItIsHeard() throws {
        try withRadio({ $0.timeScale = 1_000_000 }) { radio, host in
            host.handshake()
            let asked = MeshPacket(
                from: radio.number, to: radio.nodes[0].number, id: 6,
                payload: .decoded(MeshData(port: .traceroute, payload: [], wantResponse: true)), hopLimit: 3)
            host.write(
                [.packet(asked), admin(AdminRequest.reboot(600).encoded(), id: 5, radio)]
                    .flatMap { StreamFrame.encode($0.encoded()) })
            let answer: Bool? = host.wait {
                if case .packet(let packet) = $0, packet.decoded?.requestID == 6 { true } else { nil }
            }
            #expect(answer == true)
        }
    }

    /// shutdown_seconds: the network is gone, and comes back when somebody presses the button.
    @Test func aShutDownRadioIsSilentUntilItIsSwitchedOn() throws {
        try withRadio { radio, cable in
            let port = try radio.listen()
            let host = try Host(tcp: port)
            host.handshake()
            host.send(admin([0x90, 0x06, 1], id: 5, radio))
            #expect(host.waitForRouting(5, from: radio.number) == 0)
            #expect(host.waitForEnd())
            #expect(throws: SimulatorError.self) { _ = try Host(tcp: port) }
            cable.send(.heartbeat(nonce: 9))
            #expect(cable.wait(0.3) { if case .queueStatus = $0 { true } else { nil } } == nil)
            radio.reboot()
            let again = try Host(tcp: port)
            var answer: Bool?
            for nonce in 2...200 as ClosedRange<UInt32> where answer == nil {
                again.send(.heartbeat(nonce: nonce))
                answer = again.wait(0.1) { if case .queueStatus = $0 { true } else { nil } }
            }
            #expect(answer == true)
        }
    }

    /// nodedb_reset: at once, all or all but the favourites.
    @Test(arguments: [false, true]) func theNodesAreForgotten(_ keepsFavorites: Bool) throws {
        // The handshake that follows is over before the restart, on a busy machine too.
        try withRadio({ $0.timeScale = 2 }) { radio, host in
            host.handshake()
            let favorite = radio.nodes[0].number
            host.send(admin(AdminMessage.setFavorite(favorite).encoded(), id: 5, radio))
            host.send(admin([0xA0, 0x06, keepsFavorites ? 1 : 0], id: 6, radio))
            #expect(host.waitForRouting(6, from: radio.number) == 0)
            let infos = host.handshake(8).compactMap { if case .nodeInfo(let info) = $0 { info.number } else { nil } }
            #expect(infos == [radio.number] + (keepsFavorites ? [favorite] : []))
        }
    }
}
