import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import Gateway
@testable import RadioShare

/// A client need not know that the radio has gone: it is given the last handshake, its texts wait, and what cannot wait is
/// refused at once.
@Suite struct WhileTheRadioIsAway {
    @Test func theLastHandshakeIsGivenAndTextsWait() throws {
        let house = try SharedHouse([.admin])
        let before = try house.connected()
        house.simulated.unplug()
        #expect(eventually { !house.gateway.status(of: house.source).isConnected })
        let app = try house.connected()
        let settings = { (app: App) in
            app.frames.filter { $0.node == nil && $0.packet == nil && $0.status == nil }.map(\.raw)
        }
        #expect(settings(app) == settings(before))
        app.text(0x91, "later")
        let friend = house.simulated.nodes[0].number
        app.send(packet: app.packet(0x92, port: 70, [], to: friend, wantsResponse: true))
        app.administer(0x93, [0x88, 6, 5], at: house.number)
        for id in [0x92, 0x93] as [PacketID] {
            _ = try #require(app.wait { $0.contains { $0.routing(id) == .noInterface } }, "\(id)")
        }
        _ = try #require(app.wait { $0.contains { $0.status?.packetID == 0x91 } })
        try house.simulated.replug()
        #expect(eventually { house.written(0x91).count == 1 })
        try app.settle()
        // Nothing has changed, so that nobody has to read anything again.
        for app in [before, app] { #expect(!app.frames.contains { $0.message == .rebooted }) }
        #expect(!app.frames.contains { $0.routing(0x91) != nil && $0.routing(0x91) != RoutingError.none })
        let source = house.source
        #expect(try house.store.read { try $0.node(NodeNumber(0), in: source) } == nil)
    }

    @Test func withoutAnyHandshakeAClientWaitsForIt() throws {
        let house = try SharedHouse(isAway: true)
        let app = try house.connect()
        app.send(.wantConfig(9))
        try app.settle()
        #expect(app.frames.allSatisfy { $0.status != nil })
        try house.simulated.replug()
        _ = try #require(app.wait { $0.contains { $0.message == .configComplete(9) } })
        #expect(app.frames.count { $0.message.variant == 3 } == 1)
    }
}
