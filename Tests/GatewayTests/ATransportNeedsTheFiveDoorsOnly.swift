import Foundation
import Glibc
import MeshModel
import MeshProtocol
import RadioLink
import RadioSimulator
import Store
import Synchronization
import Testing

@testable import Gateway

/// A toy of a transport (``ToyTransport``) in front of a simulated radio: what a client of it sees, may do and may not.
@Suite struct ATransportNeedsTheFiveDoorsOnly {
    @Test func aClientIsGivenTheRadiosHandshake() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(4711))
        let all = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(4711) } })
        // What the mesh had said before is none of it, nor what it says afterwards.
        let begin = try #require(all.firstIndex { house.decoded($0)?.variant == 3 })
        let end = try #require(all.firstIndex { house.decoded($0) == .configComplete(4711) })
        let frames = Array(all[begin...end])
        let own = house.radio.number
        let recorded = house.recorded
        // As the radio sent them, but for the secrets; its own node before its settings.
        #expect(frames.count == recorded.count + 1)
        #expect(frames.first == recorded.first && house.decoded(frames[0])?.variant == 3)
        guard case .nodeInfo(let second) = house.decoded(frames[1]) else { return #expect(Bool(false)) }
        #expect(second.number == own)
        let secret = frames.filter { !recorded.contains($0) }.dropLast()
        let variants = Set(secret.compactMap { house.decoded($0)?.variant })
        #expect(variants.isSubset(of: [5, 9, 17]), "only settings differ")
        #expect(secret.count == 5, "private key, WiFi, broker, two PINs")
        for frame in frames {
            #expect(!frame.contains(house.radio.privateKey))
            for password in SimulatedRadio.passwords { #expect(!frame.contains(Array(password.utf8))) }
        }
        #expect(frames.filter { $0.contains(Array("sekrit".utf8)) }.count == 1)
    }

    @Test func itSendsAndSeesWhatIsSent() throws {
        let house = try House(right: .send)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        // id 0x21, a text with an unknown field; 0x22, a waypoint; 0x23, a traceroute to a node.
        house.send(bytes: [
            0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 6, 8, 1, 18, 2, 0x68, 0x69, 0x35, 0x21, 0, 0, 0, 0x50, 1,
        ])
        house.send(
            bytes: [0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 9, 8, 8, 18, 2, 8, 5, 0x98, 6] + [
                7, 0x35, 0x22, 0, 0, 0, 0x98, 6, 7,
            ])
        let friend = house.radio.nodes[0].rawValue
        house.send(
            bytes: [0x15] + (0..<4).map { UInt8(truncatingIfNeeded: friend >> (8 * $0)) }
                + [0x22, 4, 8, 70, 24, 1, 0x35, 0x23, 0, 0, 0, 0x48, 10])
        for id in [0x21, 0x22, 0x23] as [PacketID] {
            _ = try #require(house.wait { $0.contains { house.status($0) == id } }, "\(id)")
            _ = try #require(house.waitForWritten { house.id(ofPacket: $0) == id }, "\(id) does not reach the radio")
        }
        // The waypoint has all its bytes, and the number of the radio as its sender.
        let waypoint = try #require(house.waitForWritten { house.id(ofPacket: $0) == 0x22 })
        #expect(waypoint.contains([0x22, 9, 8, 8, 18, 2, 8, 5, 0x98, 6]) && waypoint.contains([0x98, 6, 7]))
        let traceroute = try #require(house.waitForWritten { house.id(ofPacket: $0) == 0x23 })
        #expect(ClientPacket(inToRadio: traceroute)?.from == house.radio.number)
        #expect(ClientPacket(inToRadio: traceroute)?.hopLimit == 7)
        // It is a message of its sender, and its echo comes as any packet does.
        let source = house.source
        let stored = try house.store.read { try $0.message(id: "33", in: source) }
        #expect(stored?.text == "hi" && stored?.sender == house.sender && stored?.isOwn == true)
        _ = try #require(
            house.wait { $0.contains { house.packet($0)?.id == 0x21 && house.packet($0)?.from == house.radio.number } })
        _ = try #require(house.wait { $0.contains { house.packet($0)?.decoded?.requestID == 0x23 } }, "no answer")
        // Twice is once.
        house.send(bytes: [
            0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 6, 8, 1, 18, 2, 0x68, 0x69, 0x35, 0x21, 0, 0, 0, 0x50, 1,
        ])
        _ = try #require(house.wait { $0.filter { house.status($0) == 0x21 }.count == 2 })
        #expect(house.written.filter { house.id(ofPacket: $0) == 0x21 }.count == 1)
        // What a setting is, and that it may not be changed: get_config LORA, set_owner.
        house.administer(0x31, [0x28, 5])
        let answer = try #require(house.wait { $0.contains { house.packet($0)?.decoded?.requestID == 0x31 } })
        let lora = answer.compactMap { house.packet($0)?.decoded }.first { $0.requestID == 0x31 }
        #expect(lora?.port == .admin && lora?.payload.starts(with: [0x32]) == true)
        house.administer(0x32, [0x82, 2, 3, 0x12, 1, 0x58])
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x32) == RoutingError.notAuthorized } })
        #expect(!house.written.contains { $0.contains([0x82, 2, 3, 0x12, 1, 0x58]) })
    }

    /// A key of 32 bytes and a field that this program does not know.
    @Test func aChannelReachesTheRadioByteForByte() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let settings =
            [0x12, 32] + [UInt8](repeating: 0xd7, count: 32) + [0x1a, 3] + Array("hut".utf8) + [0x98, 6, 7]
        let channel = [0x08, 5, 0x12, UInt8(settings.count)] + settings + [0x18, 2, 0xa0, 6, 9]
        let order = [0x8a, 2, UInt8(channel.count)] + channel
        house.administer(0x41, order)
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x41) == RoutingError.none } })
        #expect(house.written.contains { $0.contains(order) })
        for table in try house.tables() { #expect(!table.contains(settings)) }
    }

    /// A password that the client was shown as `sekrit` goes back to the radio as it is there.
    @Test func aPasswordStaysThoughItWasNotShown() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(1))
        let frames = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let shown = try #require(frames.first { house.decoded($0)?.variant == 9 && $0.contains(Array("sekrit".utf8)) })
        // moduleConfig { mqtt { ... } }, and another root topic (8).
        let mqtt = Array(shown.dropFirst(4)) + [0x42, 1, 0x78]
        let order = [0x9a, 2, UInt8(mqtt.count + 2), 0x0a, UInt8(mqtt.count)] + mqtt
        #expect(shown[0] == 0x4a && shown[2] == 0x0a && mqtt.count < 126)
        house.administer(0x61, order)
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x61) == RoutingError.none } })
        let password = Array(SimulatedRadio.passwords[1].utf8)
        let written = try #require(house.waitForWritten { $0.contains([0x42, 1, 0x78]) })
        #expect(written.contains(password) && !written.contains(Array("sekrit".utf8)))
    }

    /// What the radio is by itself is not for clients to change, whatever their right.
    @Test func theRadioIsNotTakenAway() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let key = [0x12, 32] + [UInt8](repeating: 9, count: 32)
        let refused: [(PacketID, [UInt8])] = [
            (0x71, [0x92, 2, UInt8(key.count + 2), 0x42, UInt8(key.count)] + key),  // security.private_key
            (0x72, [0x98, 6, 0]), (0x73, [0x90, 6, 5]),  // factory resets
            (0x74, [0xb2, 1, 1, 0x61]),  // delete_file
            (0x75, [0xf0, 5, 1]),  // factory_reset_device
            (0x76, [0xc0, 12, 1]),  // unknown
        ]
        for (id, order) in refused {
            house.administer(UInt8(id), order)
            _ = try #require(
                house.wait { $0.contains { house.refusal($0, of: id) == RoutingError.notAuthorized } }, "\(id)")
            #expect(!house.written.contains { $0.contains(order) }, "\(id)")
        }
        // Two orders in one message: the radio would obey the last.
        house.administer(0x77, [0x18, 1, 0x98, 6, 0])
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x77) == RoutingError.badRequest } })
        // The clock is the gateway's.
        house.administer(0x78, [0xdd, 2, 1, 0, 0, 0])
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x78) == RoutingError.none } })
        #expect(!house.written.contains { $0.contains([0xdd, 2, 1, 0, 0, 0]) })
    }

    /// A radio obeys what goes to everybody, and firmware takes two numbers for that.
    @Test func noOrderGoesToEverybody() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let factoryReset: [UInt8] = [0xf0, 5, 1]
        for (id, number) in [(0x91, .broadcast), (0x92, NodeNumber(1)), (0x93, NodeNumber(0))]
            as [(PacketID, NodeNumber)]
        {
            house.administer(UInt8(id), factoryReset, to: number)
            _ = try #require(
                house.wait { $0.contains { house.refusal($0, of: id) == RoutingError.notAuthorized } }, "\(number)")
        }
        #expect(!house.written.contains { $0.contains(factoryReset) })
    }

    /// begin and commit belong to one client, and do not outlive it.
    @Test func anEditEndsWithItsClient() throws {
        let house = try House(right: .admin)
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        house.administer(0x81, [0x80, 4, 1])
        _ = try #require(house.wait { $0.contains { house.refusal($0, of: 0x81) == RoutingError.none } })
        // set_owner { long_name Y } of another client.
        let order: [UInt8] = [0x82, 2, 3, 0x12, 1, 0x59]
        let data = [8, 6, 18, UInt8(order.count)] + order
        let number = (0..<4).map { UInt8(truncatingIfNeeded: house.radio.number.rawValue >> (8 * $0)) }
        let packet = try #require(ClientPacket([0x15] + number + [0x22, UInt8(data.count)] + data))
        let outcomes = Mutex<[RoutingError?]>([])
        let other = Sender(.share, "192.0.2.8")
        let shown = house.gateway.handshake(of: house.source)?.shown()
        house.gateway.administer(packet, by: other, right: .admin, shown: shown, of: house.source) { outcome in
            outcomes.withLock { if case .declined(let error, _) = outcome { $0.append(error) } else { $0.append(nil) } }
        }
        let limit = Date(timeIntervalSinceNow: 120)
        while outcomes.withLock({ $0.isEmpty }), limit.timeIntervalSinceNow > 0 { usleep(10_000) }
        #expect(outcomes.withLock { $0 } == [.notAuthorized])
        #expect(!house.written.contains { $0.contains([0x88, 4, 1]) })
        house.leave()
        #expect(house.waitForWritten { $0.contains([0x88, 4, 1]) } != nil)
    }

    /// What administers another node goes out whole, and nothing here keeps any of it.
    @Test func aPasskeyIsSeenByTheRadioOnly() throws {
        let house = try House(right: .admin)
        let other = house.gateway.frames(of: house.source) {}
        house.send(.wantConfig(1))
        _ = try #require(house.wait { $0.contains { house.decoded($0) == .configComplete(1) } })
        let passkey: [UInt8] = [0xaa, 6, 8, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8]
        let order = [0x82, 2, 5, 0x12, 3] + Array("Hut".utf8) + passkey
        house.administer(0x51, order, to: house.radio.nodes[1])
        let sent = try #require(house.waitForWritten { house.id(ofPacket: $0) == 0x51 })
        #expect(sent.contains(order))
        try house.store.commit { _ in }
        for table in try house.tables() { #expect(!table.contains(passkey)) }
        for frame in other.take().frames { #expect(!frame.raw.contains(passkey)) }
        let told = house.events.nextEvents(upTo: 512) {}.events
        #expect(told.contains { $0.kind == .sent })
        #expect(!told.contains { "\($0)".contains("209, 210, 211") })
    }
}
