import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// Each program takes the radio for its own: it sees what the mesh says, and what others have the radio say.
@Suite struct EverybodySeesWhatGoesOn {
    @Test func whatTheMeshSays() throws {
        let house = try SharedHouse([.read, .send])
        let (a, b) = (try house.connected(0), try house.connected(1))
        let friend = house.simulated.nodes[0].number
        let id = house.simulated.sendText(from: friend, "hello")
        for app in [a, b] {
            let frames = try #require(app.wait { $0.contains { $0.packet?.id == id } })
            #expect(frames.count { $0.packet?.id == id } == 1)
            // Every number of queue status is about a packet of the client itself.
            #expect(!frames.contains { $0.status != nil })
        }
        house.expectNoSecrets()
    }

    /// The text of one is an own packet of the radio to all others, with what becomes of it; and a message with its sender.
    @Test func whatOthersSend() throws {
        let house = try SharedHouse()
        let (a, b) = (try house.connected(), try house.connected())
        a.send(packet: a.packet(0x21, port: 1, Array("hi".utf8), wantsAck: true))
        let echo = try #require(
            b.wait { $0.contains { $0.packet?.id == 0x21 } }?.compactMap(\.packet).first { $0.id == 0x21 })
        #expect(echo.from == house.number && echo.to.isBroadcast && echo.decoded?.payload == Array("hi".utf8))
        #expect((echo.rxTime ?? 0) > 1_700_000_000)
        // As the radio sends it; without a hop start programs take its way for unknown.
        #expect(echo.hopStart == echo.hopLimit && echo.hopStart > 0)
        for app in [a, b] { _ = try #require(app.wait { $0.contains { $0.routing(0x21) == RoutingError.none } }) }
        try a.settle()
        #expect(!a.frames.contains { $0.packet?.id == 0x21 })
        #expect(a.frames.count { $0.status?.packetID == 0x21 } == 1 && !b.frames.contains { $0.status != nil })
        let source = house.source
        let stored = try house.store.read { try $0.message(id: "33", in: source) }
        #expect(stored?.sender == Sender(.share, "127.0.0.1") && stored?.text == "hi")
        // And what has another way to the radio.
        let message = try #require(
            try house.gateway.send(
                OutgoingText(parts: ["from the web"], destination: .channel(0)), by: Sender(.rest, "x"),
                to: house.source
            ).first)
        for app in [a, b] { _ = try #require(app.wait { $0.contains { $0.packet?.id == message.packetID } }) }
        #expect(eventually { house.written(0x21).count == 1 })
    }

    /// A waypoint arrives with all its bytes, whoever knows them.
    @Test func aWaypointPasses() throws {
        let house = try SharedHouse()
        let (a, b) = (try house.connected(), try house.connected())
        let payload: [UInt8] = [8, 5, 0x98, 6, 7]
        a.send(packet: a.packet(0x31, port: 8, payload))
        let echo = try #require(
            b.wait { $0.contains { $0.packet?.id == 0x31 } }?.compactMap(\.packet).first { $0.id == 0x31 })
        #expect(echo.decoded?.payload == payload)
        #expect(eventually { house.written(0x31).first?.contains(payload) == true })
    }

    /// What the gateway has asked is nobody else's business; nor are a new handshake of the radio, and replays behind it.
    @Test func notWhatIsBetweenRadioAndGateway() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        let before = house.simulated.completedHandshakes
        house.gateway.radios.all[0].readAgain()
        #expect(eventually { house.simulated.completedHandshakes > before + 1 })
        let friend = house.simulated.nodes[0].number
        let id = house.simulated.sendText(from: friend, "later")
        let frames = try #require(app.wait { $0.contains { $0.packet?.id == id } })
        let end = try #require(frames.firstIndex { $0.message.variant == 7 })
        let live = frames[(end + 1)...]
        #expect(live.allSatisfy { $0.packet != nil }, "\(live.map(\.message.variant))")
        #expect(!live.contains { $0.packet?.isReplay == true || $0.packet?.decoded?.port == .admin })
    }

    /// 1,000 texts, once each, to eight clients and the database.
    @Test func aThousandTextsReachEightClients() throws {
        let house = try SharedHouse()
        let apps = try (0..<8).map { _ in try house.connected() }
        let friend = house.simulated.nodes[0].number
        var ids: Set<PacketID> = []
        for number in 1...1000 {
            ids.insert(house.simulated.sendText(from: friend, "text \(number)"))
            // As fast as they are taken: the radio's own queue is short.
            if number.isMultiple(of: 20) {
                let count = ids.count
                _ = try #require(apps[0].wait { $0.count { $0.packet != nil } >= count })
            }
        }
        for app in apps {
            let frames = try #require(app.wait { $0.count { $0.packet != nil } >= ids.count })
            let heard = frames.compactMap { $0.packet?.id }
            #expect(Set(heard) == ids && heard.count == ids.count)
        }
        let source = house.source
        #expect(try eventually { try house.store.read { try $0.counts(in: source).messages } == 1000 })
    }
}
