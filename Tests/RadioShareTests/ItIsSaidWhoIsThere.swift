import MeshModel
import MeshProtocol
import Platform
import Testing

@testable import Gateway
@testable import RadioShare

/// What `status` and metrics show of the shared ports.
@Suite struct ItIsSaidWhoIsThere {
    @Test func byPort() throws {
        let house = try SharedHouse([.read, .send])
        let (reader, writer) = (try house.connected(0), try house.connected(1))
        reader.text(1, "no")
        writer.text(2, "yes")
        _ = try #require(reader.wait { $0.contains { $0.routing(1) == .notAuthorized } })
        _ = try #require(writer.wait { $0.contains { $0.status?.packetID == 2 } })
        let shown = { house.share.status }
        #expect(eventually { shown()[1].clients.first?.sent == 1 && shown()[0].clients.first?.refused == 1 })
        let ports = shown()
        #expect(ports.map(\.right) == [.read, .send] && ports.allSatisfy { $0.address == "127.0.0.1" && $0.port != 0 })
        #expect(ports.map { $0.clients.map(\.address) } == [["127.0.0.1"], ["127.0.0.1"]])
        #expect(ports[1].sent == 1 && ports[0].refusedPackets == 1)
        #expect(ports[0].clients[0].refused == 1 && ports[0].clients[0].sent == 0)
        #expect(ports[1].clients[0].refused == 0 && ports[1].clients[0].sent == 1)
        let now = WallClock.milliseconds()
        #expect(ports[0].clients[0].since <= now && ports[0].clients[0].since > now - 600_000)
        reader.close()
        #expect(eventually { shown()[0].clients.isEmpty })
        // What was counted stays.
        #expect(shown()[0].refusedPackets == 1)
        #expect(house.share.listeners.map(\.0.right) == [.read, .send])
    }

    /// SerialReference 12.4: many apps would keep the radio busy with nothing else.
    @Test func noClientMakesTheRadioTellEverythingAnew() throws {
        let house = try SharedHouse()
        let before = house.simulated.completedHandshakes
        for _ in 0..<5 { try house.connected().close() }
        #expect(eventually { house.share.status[0].clients.isEmpty })
        let last = try house.connected()
        try last.settle()
        #expect(house.simulated.completedHandshakes == before)
    }

    /// A port that somebody else has: nothing listens, and it is said why.
    @Test func whatCannotListenSaysSo() throws {
        let house = try SharedHouse()
        let port = house.share.status[0].port
        let second = RadioShare(
            gateway: house.gateway,
            ports: [SharedPort(address: "127.0.0.1", port: 0), SharedPort(address: "127.0.0.1", port: port)],
            logger: .silent)
        #expect(throws: RadioShareError.cannotListen(address: "127.0.0.1", port: port, 98)) { try second.start() }
        #expect(second.listeners.isEmpty)
        let third = RadioShare(
            gateway: house.gateway, ports: [SharedPort(address: "localhost", port: 0)], logger: .silent)
        #expect(throws: RadioShareError.notAnAddress("localhost")) { try third.start() }
    }

    /// One that listens already is taken over: who has connected meanwhile is served.
    @Test func aSocketIsTakenOver() throws {
        let house = try SharedHouse()
        let descriptor = try ShareSocket.listen("127.0.0.1", 0)
        let app = try App(port: ShareSocket.port(of: descriptor))
        app.send(.wantConfig(3))
        let port = SharedPort(address: "127.0.0.1", port: 4403, right: .read)
        let share = RadioShare(gateway: house.gateway, ports: [port], descriptors: [port: descriptor], logger: .silent)
        try share.start()
        _ = try #require(app.wait { $0.contains { $0.message == .configComplete(3) } })
        #expect(share.listeners.map(\.1) == [descriptor])
        share.stop()
        #expect(app.waitForEnd() == .fin)
    }
}
