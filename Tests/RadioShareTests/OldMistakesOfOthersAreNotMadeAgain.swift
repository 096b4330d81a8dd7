import MeshModel
import MeshProtocol
import RadioLink
import Testing

@testable import Gateway
@testable import RadioShare
@testable import RadioSimulator

/// What other programs got wrong that share a radio (SerialReference 12.4). Those that have no test here have one where
/// they belong.
@Suite struct OldMistakesOfOthersAreNotMadeAgain {
    /// MeshMonitor#1443: a handshake of the radio that has begun is nothing to be given, nor one that breaks off.
    @Test func aHandshakeThatBreaksOffIsGivenToNobody() throws {
        let house = try SharedHouse { $0.handshakeCut = 10 }
        let before = try house.connected()
        let settings = { (app: App) in app.frames.filter { $0.node == nil && $0.packet == nil }.map(\.raw) }
        let generation = house.gateway.handshake(of: house.source)?.generation
        house.simulated.misbehave(.cutHandshakes)
        house.simulated.reboot()
        #expect(eventually { house.tap.handshake.withLock { (5..<20).contains($0.count) } }, "none has begun")
        let app = try house.connected()
        #expect(settings(app) == settings(before))
        // One that is whole comes in the end, and nobody has noticed anything.
        house.simulated.misbehave([])
        #expect(eventually { house.gateway.handshake(of: house.source)?.generation != generation })
        let friend = house.simulated.nodes[0].number
        let id = house.simulated.sendText(from: friend, "later")
        for app in [before, app] {
            let frames = try #require(app.wait { $0.contains { $0.packet?.id == id } })
            #expect(frames.count { $0.message.variant == 7 } == 1 && !frames.contains { $0.message == .rebooted })
        }
    }

    /// meshtastic-tcp-mux: a bot that is told the past takes it for news, and answers.
    @Test func whatWasSaidBeforeIsNotRepeated() throws {
        let house = try SharedHouse()
        let before = try house.connected()
        let friend = house.simulated.nodes[0].number
        let old = (0..<20).map { house.simulated.sendText(from: friend, "old \($0)") }
        _ = try #require(before.wait { frames in old.allSatisfy { id in frames.contains { $0.packet?.id == id } } })
        let app = try house.connected()
        try app.settle()
        let new = house.simulated.sendText(from: friend, "new")
        let frames = try #require(app.wait { $0.contains { $0.packet?.id == new } })
        #expect(!frames.contains { $0.packet.map { old.contains($0.id) } ?? false })
    }

    /// MeshMonitor#717, #1410: what a program needs is its own business.
    @Test func everyPortPasses() throws {
        let house = try SharedHouse([.read])
        let app = try house.connected()
        let friend = house.simulated.nodes[0].number
        // Reserved and unknown ones too. ADMIN of another node goes to who has asked for it alone.
        let ports = (1...80).filter { $0 != 6 }.map(UInt32.init) + [256, 257, 511]
        for port in ports {
            let packet = MeshPacket(
                from: friend, to: .broadcast, id: 0x1000 + port,
                payload: .decoded(MeshData(port: PortNumber(rawValue: port), payload: [8, 1])), rxRSSI: -60,
                hopLimit: 3, hopStart: 3, transport: .lora)
            house.simulated.inject(packet)
            // The radio's own queue is short.
            _ = try #require(app.wait { $0.contains { $0.packet?.id == packet.id } }, "\(port)")
        }
        // Nor does it matter whom it is for, or whether anybody can read it.
        let encrypted = MeshPacket(
            from: friend, to: house.simulated.nodes[1].number, id: 0x2000, payload: .encrypted([1, 2, 3]), rxRSSI: -60,
            hopLimit: 3, hopStart: 3, transport: .lora)
        house.simulated.inject(encrypted)
        _ = try #require(app.wait { $0.contains { $0.packet?.id == 0x2000 } })
    }

    /// MeshMonitor#4037: eight apps that each pass on what the radio has for a broker.
    @Test func whatIsForABrokerReachesNobody() throws {
        let house = try SharedHouse([.admin])
        let app = try house.connected()
        // mqttClientProxyMessage, and a file's piece.
        for raw in [[0x72, 3, 0x0a, 1, 0x61], [0x62, 2, 8, 1]] as [[UInt8]] {
            let message = try #require(raw.withUnsafeBytes { FromRadio(decoding: $0) })
            house.gateway.radios.all[0].radioLink(.received(message, raw: raw))
        }
        let id = house.simulated.sendText(from: house.simulated.nodes[0].number, "behind it")
        let frames = try #require(app.wait { $0.contains { $0.packet?.id == id } })
        #expect(!frames.contains { [12, 14].contains(FromRadio.variant(of: $0.raw)) })
    }

    /// MeshMonitor#610, #1487: without its key an app breaks the radio's store of keys; without its role a node is another.
    @Test func nodesKeepWhatTheRadioSaysOfThem() throws {
        let house = try SharedHouse { $0.firmware = .v2_7 }
        let recorded = house.tap.handshake.withLock { $0 }.compactMap { raw -> NodeInfo? in
            guard case .nodeInfo(let node)? = raw.withUnsafeBytes({ FromRadio(decoding: $0) }) else { return nil }
            return node
        }
        let told = try house.connected().frames.compactMap(\.node)
        #expect(recorded.contains { $0.user?.publicKey != nil } && recorded.contains { ($0.user?.role ?? 0) != 0 })
        for node in recorded {
            let shown = try #require(told.first { $0.number == node.number }, "\(node.number.id)")
            #expect(shown.user == node.user, "\(node.number.id)")
            #expect(shown.position == node.position && shown.hopsAway == node.hopsAway, "\(node.number.id)")
        }
    }

    /// MeshMonitor#2182: the official library reads everything anew on `rebooted`, and does so for ever when each handshake
    /// has one.
    @Test func whoComesLaterIsNotToldOfARestart() throws {
        let house = try SharedHouse([.admin])
        let first = try house.connected()
        first.administer(0xa1, [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8), at: house.number)
        _ = try #require(first.wait { $0.contains { $0.message == .rebooted } })
        let later = try house.connected()
        try later.settle()
        let frames = later.frames
        #expect(!frames.contains { $0.message == .rebooted })
        // Nothing but the answer to its own heartbeat.
        #expect(frames.compactMap(\.status).count == 1)
    }

    /// A radio that comes back with other settings: those who were given the old ones read them again, and nobody else.
    @Test func otherSettingsAreToldWhenTheRadioIsBack() throws {
        let house = try SharedHouse()
        let before = try house.connected()
        house.simulated.unplug()
        #expect(eventually { !house.gateway.status(of: house.source).isConnected })
        let meanwhile = try house.connected()
        house.simulated.change { $0.lines.radio.user.longName = "Attic" }
        try house.simulated.replug()
        for app in [before, meanwhile] {
            _ = try #require(app.wait { $0.contains { $0.message == .rebooted } })
            app.send(.wantConfig(8))
            let frames = try #require(app.wait { $0.contains { $0.message == .configComplete(8) } })
            #expect(frames.compactMap(\.node).last { $0.number == house.number }?.user?.longName == "Attic")
            #expect(frames.count { $0.message == .rebooted } == 1)
        }
        let later = try house.connected()
        try later.settle()
        #expect(!later.frames.contains { $0.message == .rebooted })
    }
}
