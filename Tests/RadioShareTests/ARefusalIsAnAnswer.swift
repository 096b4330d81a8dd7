import MeshModel
import MeshProtocol
import Testing

@testable import Gateway
@testable import RadioShare

/// A client that may not do something is told so at once, in place of any other answer, and with a queue status that
/// says that the packet was taken (SerialReference 12.3). Nothing of it reaches the radio.
@Suite struct ARefusalIsAnAnswer {
    /// set_owner, set_channel, set_config, reboot, factory reset, shutdown, delete_file, enter_dfu, ota
    static let orders: [(name: String, bytes: [UInt8])] = [
        ("set_owner", [0x82, 2, 3, 0x12, 1, 0x58]), ("set_channel", [0x8a, 2, 4, 8, 1, 0x12, 0]),
        ("set_config", [0x92, 2, 4, 0x32, 2, 0x40, 4]), ("reboot", [0x88, 6, 5]), ("factory_reset", [0x98, 6, 1]),
        ("shutdown", [0x90, 6, 5]), ("delete_file", [0xb2, 1, 1, 0x61]), ("dfu", [0xa8, 1, 1]),
        ("ota", [0xb2, 6, 2, 8, 1]), ("unknown", [0xc0, 12, 1]),
    ]

    private func expectRefusal(
        _ id: PacketID, _ error: RoutingError, _ app: App, _ house: SharedHouse, _ name: String
    ) throws {
        let frames = try #require(app.wait { $0.contains { $0.routing(id) != nil } }, "\(name)")
        try app.settle()
        #expect(frames.compactMap { $0.routing(id) } == [error], "\(name)")
        let states = app.frames.compactMap(\.status).filter { $0.packetID == id }
        #expect(states.count == 1 && states[0].result == 0 && states[0].free >= 1, "\(name)")
        let packet = try #require(frames.compactMap(\.packet).first { $0.decoded?.requestID == id })
        #expect(packet.from == house.number && packet.to == house.number)
        #expect(house.written(id).isEmpty, "\(name)")
    }

    @Test(arguments: [ClientRight.read, .send, .admin]) func ofSettings(right: ClientRight) throws {
        let house = try SharedHouse([right])
        let app = try house.connected()
        for (place, order) in Self.orders.enumerated() where right < .admin || place >= 4 {
            let id = PacketID(0x100 + place)
            app.administer(id, order.bytes, at: house.number)
            try expectRefusal(id, .notAuthorized, app, house, order.name)
        }
        let status = try #require(house.share.status[0].clients.first)
        #expect(status.refused == (right < .admin ? 10 : 6) && house.share.status[0].refusedPackets == status.refused)
        #expect(house.logged.contains { $0.hasPrefix("notice") && $0.contains("is refused admin order") })
    }

    @Test func whoMayReadDoesNotSend() throws {
        let house = try SharedHouse([.read])
        let app = try house.connected()
        let friend = house.simulated.nodes[0].number
        app.text(0x21, "hi")
        app.send(packet: app.packet(0x22, port: 70, [], to: friend, wantsResponse: true))
        // set_favorite_node
        app.administer(0x23, [0xb8, 2, 5], at: house.number)
        for id in [0x21, 0x22, 0x23] as [PacketID] { try expectRefusal(id, .notAuthorized, app, house, "\(id)") }
    }

    /// Administering another node is for those who may administer this one; nor does it help to write it otherwise.
    @Test func ofWhatIsAdministrationInDisguise() throws {
        let house = try SharedHouse()
        let app = try house.connected()
        let friend = house.simulated.nodes[0].number
        let owner: [UInt8] = [0x82, 2, 3, 0x12, 1, 0x58]
        app.administer(0x31, owner, at: friend)
        try expectRefusal(0x31, .notAuthorized, app, house, "a far node")
        app.administer(0x32, owner, at: .broadcast)
        try expectRefusal(0x32, .notAuthorized, app, house, "everybody")
        // From another node, as an answer of it.
        let data = [8, 6, 0x12, UInt8(owner.count)] + owner + [0x35, 9, 0, 0, 0]
        app.send(
            packet: [0x0d] + App.bytes(friend.rawValue) + [0x15] + App.bytes(house.number.rawValue)
                + [0x22, UInt8(data.count)] + data + [0x35, 0x33, 0, 0, 0])
        try expectRefusal(0x33, .notAuthorized, app, house, "an answer")
        // What nobody can look into.
        app.send(packet: [0x15] + App.bytes(house.number.rawValue) + [0x2a, 2, 8, 6, 0x35, 0x34, 0, 0, 0])
        try expectRefusal(0x34, .badRequest, app, house, "encrypted")
        // Two orders in one: a radio obeys the last.
        app.administer(0x35, [0x18, 1] + owner, at: house.number)
        try expectRefusal(0x35, .badRequest, app, house, "two orders")
    }
}
